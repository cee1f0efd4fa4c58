"""R10: a model that reads what it wrote itself carries its errors along."""

import torch
from torch import Generator, Tensor

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.comparison import more_than, verdict, with_error
from saccade.claims.measuring.curve_fitting import line
from saccade.claims.measuring.toy_networks import Answering, RecurrentReader
from saccade.claims.measuring.toy_training import cross_entropy, learn

STATES, LENGTH, WIDTH, STEPS, ROWS = 40, 20, 24, 120, 32
NOISE = 0.03
"""How often the truth itself is another state than the usual one: a model cannot become certain."""


def measure(generator: Generator, progress: Progress) -> Findings:
    """Learns a chain of states, then continues from the first state, reading the truth or its own choices.

    The chain is a fixed tour through all states, with a little noise while learning. Without noise the truth is known
    at every position, and what a sample says is right or wrong.
    """
    after = torch.randperm(STATES, generator=generator)
    network = Answering(RecurrentReader(STATES, WIDTH), WIDTH, STATES)

    def loss() -> Tensor:
        walk = tour(after, ROWS, NOISE, generator)
        return cross_entropy(network(walk[:, :-1]), walk[:, 1:])

    learn(network, loss, STEPS, progress, rate=1e-2)
    truth = tour(after, 2000, 0.0, generator)
    with torch.no_grad():
        forced = _drawn(network(truth[:, :-1]), generator)
        written = truth[:, :1]
        for _ in range(LENGTH - 1):
            written = torch.cat([written, _drawn(network(written)[:, -1:], generator)], dim=1)
    return {
        "teacher forcing": (forced != truth[:, 1:]).double().mean(dim=0).tolist(),
        "free running": (written[:, 1:] != truth[:, 1:]).double().mean(dim=0).tolist(),
    }


def tour(after: Tensor, rows: int, noise: float, generator: Generator) -> Tensor:
    """Walks along the chain from random states."""
    walk = [torch.randint(STATES, (rows,), generator=generator)]
    for _ in range(LENGTH - 1):
        stray = torch.rand(rows, generator=generator) < noise
        walk.append(torch.where(stray, torch.randint(STATES, (rows,), generator=generator), after[walk[-1]]))
    return torch.stack(walk, dim=1)


def _drawn(scores: Tensor, generator: Generator) -> Tensor:
    drawn = torch.multinomial(scores.softmax(dim=-1).flatten(0, 1), 1, generator=generator)
    return drawn.view(scores.shape[:2])


def judge(measured: Measured) -> Judgement:
    """A slope, and none."""
    places = range(1, LENGTH)
    free, forced = measured.curve("free running"), measured.curve("teacher forcing")
    own, told = (
        [line(places, curve).slope for curve in measured.curves(name)] for name in ("free running", "teacher forcing")
    )
    because = (
        f"share of wrong states at positions 2, {LENGTH // 2} and {LENGTH}: free running "
        f"{listed([free[0], free[LENGTH // 2 - 2], free[-1]])}, reading the truth "
        f"{listed([forced[0], forced[LENGTH // 2 - 2], forced[-1]])}; slopes {with_error(own, 4)} and "
        f"{with_error(told, 4)} a position."
    )
    rises = more_than(own, 0.005)
    alone = more_than([a / 5 - b for a, b in zip(own, told, strict=True)], 0.0)
    return Judgement(verdict([rises, alone]), because)


def plot(figure: Figure, measured: Measured) -> None:
    """Errors against position."""
    axes = figure.subplots()
    for name in ("free running", "teacher forcing"):
        axes.plot(range(2, LENGTH + 1), measured.curve(name), "o-", label=name)
    axes.set(xlabel="position", ylabel="share of wrong states", ylim=(0, None))
    axes.legend()


CLAIM = Claim(
    id="R10",
    title="Errors accumulate",
    said="introductions to language models; Bengio et al. 2015 on scheduled sampling",
    claim="An autoregressive model goes on from what it wrote itself, so its errors accumulate.",
    expected=Verdict.HOLDS,
    rule="On a chain whose truth is known, the share of errors of a free-running model rises with the position (slope "
    "above 0.005), and that of the same model reading the truth does not (slope below a fifth of that), each by three "
    "standard errors over the seeds, else undecided.",
    changed="The rule: means over three seeds had been compared without their errors (slopes 0.0235 and -0.0032: "
    "holds), and a fall of the errors counted like a rise, against the rule's own words.",
    cost="seconds",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
