"""R15: a network that answers once per input token cannot change the length; an encoder-decoder can."""

import torch
from torch import Generator

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.toy_training import Line, pairs, teach
from saccade.models.rnnsearch import RNNsearch, RNNsearchConfig
from saccade.sequences import EOS

LETTERS = 6
FIRST = 4
LONGEST, STEPS, ROWS = 4, 500, 32


def rewritten(sentence: Line) -> Line:
    """Each letter becomes one, two or three: a, bb, ccc, d, ee, fff."""
    return [letter for letter in sentence for _ in range(1 + (letter - FIRST) % 3)]


def sentences(rows: int, generator: Generator) -> list[list[int]]:
    """Random words of one to four letters."""
    lengths = torch.randint(1, LONGEST + 1, (rows,), generator=generator).tolist()
    return [torch.randint(FIRST, FIRST + LETTERS, (length,), generator=generator).tolist() for length in lengths]


def measure(generator: Generator, progress: Progress) -> Findings:
    """The best any tagger could do, counted; and what an encoder-decoder learns."""
    model = RNNsearch(RNNsearchConfig(width=32, deviation=0.1), FIRST + LETTERS, FIRST + LETTERS)
    teach(model, lambda: pairs(sentences(ROWS, generator), rewritten), STEPS, progress)
    unseen = sentences(500, generator)
    source, target = pairs(unseen, rewritten)
    with torch.no_grad():
        memory = model.encode(source)
        written = torch.full_like(target.tokens, EOS)
        state, token = model.start(memory), target.reads.tokens[:, 0]
        for place in range(target.tokens.shape[1]):
            scores, state = model.step(token, state)
            token = scores.argmax(dim=-1)
            written[:, place] = token
    right = ((written == target.tokens) | ~target.mask).all(dim=1).double().mean().item()
    # A tagger writes exactly one letter for each it reads: it can be right only where the length stays.
    possible = sum(len(rewritten(sentence)) == len(sentence) for sentence in unseen) / len(unseen)
    return {"encoder-decoder": right, "tagger at best": possible}


def judge(measured: Measured) -> Judgement:
    """A floor for one, a solution by the other."""
    because = (
        f"words rewritten right, seed by seed: encoder-decoder {listed(measured.each('encoder-decoder'))}; a tagger "
        f"can be right in at most {listed(measured.each('tagger at best'))}."
    )
    solved, floor = measured.smallest("encoder-decoder"), measured.largest("tagger at best")
    return Judgement(Verdict.HOLDS if solved > 0.95 and floor < 0.5 else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Shares, seed by seed."""
    axes = figure.subplots()
    for place, name in enumerate(("tagger at best", "encoder-decoder")):
        values = measured.each(name)
        axes.plot([place] * len(values), values, "o", markersize=9, alpha=0.7)
    axes.set(xlim=(-0.5, 1.5), ylim=(0, 1.03), xticks=(0, 1), ylabel="words rewritten right")
    axes.set_xticklabels(["any tagger, at best", "encoder-decoder"])


CLAIM = Claim(
    id="R15",
    title="Outputs of another length",
    said="Cho et al. 2014; Sutskever et al. 2014, section 1",
    claim="A plain recurrent network gives one output for each input; an encoder-decoder lifts this restriction.",
    expected=Verdict.HOLDS,
    rule="Where each letter becomes one to three letters, an encoder-decoder rewrites more than 95 % of unseen words "
    "right with every seed, while a network with one output per letter could be right in less than half of them.",
    cost="seconds",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
