"""T17: from which length on attention itself is most of the work."""

import torch
from torch import Generator

from saccade.attention.masks import Visibility
from saccade.attention.recording import recording
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.operation_counts import products
from saccade.models.transformer import Encoder, TransformerConfig

WIDTHS = (8, 16, 32)
MULTIPLES = (1, 2, 4, 6, 8, 12)
"""Lengths, in widths."""


def measure(generator: Generator, progress: Progress) -> Findings:
    """Multiply-adds between positions and at positions, for lengths of one to twelve times the width."""
    found: Findings = {}
    for done, width in enumerate(WIDTHS):
        encoder = Encoder(TransformerConfig(encoder_layers=1, width=width, inner_width=4 * width, heads=1, dropout=0.0))
        shares = []
        for multiple in MULTIPLES:
            states = torch.randn(1, multiple * width, width, generator=generator)
            with torch.no_grad(), recording(encoder):
                counts = products(lambda e=encoder, s=states: e(s, Visibility()))  # type: ignore[misc]
            shares.append(counts["bmm"] / (sum(counts.values()) - counts["bmm"]))
        found[f"width {width}"] = shares
        progress((done + 1) / len(WIDTHS))
    return found


def crossing(shares: list[float]) -> float:
    """The length, in widths, at which the two are equal, between the two multiples around it."""
    for place in range(1, len(MULTIPLES)):
        if shares[place] >= 1:
            before, after = MULTIPLES[place - 1], MULTIPLES[place]
            part = (1 - shares[place - 1]) / (shares[place] - shares[place - 1])
            return before + part * (after - before)
    return float("inf")


def judge(measured: Measured) -> Judgement:
    """Within a factor of two of six widths."""
    crossings = {width: crossing(measured.curve(f"width {width}")) for width in WIDTHS}
    because = "attention does as much work as everything else in its layer at a length of " + ", ".join(
        f"{crossings[width]:.1f} d for d = {width}" for width in WIDTHS
    )
    because += (
        ". At the paper's d = 512 that is about 3,000 tokens; beyond it, twice the length is four times the work."
    )
    passed = all(3 <= value <= 12 for value in crossings.values())
    return Judgement(Verdict.HOLDS if passed else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """The ratio against length."""
    axes = figure.subplots()
    for width in WIDTHS:
        axes.plot(MULTIPLES, measured.curve(f"width {width}"), "o-", label=f"d = {width}")
    axes.axhline(1, linestyle=":", color="gray")
    axes.set(xlabel="length / d", ylabel="work between positions / at positions")
    axes.legend()


CLAIM = Claim(
    id="T17",
    title="Where the square begins to hurt",
    said="Vaswani et al. 2017, section 4; introductions to long contexts",
    claim="The quadratic cost of attention limits the context of a Transformer to a few thousand tokens.",
    expected=Verdict.HOLDS,
    rule="Counted in multiply-adds, attention overtakes the projections and the feed-forward network of its layer "
    "(four times as wide inside) at a length within a factor of two of six widths, whatever the width.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
