"""A2: dividing by the root of the key width keeps the softmax from saturating."""

import math

import torch
from torch import Generator

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.toy_networks import attend_by

WIDTHS = (4, 16, 64, 256, 512)
KEYS, QUERIES = 64, 400


def measure(generator: Generator, progress: Progress) -> Findings:
    """Random queries and keys of unit variance: how spread the weights are, and how much gradient gets through."""
    found: dict[str, list[float]] = {
        f"{way} {what}": [] for way in ("scaled", "unscaled") for what in ("entropy", "largest", "gradient")
    }
    for done, width in enumerate(WIDTHS):
        query = torch.randn(QUERIES, width, generator=generator)
        keys = torch.randn(KEYS, width, generator=generator)
        products = query @ keys.T
        for way, scores in (("scaled", products / math.sqrt(width)), ("unscaled", products)):
            weights, _ = attend_by(scores, torch.eye(KEYS))
            entropy = torch.special.entr(weights).sum(dim=1) / math.log(KEYS)
            # The Jacobian of softmax is diag(a) - a a^T; its squared Frobenius norm needs no matrix.
            squares = weights.square().sum(dim=1)
            jacobian = (squares - 2 * weights.pow(3).sum(dim=1) + squares.square()).clamp(min=0).sqrt()
            found[f"{way} entropy"].append(entropy.mean().item())
            found[f"{way} largest"].append(weights.max(dim=1).values.mean().item())
            found[f"{way} gradient"].append(jacobian.mean().item())
        progress((done + 1) / len(WIDTHS))
    return dict(found)


def judge(measured: Measured) -> Judgement:
    """Flat with the factor, collapsed without it."""
    scaled, unscaled = measured.curve("scaled entropy"), measured.curve("unscaled entropy")
    flat = max(scaled) - min(scaled) < 0.05
    collapsed = all(share < 0.2 for share, width in zip(unscaled, WIDTHS, strict=True) if width >= 64)
    because = (
        f"key widths {', '.join(map(str, WIDTHS))}, {KEYS} keys. Entropy as a share of its maximum: scaled "
        f"{listed(scaled)}, unscaled {listed(unscaled)}. Largest weight: scaled "
        f"{listed(measured.curve('scaled largest'))}, unscaled {listed(measured.curve('unscaled largest'))}."
    )
    return Judgement(Verdict.HOLDS if flat and collapsed else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Entropy and gradient against width."""
    for axes, what, label in zip(
        figure.subplots(1, 3),
        ("entropy", "largest", "gradient"),
        ("entropy / maximum", "largest weight", "gradient of softmax"),
        strict=True,
    ):
        for way in ("scaled", "unscaled"):
            axes.semilogx(WIDTHS, measured.curve(f"{way} {what}"), "o-", base=2, label=way)
        axes.set(xlabel="width of a key", title=label, ylim=(0, None))
    figure.axes[0].legend()


CLAIM = Claim(
    id="A2",
    title="Scaling by the root of the key width",
    said="Vaswani et al. 2017, section 3.2.1",
    claim="Dot products grow with the width of the keys; dividing them by its root keeps the softmax out of the region "
    "where it is all but one-hot.",
    expected=Verdict.HOLDS,
    rule="With 64 random keys, the entropy of the scaled weights varies by less than 0.05 of its maximum between "
    "widths 4 and 512; that of the unscaled ones is below 0.2 of the maximum from width 64 on.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
