"""W6: five questions about attention, each answered by a small experiment."""

import math

import torch
from torch import Generator, Tensor

from saccade.attention.attend import explicit
from saccade.attention.masks import Visibility
from saccade.attention.multihead import MultiHeadAttention
from saccade.attention.recording import recording
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.layers.embedding import Embedding
from saccade.layers.position import sinusoids

QUESTIONS = (
    ("What is attention for?", "to weigh what matters most"),
    ("What is a query?", "a projection of the word with its position"),
    ("Why add positions?", "order is invisible without them"),
    ("How is a score computed?", "as a scaled dot product"),
    ("What comes out?", "a weighted sum of values"),
)
LENGTH, WIDTH = 7, 16


def measure(generator: Generator, progress: Progress) -> Findings:
    """One check for each answer, on an attention with one head and random weights."""
    attention = MultiHeadAttention(WIDTH, 1, WIDTH, WIDTH)
    embedding = Embedding(23, WIDTH)
    tokens = torch.randperm(23, generator=generator)[:LENGTH].unsqueeze(0)
    with torch.no_grad():
        states = embedding(tokens) + sinusoids(LENGTH, WIDTH)
        checks = (
            _weighs(generator),
            _query(attention, embedding, tokens),
            _order(attention, embedding, tokens),
            _score(attention, states),
            _output(attention, states),
        )
    progress(1.0)
    return {"passed": [float(check) for check in checks]}


def _weighs(generator: Generator) -> bool:
    """The key that fits the query gets most of the weight, wherever it stands."""
    keys = torch.randn(LENGTH, WIDTH, generator=generator)
    found = [
        explicit(4 * keys[place][None, None, None], keys[None, None], keys[None, None], Visibility())
        for place in range(LENGTH)
    ]
    return all(one.weights[0, 0, 0].argmax() == place and one.weights.max() > 0.5 for place, one in enumerate(found))


def _query(attention: MultiHeadAttention, embedding: Embedding, tokens: Tensor) -> bool:
    """The same word elsewhere asks another question, and W^Q (embedding + position) is that question."""
    placed = embedding(tokens[:, :1]).expand(1, LENGTH, WIDTH) + sinusoids(LENGTH, WIDTH)
    queries = attention.queries(placed)[0, 0]
    differ = (queries[1:] - queries[:-1]).norm(dim=1).min() > 1e-3
    return bool(differ) and torch.allclose(queries, placed[0] @ attention.query.weight.T, atol=1e-5)


def _order(attention: MultiHeadAttention, embedding: Embedding, tokens: Tensor) -> bool:
    """Reversing the words reverses the output without positions, and changes it with them."""

    def attend(states: Tensor) -> Tensor:
        return attention.mix(*attention.project(states), Visibility())

    backwards, positions = tokens.flip(1), sinusoids(LENGTH, WIDTH)
    without = attend(embedding(backwards)) - attend(embedding(tokens)).flip(1)
    with_ = attend(embedding(backwards) + positions) - attend(embedding(tokens) + positions).flip(1)
    return bool(without.abs().max() < 1e-5) and bool(with_.abs().max() > 1e-3)


def _score(attention: MultiHeadAttention, states: Tensor) -> bool:
    """The logarithm of a weight is q.k / sqrt(d_k), up to what is the same for a whole row."""
    with recording(attention) as record:
        attention.mix(*attention.project(states), Visibility())
    queries, memory = attention.project(states)
    scores = queries @ memory.keys.transpose(-2, -1) / math.sqrt(WIDTH)
    left = record[""][0].log() - scores
    return bool((left - left.mean(dim=-1, keepdim=True)).abs().max() < 1e-4)


def _output(attention: MultiHeadAttention, states: Tensor) -> bool:
    """The weights times the values, projected, are what comes out."""
    with recording(attention) as record:
        output = attention.mix(*attention.project(states), Visibility())
    values = attention.keys_values(states).values
    return torch.allclose((record[""][0] @ values)[:, 0] @ attention.output.weight.T, output, atol=1e-5)


def judge(measured: Measured) -> Judgement:
    """All five."""
    passed = measured.curve("passed")
    answers = "; ".join(
        f"{question} {answer}: {'shown' if share == 1 else 'not shown'}"
        for (question, answer), share in zip(QUESTIONS, passed, strict=True)
    )
    return Judgement(Verdict.HOLDS if min(passed) == 1 else Verdict.FAILS, answers + ".")


def plot(figure: Figure, measured: Measured) -> None:
    """Question by question."""
    axes = figure.subplots()
    axes.barh(range(5), measured.curve("passed"))
    axes.set(yticks=range(5), xlim=(0, 1), xlabel="share of seeds in which the experiment agrees")
    axes.set_yticklabels([f"{question}\n{answer}" for question, answer in QUESTIONS])
    axes.invert_yaxis()


CLAIM = Claim(
    id="W6",
    title="Five questions",
    said="the quiz at the end of an introduction in slides; it prints no answers, these are ours",
    claim="Attention weighs what matters; a query is made from a word and its position; positions are needed to see "
    "order; scores are scaled dot products; what comes out is a weighted sum of values.",
    expected=Verdict.HOLDS,
    rule="Each of the five answers agrees with an experiment on saccade's attention, for every seed.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
