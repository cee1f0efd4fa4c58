"""A14: attention computes its mixing weights from what it reads; a convolution has learnt them once for all."""

import torch
from torch import Generator, Tensor, nn

from saccade.attention.attend import explicit
from saccade.attention.masks import Visibility
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.gradients import influence

LENGTH, WIDTH, INPUTS = 7, 5, 11
NETWORKS = ("attention", "convolution", "dense")


def measure(generator: Generator, progress: Progress) -> Findings:
    """The effective mixing matrix |d out_i / d in_j| of one layer, for several inputs."""
    convolution = nn.Conv1d(WIDTH, WIDTH, 3, padding=1)
    dense = nn.Linear(LENGTH * WIDTH, LENGTH * WIDTH)

    def attend(x: Tensor) -> Tensor:
        context: Tensor = explicit(x[None], x[None], x[None], Visibility()).context[0]
        return context

    networks = {
        "attention": attend,
        "convolution": lambda x: convolution(x.transpose(1, 2)).transpose(1, 2),
        "dense": lambda x: dense(x.flatten(1)).view(1, LENGTH, WIDTH),
    }
    inputs = torch.randn(INPUTS, 1, LENGTH, WIDTH, generator=generator)
    found: Findings = {}
    for name, network in networks.items():
        mixing = torch.stack([influence(network, x) for x in inputs])
        # The largest change of an entry between inputs, relative to the matrix's own mean.
        found[name] = ((mixing.amax(dim=0) - mixing.amin(dim=0)).max() / mixing.mean()).item()
        found[f"{name}, one input"] = mixing[0].tolist()
        found[f"{name}, another"] = mixing[1].tolist()
        progress(len(found) / 9)
    return found


def judge(measured: Measured) -> Judgement:
    """Varies, does not, does not."""
    because = "largest change of an entry between inputs, relative to the mean entry: " + ", ".join(
        f"{name} {measured.mean(name):.2g}" for name in NETWORKS
    )
    varies = measured.smallest("attention") > 0.1
    constant = max(measured.largest("convolution"), measured.largest("dense")) < 1e-5
    return Judgement(Verdict.HOLDS if varies and constant else Verdict.FAILS, because + ".")


def plot(figure: Figure, measured: Measured) -> None:
    """The mixing matrices for two inputs."""
    panels = figure.subplots(2, 3)
    for row, which in zip(panels, ("one input", "another"), strict=True):
        for axes, name in zip(row, NETWORKS, strict=True):
            axes.imshow(measured.matrix(f"{name}, {which}"), cmap="viridis")
            axes.set(title=f"{name}, {which}", xticks=[], yticks=[])


CLAIM = Claim(
    id="A14",
    title="Weights made from the data",
    said="introductions to attention",
    claim="What attention multiplies a position's neighbours with depends on the data, unlike the weights of a "
    "convolution or a dense layer.",
    expected=Verdict.HOLDS,
    rule="Over several inputs, entries of the mixing matrix d out_i / d in_j change by more than 0.1 of its mean for "
    "attention and by less than 1e-5 for a linear convolution and a dense layer.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
