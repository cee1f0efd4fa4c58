"""A1: softmax turns scores into weights."""

import torch
from torch import Generator

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.toy_networks import attend_by

CAFETERIA = ([2.6391, 1.6094, 0.0], [0.70, 0.25, 0.05])
"""Scores of three dishes and the weights that should come out."""

ROWS, KEYS = 101, 13


def measure(generator: Generator, progress: Progress) -> Findings:
    """Random scores through saccade's attention, and one row whose weights are known."""
    scores = 2 * torch.randn(ROWS, KEYS, generator=generator, dtype=torch.float64)
    weights, _ = attend_by(scores, torch.eye(KEYS, dtype=torch.float64))
    in_order = weights.argsort(dim=1) == scores.argsort(dim=1)
    known, _ = attend_by(torch.tensor([CAFETERIA[0]], dtype=torch.float64), torch.eye(3, dtype=torch.float64))
    progress(1.0)
    return {
        "missing": (weights.sum(dim=1) - 1).abs().max().item(),
        "smallest": weights.min().item(),
        "in order": in_order.double().mean().item(),
        "known": known[0].tolist(),
        "scores": scores[0].tolist(),
        "weights": weights[0].tolist(),
    }


def judge(measured: Measured) -> Judgement:
    """Sum, order, and the known row."""
    known = measured.curve("known")
    close = max(abs(weight - wanted) for weight, wanted in zip(known, CAFETERIA[1], strict=True))
    sums = measured.largest("missing") < 1e-12 and measured.smallest("smallest") > 0
    because = (
        f"{len(measured.seeds) * ROWS} random rows sum to 1 within {measured.largest('missing'):.0e}, the smallest "
        f"weight is {measured.smallest('smallest'):.1e}, {measured.smallest('in order'):.0%} of all ranks are those of "
        f"the scores; scores {listed(CAFETERIA[0], 4)} give {listed(known, 4)}."
    )
    passed = sums and measured.smallest("in order") == 1 and close < 5e-5
    return Judgement(Verdict.HOLDS if passed else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Weight against score, for one random row."""
    axes = figure.subplots()
    first = measured.findings[0]
    axes.plot(first["scores"], first["weights"], "o", label=f"{KEYS} random scores")
    axes.plot(CAFETERIA[0], measured.curve("known"), "D", label="worked example")
    axes.set(xlabel="score", ylabel="weight")
    axes.legend()


CLAIM = Claim(
    id="A1",
    title="Softmax makes weights of scores",
    said="every introduction to attention",
    claim="The softmax turns any scores into positive weights that sum to one, and a larger score gets a larger "
    "weight.",
    expected=Verdict.HOLDS,
    rule="Rows of random scores sum to 1 within 1e-12 in float64, all weights are positive and ranked as the scores "
    "are; the worked example comes out to 4 decimals.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
