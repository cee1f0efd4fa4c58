"""T2: what the sinusoidal positions are."""

import torch
from torch import Generator, Tensor

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.layers.position import sinusoids

LENGTH, WIDTH = 10_000, 512
SHIFTS = (1, 7, 101, 997)
NEAR = 400


def measure(generator: Generator, progress: Progress) -> Findings:  # noqa: ARG001 nothing here is random
    """Range, distances between positions, and the rotation that leads from one position to another."""
    table = sinusoids(LENGTH, WIDTH).double()
    smallest = float("inf")
    for start in range(0, LENGTH, 1000):
        block = table[start : start + 1000]
        # |a - b|^2 = |a|^2 + |b|^2 - 2 a.b, and the squared norm of every position is half the width.
        squares = WIDTH - 2 * (block.float() @ table.float().T)
        squares[torch.arange(1000), torch.arange(start, start + 1000)] = float("inf")
        smallest = min(smallest, squares.min().item())
        progress(start / LENGTH)
    turned = [(rotated(table[: LENGTH - shift], shift) - table[shift:]).abs().max().item() for shift in SHIFTS]
    return {
        "largest": table.abs().max().item(),
        "nearest": max(smallest, 0.0) ** 0.5,
        "rotation error": turned,
        "distance": (table[:NEAR] - table[0]).norm(dim=1).tolist(),
        "distance elsewhere": (table[5000 : 5000 + NEAR] - table[5000]).norm(dim=1).tolist(),
    }


def rotated(table: Tensor, shift: int) -> Tensor:
    """Every pair (sin, cos) turned by shift times its frequency: a linear map that depends on the shift alone."""
    frequencies = 10_000 ** (-torch.arange(0, WIDTH, 2, dtype=torch.float64) / WIDTH)
    sine, cosine = (shift * frequencies).sin(), (shift * frequencies).cos()
    even, odd = table[:, ::2], table[:, 1::2]
    return torch.stack([even * cosine + odd * sine, odd * cosine - even * sine], dim=-1).flatten(1)


def judge(measured: Measured) -> Judgement:
    """In range, unique, relative."""
    error = measured.largest("rotation error")
    because = (
        f"all values within ±{measured.largest('largest'):.6f}; the two nearest of {LENGTH:,} positions are "
        f"{measured.smallest('nearest'):.2f} apart; turning position p by k steps misses position p + k by at most "
        f"{error:.0e} for k = {', '.join(map(str, SHIFTS))}."
    )
    passed = measured.largest("largest") <= 1 and measured.smallest("nearest") > 0.1 and error < 1e-6
    return Judgement(Verdict.HOLDS if passed else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Distance between two positions against how far apart they are."""
    axes = figure.subplots()
    axes.plot(measured.curve("distance"), label="from position 0")
    axes.plot(measured.curve("distance elsewhere"), "--", label="from position 5,000")
    axes.set(xlabel="positions apart", ylabel="distance of their vectors")
    axes.legend()


CLAIM = Claim(
    id="T2",
    title="Sinusoidal positions",
    said="Vaswani et al. 2017, section 3.5",
    claim="The sinusoids lie between -1 and 1, give each position a vector of its own, and encode relative position: a "
    "linear map leads from any position to the one k later.",
    expected=Verdict.HOLDS,
    rule="Over 10,000 positions of width 512: no value outside [-1, 1]; any two positions more than 0.1 apart (float32 "
    "products cannot see less); the rotation by k reproduces position p + k to 1e-6.",
    cost="instant",
    seeds=1,
    measure=measure,
    judge=judge,
    plot=plot,
)
