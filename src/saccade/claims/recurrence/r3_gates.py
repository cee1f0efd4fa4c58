"""R3: gates let a gradient survive longer."""

import math
from collections.abc import Sequence

import torch
from torch import Generator, Tensor, nn

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import more_than, verdict, with_error
from saccade.claims.measuring.curve_fitting import line
from saccade.claims.measuring.gradients import Step, surviving_gradient

LAGS = 100
WIDTH, ROWS = 31, 17
NETWORKS = ("tanh", "LSTM, forget bias 1", "GRU", "LSTM, forget bias 5", "GRU, keep bias 5")
START, OPEN = NETWORKS[1:3], NETWORKS[3:]


def measure(generator: Generator, progress: Progress) -> Findings:
    """The gradient plot of R1, for cells as torch starts them and for cells whose gates are biased to keep.

    Float64: what is left after a hundred steps of a plain network would be zero in float32.
    """
    inputs = torch.randn(LAGS, ROWS, WIDTH, generator=generator, dtype=torch.float64)
    found: Findings = {}
    for done, name in enumerate(NETWORKS):
        step, size = _network(name)
        start = 0.1 * torch.randn(ROWS, size, generator=generator, dtype=torch.float64)
        found[name] = surviving_gradient(step, start, inputs, generator)
        progress((done + 1) / len(NETWORKS))
    return found


def _network(name: str) -> tuple[Step, int]:
    """A step from state to state; the state of an LSTM is its output and its cell, side by side."""
    if name == "tanh":
        return nn.RNNCell(WIDTH, WIDTH).double(), WIDTH
    if name.startswith("GRU"):
        gru = nn.GRUCell(WIDTH, WIDTH).double()
        # torch's z is the share that is kept; its rows stand in the middle.
        _set_bias(gru, slice(WIDTH, 2 * WIDTH), 5.0 if "keep" in name else 0.0)
        return gru, WIDTH
    lstm = nn.LSTMCell(WIDTH, WIDTH).double()
    _set_bias(lstm, slice(WIDTH, 2 * WIDTH), float(name[-1]))

    def step(x: Tensor, state: Tensor) -> Tensor:
        return torch.cat(lstm(x, tuple(state.chunk(2, dim=1))), dim=1)

    return step, 2 * WIDTH


def _set_bias(cell: nn.RNNCellBase, rows: slice, value: float) -> None:
    with torch.no_grad():
        cell.bias_ih[rows] = value
        cell.bias_hh[rows] = 0.0


def judge(measured: Measured) -> Judgement:
    """Compares slopes: whether each is at least five times flatter than the plain network's."""
    slopes = {name: [_slope(curve) for curve in measured.curves(name)] for name in NETWORKS}
    because = "the factor each step multiplies the gradient by: " + "; ".join(
        f"{name} {with_error([math.exp(slope) for slope in slopes[name]])}" for name in NETWORKS
    )
    # A slope may be a little above zero: what counts is how steep it is.
    flat = {
        name: more_than([abs(a) - 5 * abs(b) for a, b in zip(slopes["tanh"], slopes[name], strict=True)], 0.0)
        for name in (*START, *OPEN)
    }
    decided = verdict([flat[name] for name in OPEN], [flat[name] for name in START])
    if decided == Verdict.CAVEAT:
        because += ". Gates let the gradient through once they stand open; as a network starts, they hardly do"
    return Judgement(decided, because + ".")


def _slope(norms: Sequence[float]) -> float:
    return line(range(1, LAGS + 1), [math.log(norm) for norm in norms]).slope


def plot(figure: Figure, measured: Measured) -> None:
    """Norm against lag, logarithmic."""
    axes = figure.subplots()
    for name in NETWORKS:
        axes.semilogy(range(1, LAGS + 1), measured.curve(name), "--" if name in OPEN else "-", label=name)
    axes.set(xlabel="steps back", ylabel="gradient that survives", ylim=(1e-40, 100))
    axes.legend()


CLAIM = Claim(
    id="R3",
    title="Gates against vanishing gradients",
    said="Hochreiter and Schmidhuber 1997; Cho et al. 2014; every introduction to recurrent networks",
    claim="The gates of LSTM and GRU keep the gradient from vanishing.",
    expected=Verdict.CAVEAT,
    rule="Holds if, with torch's initial weights, the logarithm of the gradient falls at least 5 times slower with the "
    "lag in an LSTM with forget bias 1 and in a GRU than in a tanh network, by three standard errors over the seeds. "
    "Holds with a caveat if that is clearly so only once the gates are biased open (bias 5); undecided if not even "
    "that is clear. Expected: a caveat, since an LSTM's sigmoid(1) = 0.73 a step is not 5 "
    "times flatter than the 1/√3 = 0.58 of a tanh network with such weights.",
    changed="The experiment: in float32 the gradient of the tanh network became zero before 70 steps, which bent the "
    "line (0.353 a step; in float64 0.469). Then the rule: it had compared means over three seeds without their errors "
    "(tanh 0.469 a step, LSTM 0.816, GRU 0.622; with open gates 1.015 and 0.992: a caveat).",
    cost="instant",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
