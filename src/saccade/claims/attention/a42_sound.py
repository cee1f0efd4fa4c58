"""A42: attention over the moments of real speech."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor, nn

from saccade.attention.learned_query import LearnedQueryAttention
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import clearly, stated, verdict
from saccade.claims.measuring.real_data import vowels
from saccade.claims.measuring.toy_training import share
from saccade.claims.measuring.variants import Task, plot_variants, right, teach_variant
from saccade.data.measurements import CHANNELS

WIDTH, SPEAKERS, STEPS, ROWS = 32, 9, 400, 64


class Listener(nn.Module):
    """Each moment on its own, all of them as one vector, and who it was."""

    def __init__(self, pool: nn.Module) -> None:
        super().__init__()
        self.moment = nn.Sequential(nn.Linear(CHANNELS, WIDTH), nn.ReLU())
        self.pool = pool
        self.output = nn.Linear(WIDTH, SPEAKERS)

    def forward(self, sounds: Tensor, real: Tensor) -> Tensor:
        """The scores of the speakers."""
        scores: Tensor = self.output(self.pool(self.moment(sounds), real))
        return scores


class Mean(nn.Module):
    """All moments alike."""

    def forward(self, items: Tensor, real: Tensor) -> Tensor:
        """The mean of the real ones."""
        return (items * real.unsqueeze(2)).sum(dim=1) / real.sum(dim=1, keepdim=True)


class Convolved(nn.Module):
    """Moments with their neighbours, and then the mean."""

    def __init__(self) -> None:
        super().__init__()
        self.neighbours = nn.Conv1d(WIDTH, WIDTH, 3, padding=1)
        self.mean = Mean()

    def forward(self, items: Tensor, real: Tensor) -> Tensor:
        """The mean of what was made of each moment."""
        seen = (items * real.unsqueeze(2)).transpose(1, 2)
        mean: Tensor = self.mean(self.neighbours(seen).relu().transpose(1, 2), real)
        return mean


VARIANTS: dict[str, Callable[[], nn.Module]] = {
    "attention": lambda: LearnedQueryAttention(WIDTH, WIDTH),
    "mean": Mean,
    "convolution and mean": Convolved,
}


def measure(generator: Generator, progress: Progress) -> Findings:
    """Every listener learns from the same sounds."""
    sounds, real, speakers = vowels("train")
    *heard, wanted = vowels("test")
    found: Findings = {}

    def draw() -> Task:
        rows = torch.randint(len(sounds), (ROWS,), generator=generator)
        return (sounds[rows], real[rows]), speakers[rows]

    for done, (name, pool) in enumerate(VARIANTS.items()):
        network = Listener(pool())
        teach_variant(network, draw, STEPS, share(progress, done, len(VARIANTS)), rate=5e-3)
        found[name] = right(network, (tuple(heard), wanted))
    return found


def judge(measured: Measured) -> Judgement:
    """Weighing moments must be ahead of their mean."""
    because = f"speakers right, of 89 sounds: {stated(measured, list(VARIANTS))}; chance is {1 / SPEAKERS:.2f}."
    required = [clearly(measured, "attention", over="mean", by=0.01)]
    wanted = [clearly(measured, "attention", over="convolution and mean", by=-0.05)]
    return Judgement(verdict(required, wanted), because)


def plot(figure: Figure, measured: Measured) -> None:
    """Seed by seed."""
    plot_variants(figure, measured, {"who speaks": list(VARIANTS)}, 1 / SPEAKERS)


CLAIM = Claim(
    id="A42",
    title="Attention over sound",
    said="introductions to attention; Chan et al. 2016",
    claim="Attention finds the moments of a sound that matter, and so knows more than their mean does.",
    expected=Verdict.HOLDS,
    rule="Nine people speak a vowel, recorded as twelve numbers for each moment. Who it is, a network that weighs the "
    "moments by attention says right more often than one that takes their mean, by more than 0.01, by three standard "
    "errors over the seeds. A caveat if it is not clearly less than 0.05 behind a network with a convolution over "
    "neighbouring moments.",
    cost="minutes",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
