"""T21: the fewer steps between two positions, the sooner what connects them is learned."""

import math

import torch
from torch import Generator, Tensor, nn

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.curve_fitting import rank_correlation
from saccade.claims.measuring.toy_networks import (
    Answering,
    AttentiveReader,
    ConvolutionalReader,
    RecurrentReader,
)
from saccade.claims.measuring.toy_training import cross_entropy, learn, share
from saccade.weights import parameter_count

LAG, SYMBOLS, FILLERS, STEPS, ROWS = 14, 8, 4, 600, 32
VOCABULARY = SYMBOLS + FILLERS
SOLVED, OVER = 0.1, 10
"""The mean loss over so many steps at which the task counts as learned; guessing has log(8) = 2.1."""

PATHS = {"attention": 1, "dilated convolution": 3, "attention in a window": 5, "convolution": 7, "GRU": LAG}
"""Layers, or steps, between the first position and the last."""


def network(name: str) -> tuple[nn.Module, int]:
    """Each with about 12,500 parameters, and just deep enough; with its width."""
    match name:
        case "attention":
            return AttentiveReader(VOCABULARY, 32, heads=2, causal=True), 32
        case "dilated convolution":
            return ConvolutionalReader(VOCABULARY, 36, layers=3, dilated=True, causal=True), 36
        case "attention in a window":
            return AttentiveReader(VOCABULARY, 14, layers=5, heads=2, causal=True, window=math.ceil(LAG / 5)), 14
        case "convolution":
            return ConvolutionalReader(VOCABULARY, 24, layers=7, causal=True), 24
        case _:
            return RecurrentReader(VOCABULARY, 44), 44


def sentences(rows: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """A symbol, then fillers; at the end the symbol is asked for."""
    symbol = torch.randint(SYMBOLS, (rows, 1), generator=generator)
    fillers = torch.randint(SYMBOLS, VOCABULARY, (rows, LAG), generator=generator)
    return torch.cat([symbol, fillers], dim=1), symbol[:, 0]


def measure(generator: Generator, progress: Progress) -> Findings:
    """The same task for every network, until it is learned."""
    found: Findings = {}
    for done, name in enumerate(PATHS):
        reader, width = network(name)
        answering = Answering(reader, width, SYMBOLS)

        def loss(answering: Answering = answering) -> Tensor:
            tokens, wanted = sentences(ROWS, generator)
            return cross_entropy(answering(tokens)[:, -1], wanted)

        recent: list[float] = []

        def enough(step: int, value: float, recent: list[float] = recent) -> bool:
            recent.append(value)
            return step + 1 >= OVER and sum(recent[-OVER:]) / OVER < SOLVED

        losses = learn(answering, loss, STEPS, share(progress, done, len(PATHS)), enough=enough)
        solved = sum(losses[-OVER:]) / OVER < SOLVED
        found[f"{name}, steps"] = float(len(losses) if solved else STEPS + 1)
        found[f"{name}, parameters"] = float(parameter_count(answering))
    return found


def judge(measured: Measured) -> Judgement:
    """Do steps grow with paths?"""
    steps = {name: measured.each(f"{name}, steps") for name in PATHS}
    correlation = rank_correlation(list(PATHS.values()), [measured.mean(f"{name}, steps") for name in PATHS])
    because = "steps until learned, seed by seed, by length of the path: " + "; ".join(
        f"{name} ({path}) {', '.join(f'{count:.0f}' if count <= STEPS else f'not in {STEPS}' for count in steps[name])}"
        for name, path in PATHS.items()
    )
    sizes = ", ".join(f"{measured.mean(f'{name}, parameters'):,.0f}" for name in PATHS)
    because += f". Rank correlation of path and mean steps {correlation:.2f} ({sizes} parameters)."
    return Judgement(Verdict.HOLDS if correlation > 0.8 else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Steps against paths."""
    axes = figure.subplots()
    for name, path in PATHS.items():
        values = measured.each(f"{name}, steps")
        axes.plot([path] * len(values), values, "o", markersize=9, alpha=0.7, label=name)
    axes.axhline(STEPS, linestyle=":", color="gray", label="given up")
    axes.set(xlabel="length of the path", ylabel="steps until learned", ylim=(0, None))
    axes.legend()


CLAIM = Claim(
    id="T21",
    title="Short paths",
    said="Hochreiter et al. 2001; Vaswani et al. 2017, section 4",
    claim="The shorter the path between two positions, the easier a dependency between them is to learn.",
    expected=Verdict.HOLDS,
    rule="Five networks of about equal size, each just deep enough to connect the two, learn to repeat a symbol after "
    "14 others: the rank correlation between the length of their paths (1 to 14) and the mean number of steps until "
    "the loss is below 0.1 is above 0.8. Not learned in 600 steps counts as more than 600.",
    cost="minutes",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
