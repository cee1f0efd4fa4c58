"""A13: when attention errs, it takes a key that resembles the right one."""

import math

import torch
from torch import Generator
from torch.nn import functional

from saccade.attention.attend import explicit
from saccade.attention.masks import Visibility
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.comparison import more_than, verdict
from saccade.claims.measuring.curve_fitting import rank_correlation

COSINES = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99)
KEYS, WIDTH, TRIALS = 16, 64, 1000
NOISE = 0.1
"""How far a query is from the key it wants, in every direction; keys have length 1."""


def measure(generator: Generator, progress: Progress) -> Findings:
    """Noisy queries for one of sixteen keys, another of which has a given cosine with it."""
    errors, near = [], []
    for done, cosine in enumerate(COSINES):
        keys = functional.normalize(torch.randn(TRIALS, KEYS, WIDTH, generator=generator), dim=-1)
        wanted, other = keys[:, 0], keys[:, 1]
        across = functional.normalize(other - (other * wanted).sum(-1, keepdim=True) * wanted, dim=-1)
        keys[:, 1] = cosine * wanted + math.sqrt(1 - cosine**2) * across
        query = wanted + NOISE * torch.randn(TRIALS, WIDTH, generator=generator)
        weights = explicit(query[:, None, None], keys[:, None], keys[:, None], Visibility()).weights[:, 0, 0]
        picked = weights.argmax(dim=-1)
        wrong = picked != 0
        errors.append(wrong.double().mean().item())
        near.append(((picked == 1) & wrong).sum().item() / max(int(wrong.sum()), 1))
        progress((done + 1) / len(COSINES))
    return {"errors": errors, "near": near}


def judge(measured: Measured) -> Judgement:
    """Errors rise with the cosine, and are then confusions with the near key."""
    errors, near = measured.curve("errors"), measured.curve("near")
    because = (
        f"for cosines {listed(COSINES, 2)}: error {listed(errors)}; at cosine {COSINES[-1]} the near key is "
        f"{near[-1]:.0%} of the wrong picks (chance: {1 / (KEYS - 1):.0%})."
    )
    each = measured.curves("errors")
    required = [
        more_than([rank_correlation(COSINES, curve) for curve in each], 0.8),
        more_than([curve[-1] - curve[0] for curve in each], 0.1),
        more_than([curve[-1] for curve in measured.curves("near")], 0.9),
    ]
    return Judgement(verdict(required), because)


def plot(figure: Figure, measured: Measured) -> None:
    """Error and share of near picks against the cosine."""
    axes = figure.subplots()
    axes.plot(COSINES, measured.curve("errors"), "o-", label="wrong key has the largest weight")
    axes.plot(COSINES, measured.curve("near"), "o--", label="of these, the near key")
    axes.set(xlabel="cosine of the two keys", ylabel="share", ylim=(-0.02, 1.02))
    axes.legend()


CLAIM = Claim(
    id="A13",
    title="Confusing similar keys",
    said="a beginner's note on attention",
    claim="Where attention goes wrong, it confuses the key it wants with one that is similar.",
    expected=Verdict.HOLDS,
    rule="The share of wrong picks rises with the cosine of two keys (rank correlation above 0.8, by more than 0.1 "
    "from cosine 0 to 0.99), and at 0.99 more than 0.9 of them are the near key, each by three standard errors over "
    "the seeds, else undecided.",
    changed="The rule: means over three seeds had been compared without their errors (error 0.000 at cosine 0 and "
    "0.247 at 0.99, where all wrong picks were the near key: holds).",
    cost="instant",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
