"""A40: how often a memory network must look, and how many facts an answer takes."""

import random

import torch
from torch import Generator, Tensor

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import clearly, stated, verdict
from saccade.claims.measuring.toy_training import accuracy, cross_entropy, learn, share
from saccade.data.stories import FACTS, PLACES, SENTENCES, WORDS, story
from saccade.layers.question_memory import QuestionMemory

HOPS = (1, 2, 3)
WIDTH, STEPS, ROWS, STORIES, TEST = 32, 1000, 48, 3000, 500
RATE, DEVIATION, LEARNED = 0.01, 0.3, 0.01
_LONGEST, _QUESTION = 6, 4
_IDS = {word: number for number, word in enumerate(WORDS, start=1)}
Questions = tuple[Tensor, Tensor, Tensor]


def questions(facts: int, count: int, chance: random.Random) -> Questions:
    """Stories, questions and answers as numbers; a shorter story begins with empty sentences."""
    told = [story(facts, chance) for _ in range(count)]
    stories = torch.zeros(count, SENTENCES, _LONGEST, dtype=torch.int64)
    asked = torch.zeros(count, _QUESTION, dtype=torch.int64)
    for row, one in enumerate(told):
        for place, sentence in enumerate(one.sentences, start=SENTENCES - len(one.sentences)):
            stories[row, place, : len(sentence)] = torch.tensor([_IDS[word] for word in sentence])
        asked[row, : len(one.question)] = torch.tensor([_IDS[word] for word in one.question])
    return stories, asked, torch.tensor([_IDS[one.answer] for one in told])


def measure(generator: Generator, progress: Progress) -> Findings:
    """A network for every number of hops and of facts."""
    found: Findings = {}
    chance = random.Random(int(torch.randint(2**31, (1,), generator=generator)))
    cells = [(facts, hops) for facts in FACTS for hops in HOPS]
    for done, (facts, hops) in enumerate(cells):
        taught, tested = questions(facts, STORIES, chance), questions(facts, TEST, chance)
        network = QuestionMemory(len(WORDS) + 1, WIDTH, hops, SENTENCES, DEVIATION)
        recent = [1.0] * 20

        def loss(network: QuestionMemory = network, taught: Questions = taught) -> Tensor:
            rows = torch.randint(STORIES, (ROWS,), generator=generator)
            stories, asked, answers = (part[rows] for part in taught)
            return cross_entropy(network(stories, asked), answers)

        def enough(_: int, value: float, recent: list[float] = recent) -> bool:
            recent[:] = [*recent[1:], value]
            return sum(recent) / len(recent) < LEARNED

        learn(network, loss, STEPS, share(progress, done, len(cells)), RATE, enough)
        with torch.no_grad():
            found[_cell(facts, hops)] = accuracy(network(tested[0], tested[1]), tested[2])
    return found


def _cell(facts: int, hops: int) -> str:
    return f"{facts} facts, {hops} hops"


def judge(measured: Measured) -> Judgement:
    """As many hops as facts must be ahead of one hop less, and answer nearly everything."""
    names = [_cell(facts, hops) for facts in FACTS for hops in HOPS]
    ahead = [clearly(measured, _cell(n, n), over=_cell(n, n - 1), by=0.1) for n in FACTS[1:]]
    nearly = [measured.mean(_cell(n, n)) >= 0.9 for n in FACTS]
    return Judgement(verdict(ahead, nearly), f"right: {stated(measured, names)}; chance is {1 / len(PLACES):.2f}.")


def plot(figure: Figure, measured: Measured) -> None:
    """Accuracy against hops, a line for each number of facts."""
    axes = figure.subplots()
    for facts in FACTS:
        axes.plot(HOPS, [measured.mean(_cell(facts, hops)) for hops in HOPS], "o-", label=f"{facts} facts")
    axes.axhline(1 / len(PLACES), linestyle=":", color="grey")
    axes.set(xlabel="hops", ylabel="right", ylim=(0, 1.03), xticks=HOPS)
    axes.legend()


CLAIM = Claim(
    id="A40",
    title="Looking several times",
    said="Sukhbaatar et al. 2015",
    claim="A memory network needs as many hops as an answer takes facts.",
    expected=Verdict.HOLDS,
    rule="On generated stories, with questions that take two and three facts, a network with as many hops as facts is "
    "ahead of one with a hop less by more than 0.1, by three standard errors over the seeds. A caveat if it answers "
    "less than 0.9 of them, or of those that take one fact with one hop.",
    cost="minutes",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
