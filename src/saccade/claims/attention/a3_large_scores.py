"""A3: what large scores do to a softmax."""

import torch
from torch import Generator, Tensor

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.toy_networks import attend_by

SCALES = (1.0, 10.0, 100.0, 1e3, 1e4)
KEYS, ROWS = 17, 29


def measure(generator: Generator, progress: Progress) -> Findings:
    """Scores up to 1e4 through e^x / sum e^x as it is written, and through saccade's attention."""
    scores = torch.rand(ROWS, KEYS, generator=generator)
    values = torch.randn(KEYS, 1, generator=generator)
    naive, stable, gradients = [], [], []
    for done, scale in enumerate(SCALES):
        large = (scale * scores).requires_grad_()
        naive.append(_finite(large.exp() / large.exp().sum(dim=1, keepdim=True)))
        weights, context = attend_by(large, values)
        stable.append(_finite(weights))
        (gradient,) = torch.autograd.grad(context.sum(), large)
        # In the median row: one row with two nearly equal scores would hide what happens to the others.
        gradients.append(gradient.norm(dim=1).median().item())
        progress((done + 1) / len(SCALES))
    return {"naive": naive, "stable": stable, "gradient": gradients}


def _finite(weights: Tensor) -> float:
    return weights.isfinite().all(dim=1).double().mean().item()


def judge(measured: Measured) -> Judgement:
    """The overflow belongs to one way of computing; the vanishing gradient does not."""
    naive, stable, gradient = (measured.curve(name) for name in ("naive", "stable", "gradient"))
    because = (
        f"scores up to 1e4: as written, {1 - naive[-1]:.0%} of rows overflow; with the maximum subtracted first, "
        f"{1 - stable[-1]:.0%} do. The gradient of a median row falls from {gradient[0]:.2f} at scores up to 1 to "
        f"{gradient[-1]:.0e} at scores up to 1e4: large scores harm learning, not arithmetic."
    )
    if naive[-1] == 0 and min(stable) == 1 and gradient[-1] < 1e-6:
        return Judgement(Verdict.FAILS, because)
    return Judgement(Verdict.HOLDS if min(stable) < 1 else Verdict.CAVEAT, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Finite rows and gradient against the size of the scores."""
    finite, gradient = figure.subplots(1, 2)
    for name, label in (("naive", "as written"), ("stable", "maximum subtracted")):
        finite.semilogx(SCALES, measured.curve(name), "o-", label=label)
    finite.set(xlabel="largest score", ylabel="share of finite rows", ylim=(-0.05, 1.05))
    finite.legend(loc="lower left")
    gradient.loglog(SCALES, [max(norm, 1e-12) for norm in measured.curve("gradient")], "o-")
    gradient.set(xlabel="largest score", ylabel="gradient of a median row (at least 1e-12)")


CLAIM = Claim(
    id="A3",
    title="Large scores and e^x",
    said="introductions to attention, as the reason for the scaling",
    claim="Scores are divided by a root because large inputs make the exponentials numerically unstable.",
    expected=Verdict.FAILS,
    rule="Does not hold if, for scores up to 1e4, the formula as written overflows in every row, the softmax that "
    "subtracts the maximum in none, and the gradient is below 1e-6 all the same.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
