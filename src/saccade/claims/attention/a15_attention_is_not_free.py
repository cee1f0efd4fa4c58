"""A15: what attention adds to the cost of an encoder-decoder."""

from functools import partial
from typing import Literal

import torch
from torch import Generator

from saccade.attention.recording import recording
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.operation_counts import multiply_adds
from saccade.claims.measuring.plots import tick_only
from saccade.models.rnnsearch import RNNsearch, RNNsearchConfig
from saccade.sequences import Sequences
from saccade.weights import parameter_count

LENGTHS = (5, 10, 20, 40)
WIDTH, VOCABULARY = 64, 101
SYSTEMS: tuple[Literal["last", "search"], ...] = ("last", "search")


def measure(generator: Generator, progress: Progress) -> Findings:
    """Multiply-adds for reading n words and writing n, without attention and with it."""
    found: dict[str, list[float]] = {}
    for name in SYSTEMS:
        model = RNNsearch(RNNsearchConfig(width=WIDTH, context=name), VOCABULARY, VOCABULARY).eval()
        found[f"{name} parameters"] = [float(parameter_count(model))]
        found[f"{name} multiply-adds"] = []
        for done, length in enumerate(LENGTHS):
            tokens = torch.randint(4, VOCABULARY, (1, length), generator=generator)
            pair = Sequences(tokens, torch.tensor([length]))
            # While it is recorded, the model uses plain products, which can be counted.
            with torch.no_grad(), recording(model):
                count = multiply_adds(partial(_read_and_write, model, pair))
            found[f"{name} multiply-adds"].append(float(count))
            progress((done + 1) / len(LENGTHS))
    return dict(found)


def _read_and_write(model: RNNsearch, pair: Sequences) -> None:
    model.decode(pair.reads, model.encode(pair))


def judge(measured: Measured) -> Judgement:
    """More work with attention, at every length."""
    last, search = (measured.curve(f"{name} multiply-adds") for name in SYSTEMS)
    ratios = [b / a for a, b in zip(last, search, strict=True)]
    because = (
        f"for {LENGTHS[0]} and {LENGTHS[-1]} words: {last[0]:,.0f} and {last[-1]:,.0f} multiply-adds without "
        f"attention, {search[0]:,.0f} and {search[-1]:,.0f} with it: {ratios[0]:.1f} and {ratios[-1]:.1f} times as "
        "many. Attention buys quality, not economy."
    )
    return Judgement(Verdict.FAILS if min(ratios) > 1 else Verdict.HOLDS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Multiply-adds against length."""
    axes = figure.subplots()
    for name, label in zip(SYSTEMS, ("one vector for the sentence", "attention"), strict=True):
        axes.loglog(LENGTHS, measured.curve(f"{name} multiply-adds"), "o-", label=label)
    axes.set(xlabel="words on each side", ylabel="multiply-adds")
    tick_only(axes, LENGTHS)
    axes.legend()


CLAIM = Claim(
    id="A15",
    title="Attention and complexity",
    said="a long introduction to attention",
    claim="Attention reduces the complexity of an encoder-decoder.",
    expected=Verdict.FAILS,
    rule="Does not hold if, at equal width, RNNsearch needs more multiply-adds than the same model without attention "
    "at every length.",
    cost="seconds",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
