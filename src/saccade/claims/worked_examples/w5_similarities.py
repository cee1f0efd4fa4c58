"""W5: two formulas for similarity that do not rank alike."""

import math

import torch
from torch import Generator, Tensor
from torch.nn import functional

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed

QUERY = (1.0, 1.0)
KEYS = ((1.0, 1.0), (3.0, 1.0), (0.0, 2.5))
"""The first points where the query points, the second is longer and points elsewhere."""

ROWS, RANDOM_KEYS, WIDTH = 500, 7, 11


def cosine(query: Tensor, keys: Tensor) -> Tensor:
    """q.k / (|q| |k|)."""
    return functional.normalize(query, dim=-1) @ functional.normalize(keys, dim=-1).transpose(-2, -1)


def scaled(query: Tensor, keys: Tensor) -> Tensor:
    """q.k / sqrt(d_k)."""
    return query @ keys.transpose(-2, -1) / math.sqrt(keys.shape[-1])


def measure(generator: Generator, progress: Progress) -> Findings:
    """One example by hand, then how often the two rank random keys alike, of unequal length and of equal length."""
    query, keys = torch.tensor([QUERY], dtype=torch.float64), torch.tensor(KEYS, dtype=torch.float64)
    queries = torch.randn(ROWS, 1, WIDTH, generator=generator)
    unequal = torch.randn(ROWS, RANDOM_KEYS, WIDTH, generator=generator)
    progress(1.0)
    return {
        "cosine": cosine(query, keys)[0].tolist(),
        "scaled": scaled(query, keys)[0].tolist(),
        "alike, unequal norms": _alike(queries, unequal),
        "alike, equal norms": _alike(queries, functional.normalize(unequal, dim=-1)),
    }


def _alike(queries: Tensor, keys: Tensor) -> float:
    ranks = [similarity(queries, keys).squeeze(1).argsort(dim=1) for similarity in (cosine, scaled)]
    return (ranks[0] == ranks[1]).all(dim=1).double().mean().item()


def judge(measured: Measured) -> Judgement:
    """Alike for equal norms, not for unequal ones."""
    unequal, equal = measured.mean("alike, unequal norms"), measured.smallest("alike, equal norms")
    because = (
        f"query {QUERY}, keys {', '.join(map(str, KEYS))}: cosine {listed(measured.curve('cosine'), 4)}, scaled dot "
        f"product {listed(measured.curve('scaled'), 4)}: the first prefers the first key, the second the second. Of "
        f"random queries {unequal:.0%} rank {RANDOM_KEYS} keys alike under both; of keys with equal norms, {equal:.0%}."
    )
    by_hand = _highest(measured.curve("cosine")) == 0 and _highest(measured.curve("scaled")) == 1
    return Judgement(Verdict.CAVEAT if by_hand and unequal < 0.5 and equal == 1 else Verdict.FAILS, because)


def _highest(values: list[float]) -> int:
    return values.index(max(values))


def plot(figure: Figure, measured: Measured) -> None:
    """The three keys under both."""
    axes = figure.subplots()
    for shift, name in ((-0.2, "cosine"), (0.2, "scaled")):
        places = [place + shift for place in range(len(KEYS))]
        axes.bar(places, measured.curve(name), width=0.38, label=name if name == "cosine" else "scaled dot product")
    axes.set(xticks=range(len(KEYS)), ylabel="similarity to (1, 1)")
    axes.set_xticklabels([f"key {key}" for key in KEYS])
    axes.legend()


CLAIM = Claim(
    id="W5",
    title="Cosine and scaled dot product",
    said="an introduction to self-attention in slides",
    claim="The scaled dot product of query and key is a similarity in the same sense as the cosine.",
    expected=Verdict.CAVEAT,
    rule="Holds with a caveat if both rank keys alike whenever the keys have equal norms, and fewer than half of "
    "random queries rank seven keys of unequal norms alike; by hand, each prefers another of three keys.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
