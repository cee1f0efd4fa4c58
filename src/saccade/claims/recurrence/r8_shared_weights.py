"""R8: sharing weights over time keeps the number of parameters independent of the length."""

import torch
from torch import Generator, nn

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.curve_fitting import line
from saccade.weights import parameter_count

LENGTHS = (1, 5, 10, 20, 50, 100)
WIDTH = 64


def measure(generator: Generator, progress: Progress) -> Findings:  # noqa: ARG001 nothing here is random
    """Counts the parameters of a tanh network and of a perceptron that reads the whole window at once."""
    recurrent, window = [], []
    with torch.device("meta"):
        for length in LENGTHS:
            recurrent.append(float(parameter_count(nn.RNN(WIDTH, WIDTH))))
            window.append(float(parameter_count(nn.Sequential(nn.Linear(length * WIDTH, WIDTH), nn.Tanh()))))
    progress(1.0)
    return {"recurrent": recurrent, "window": window}


def judge(measured: Measured) -> Judgement:
    """Constant against linear."""
    recurrent, window = measured.curve("recurrent"), measured.curve("window")
    growth = line(LENGTHS, window)
    because = (
        f"for a window of {LENGTHS[0]} and of {LENGTHS[-1]} tokens: recurrent {recurrent[0]:,.0f} and "
        f"{recurrent[-1]:,.0f} parameters, perceptron {window[0]:,.0f} and {window[-1]:,.0f} ({growth.slope:,.0f} more "
        "a token). For a window of one token the perceptron is the smaller one."
    )
    passed = len(set(recurrent)) == 1 and growth.slope > 0 and growth.explained > 0.9999 and window[-1] > recurrent[-1]
    return Judgement(Verdict.HOLDS if passed else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Parameters against length."""
    axes = figure.subplots()
    axes.plot(LENGTHS, measured.curve("recurrent"), "o-", label="recurrent network")
    axes.plot(LENGTHS, measured.curve("window"), "o-", label="perceptron over the window")
    axes.set(xlabel="tokens in the window", ylabel="parameters")
    axes.legend()


CLAIM = Claim(
    id="R8",
    title="Shared weights",
    said="introductions to recurrent networks",
    claim="Because it uses the same weights at every position, a recurrent network needs fewer parameters than a "
    "perceptron over the same window.",
    expected=Verdict.HOLDS,
    rule="The recurrent network has the same number of parameters for every length; the perceptron's grows linearly "
    "and is the larger one for the longest window.",
    cost="instant",
    seeds=1,
    measure=measure,
    judge=judge,
    plot=plot,
)
