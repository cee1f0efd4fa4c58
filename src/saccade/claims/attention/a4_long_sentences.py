"""A4: one vector for the whole sentence fails long sentences first; attention does not."""

from typing import Literal

import torch
from torch import Generator, Tensor

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.toy_training import cross_entropy, learn, share
from saccade.models.rnnsearch import RNNsearch, RNNsearchConfig
from saccade.sequences import EOS, Sequences
from saccade.weights import parameter_count

LETTERS, FIRST = 12, 4
VOCABULARY = FIRST + LETTERS
LENGTHS = (2, 4, 6, 8, 10)
STEPS, ROWS, TEST = 500, 32, 200
WIDTHS: dict[Literal["last", "search"], int] = {"last": 52, "search": 40}
"""Equal numbers of parameters, but for 2 %."""

NAMES = {"last": "one vector", "search": "attention"}


def measure(generator: Generator, progress: Progress) -> Findings:
    """Both learn to copy words of up to ten letters; then each length is looked at apart."""
    found: Findings = {}
    for done, (context, width) in enumerate(WIDTHS.items()):
        model = RNNsearch(RNNsearchConfig(width=width, context=context, deviation=0.1), VOCABULARY, VOCABULARY)

        def loss(model: RNNsearch = model) -> Tensor:
            length = int(torch.randint(1, LENGTHS[-1] + 1, (1,), generator=generator))
            target = words(ROWS, length, generator)
            return cross_entropy(model.decode(target.reads, model.encode(target)), target.tokens)

        learn(model, loss, STEPS, share(progress, done, 2), rate=5e-3)
        right = []
        for length in LENGTHS:
            target = words(TEST, length, generator)
            with torch.no_grad():
                best = model.decode(target.reads, model.encode(target)).argmax(dim=-1)
            right.append((best == target.tokens)[:, :length].double().mean().item())
        found[context] = right
        found[f"{context} parameters"] = float(parameter_count(model))
    return found


def words(rows: int, length: int, generator: Generator) -> Sequences:
    """Random letters, each word ended by EOS."""
    letters = torch.randint(FIRST, VOCABULARY, (rows, length), generator=generator)
    ended = torch.cat([letters, torch.full((rows, 1), EOS)], dim=1)
    return Sequences(ended, torch.full((rows,), length + 1))


def judge(measured: Measured) -> Judgement:
    """Compares how far each falls from the shortest to the longest."""
    curves = {name: measured.curve(name) for name in NAMES}
    fall = {name: curves[name][0] - curves[name][-1] for name in NAMES}
    because = (
        f"letters right for words of {', '.join(map(str, LENGTHS))}: one vector {listed(curves['last'])}, attention "
        f"{listed(curves['search'])}; from shortest to longest they fall by {fall['last']:.3f} and "
        f"{fall['search']:.3f} ({measured.mean('last parameters'):,.0f} and {measured.mean('search parameters'):,.0f} "
        "parameters)."
    )
    passed = fall["last"] > 0.05 and fall["last"] >= 2 * fall["search"]
    return Judgement(Verdict.HOLDS if passed else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Letters right against length."""
    axes = figure.subplots()
    for name, label in NAMES.items():
        axes.plot(LENGTHS, measured.curve(name), "o-", label=label)
    axes.axhline(1 / LETTERS, linestyle=":", color="gray", label="chance")
    axes.set(xlabel="letters in a word", ylabel="letters right", ylim=(0, 1.03))
    axes.legend()


CLAIM = Claim(
    id="A4",
    title="Long sentences and one vector",
    said="Cho et al. 2014b; Bahdanau et al. 2015, section 5.1",
    claim="An encoder-decoder with one vector in between gets worse as sentences get longer; attention removes the "
    "drop.",
    expected=Verdict.HOLDS,
    rule="Copying words, at equal parameters and equal training, the share of right letters falls from the shortest to "
    "the longest words at least twice as far without attention as with it, and by more than 0.05.",
    cost="minutes",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
