"""R1: through many equal steps a gradient shrinks or grows exponentially."""

import math
from collections.abc import Callable
from functools import partial

import torch
from torch import Generator, Tensor, nn

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.curve_fitting import line
from saccade.claims.measuring.gradients import surviving_gradient

SCALES = (0.5, 0.9, 1.0, 1.1, 1.5)
LAGS = 100
WIDTH, ROWS = 31, 17


def measure(generator: Generator, progress: Progress) -> Findings:
    """h_t = f(rho Q h_{t-1} + x_t) with an orthogonal Q, once with f = tanh and once with no f at all.

    Float64: 0.5^100 would still fit into float32, but its square does not.
    """
    orthogonal = nn.init.orthogonal_(torch.empty(WIDTH, WIDTH, dtype=torch.float64), generator=generator)
    inputs = 0.1 * torch.randn(LAGS, ROWS, WIDTH, generator=generator, dtype=torch.float64)
    start = 0.1 * torch.randn(ROWS, WIDTH, generator=generator, dtype=torch.float64)
    found: Findings = {}
    for done, scale in enumerate(SCALES):
        for name, squash in (("linear", lambda x: x), ("tanh", torch.tanh)):
            step = partial(_step, squash, scale * orthogonal)
            found[f"{name} {scale}"] = surviving_gradient(step, start.clone(), inputs, generator)
        progress((done + 1) / len(SCALES))
    return found


def _step(squash: Callable[[Tensor], Tensor], recurrent: Tensor, x: Tensor, hidden: Tensor) -> Tensor:
    return squash(hidden @ recurrent.T + x)


def judge(measured: Measured) -> Judgement:
    """Straight lines on a logarithmic axis, in the direction rho gives."""
    lags = range(1, LAGS + 1)
    fits = {
        (kind, scale): line(lags, [math.log(norm) for norm in measured.curve(f"{kind} {scale}")])
        for kind in ("linear", "tanh")
        for scale in SCALES
    }
    # At rho = 1 the linear network neither shrinks nor grows: there is no slope whose line could explain anything.
    straight = min(fit.explained for (kind, scale), fit in fits.items() if kind == "tanh" or scale != 1)
    signs = all(fits["linear", scale].slope * math.log(scale) > 0 for scale in SCALES if scale != 1)
    vanishes = all(fits["tanh", scale].slope < 0 for scale in SCALES if scale < 1)
    linear, tanh = ([math.exp(fits[kind, scale].slope) for scale in SCALES] for kind in ("linear", "tanh"))
    because = (
        f"the factor each step multiplies the gradient by, for rho = {', '.join(map(str, SCALES))}: linear "
        f"{listed(linear)}; tanh {listed(tanh)}. Smallest R² of a line through the logarithms: {straight:.3f}."
    )
    return Judgement(Verdict.HOLDS if straight > 0.95 and signs and vanishes else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Norm against lag, logarithmic."""
    panels = figure.subplots(1, 2, sharey=True)
    for axes, kind in zip(panels, ("linear", "tanh"), strict=True):
        for scale in SCALES:
            axes.semilogy(range(1, LAGS + 1), measured.curve(f"{kind} {scale}"), label=f"ρ = {scale}")
        axes.set(title="without a non-linearity" if kind == "linear" else "with tanh", xlabel="steps back")
    panels[0].set_ylabel("gradient that survives")
    panels[1].legend()


CLAIM = Claim(
    id="R1",
    title="Vanishing and exploding gradients",
    said="Bengio et al. 1994; every introduction to recurrent networks",
    claim="A gradient that goes back through t steps of a recurrent network is a product of t Jacobians, so it shrinks "
    "or grows exponentially with t.",
    expected=Verdict.HOLDS,
    rule="The logarithm of the gradient's norm is a straight line in the lag (R² > 0.95) for every scale of the "
    "recurrent matrix; without a non-linearity it falls where the scale is below 1 and rises where it is above; "
    "with tanh it falls where the scale is below 1 (tanh may cap growth).",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
