"""A21: attention interpolates between values, as a kernel smoother does."""

import math

import torch
from torch import Generator
from torch.nn import functional

from saccade.attention.attend import explicit
from saccade.attention.masks import Visibility
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict

QUERIES, KEYS, WIDTH = 97, 13, 5


def measure(generator: Generator, progress: Progress) -> Findings:
    """Whether contexts stay between the values, and whether they are those of a Gaussian kernel smoother.

    For keys of equal length, q.k = (|q|^2 + |k|^2 - |q - k|^2) / 2 differs from -|q - k|^2 / 2 by something the softmax
    does not see. So attention is Nadaraya-Watson regression with a Gaussian kernel of variance sqrt(d_k).
    """
    query = torch.randn(QUERIES, WIDTH, generator=generator, dtype=torch.float64)
    keys = 2 * functional.normalize(torch.randn(KEYS, WIDTH, generator=generator, dtype=torch.float64), dim=1)
    values = torch.randn(KEYS, 3, generator=generator, dtype=torch.float64)
    context, weights = explicit(query[None, None], keys[None, None], values[None, None], Visibility())
    outside = torch.maximum(context - values.amax(dim=0), values.amin(dim=0) - context).max().item()

    smoothed = torch.empty_like(context[0, 0])
    for row in range(QUERIES):
        kernel = [math.exp(-(query[row] - key).square().sum().item() / (2 * math.sqrt(WIDTH))) for key in keys]
        total = sum(weight * value for weight, value in zip(kernel, values, strict=True))
        smoothed[row] = total / sum(kernel)
    progress(1.0)
    return {
        "outside": outside,
        "missing": (weights.sum(dim=-1) - 1).abs().max().item(),
        "difference": (context[0, 0] - smoothed).abs().max().item(),
        "attention": context[0, 0, :, 0].tolist(),
        "smoother": smoothed[:, 0].tolist(),
    }


def judge(measured: Measured) -> Judgement:
    """Inside the hull, weight conserved, equal to the smoother."""
    outside, missing, difference = (measured.largest(name) for name in ("outside", "missing", "difference"))
    because = (
        f"no context lies outside the values' range (the nearest is {-outside:.2g} inside), weights sum to 1 within "
        f"{missing:.0e}, and the largest difference from the kernel smoother is {difference:.0e}."
    )
    passed = outside <= 0 and missing < 1e-12 and difference < 1e-6
    return Judgement(Verdict.HOLDS if passed else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Attention against smoother, query by query."""
    axes = figure.subplots()
    axes.plot(measured.findings[0]["smoother"], measured.findings[0]["attention"], ".")
    axes.set(xlabel="Gaussian kernel smoother", ylabel="attention", aspect="equal")


CLAIM = Claim(
    id="A21",
    title="Attention interpolates",
    said="introductions to attention",
    claim="The output of attention is an interpolation of the values by the similarity of query and keys; the total "
    "weight is always the same.",
    expected=Verdict.HOLDS,
    rule="Every coordinate of every context lies between the smallest and the largest of the values; weights sum to 1; "
    "for keys of equal length the context equals Gaussian kernel regression to 1e-6.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
