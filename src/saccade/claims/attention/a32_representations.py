"""A32: two vectors of the same item, of which one may be worthless."""

from functools import partial

import torch
from torch import Generator, Tensor, nn

from saccade.attention.multi_representational import MultiRepresentationalAttention
from saccade.claims.claim import Claim, Judgement, Measured, Verdict
from saccade.claims.measuring.comparison import clearly, verdict
from saccade.claims.measuring.variants import Task, VariantsOnTasks, codes

FIRST, SECOND, WIDTH, CLASSES = 12, 20, 16, 24
STEPS, ROWS, TEST = 600, 128, 2000


class Mean(nn.Module):
    """The mean of both, each through its own matrix."""

    def __init__(self) -> None:
        super().__init__()
        self.projections = nn.ModuleList(nn.Linear(width, WIDTH) for width in (FIRST, SECOND))

    def forward(self, representations: list[Tensor]) -> Tensor:
        """One vector for each item."""
        both = [projection(each) for projection, each in zip(self.projections, representations, strict=True)]
        return torch.stack(both).mean(0)


class Recogniser(nn.Module):
    """One vector of two, and a class for it."""

    def __init__(self, mixing: nn.Module) -> None:
        super().__init__()
        self.mixing = mixing
        self.output = nn.Linear(WIDTH, CLASSES)

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        """The scores of the classes."""
        scores: Tensor = self.output(self.mixing([first.unsqueeze(1), second.unsqueeze(1)])[:, 0])
        return scores


def items(rows: int, generator: Generator, worthless: bool) -> Task:
    """Two vectors of the class, a little noisy. One of them may be that of another class, and then is marked as such.

    The last number of each vector says how far it can be trusted, as a rare word's vector is shorter than others.
    """
    wanted, other = torch.randint(CLASSES, (2, rows), generator=generator)
    bad = torch.randint(2, (rows,), generator=generator) if worthless else torch.full((rows,), 2)
    sides = []
    for side, width in enumerate((FIRST, SECOND)):
        own = torch.where(bad == side, other, wanted)
        vectors = 2 * codes(CLASSES, width - 1)[own] + 0.2 * torch.randn(rows, width - 1, generator=generator)
        sides.append(torch.cat([vectors, 2.0 * (bad != side).float().unsqueeze(1)], dim=1))
    return (sides[0], sides[1]), wanted


EXPERIMENT = VariantsOnTasks(
    networks={
        "mean": lambda: Recogniser(Mean()),
        "attention": lambda: Recogniser(MultiRepresentationalAttention([FIRST, SECOND], WIDTH)),
    },
    tasks={"one is worthless": partial(items, worthless=True), "both are good": partial(items, worthless=False)},
    steps=STEPS,
    rows=ROWS,
    test=TEST,
    chance=1 / CLASSES,
)


def judge(measured: Measured) -> Judgement:
    """Attention must be ahead where one vector is worthless."""
    ahead = clearly(measured, "one is worthless, attention", over="one is worthless, mean", by=0.1)
    no_worse = clearly(measured, "both are good, attention", over="both are good, mean", by=-0.05)
    return Judgement(verdict([ahead], [no_worse]), EXPERIMENT.stated(measured))


CLAIM = Claim(
    id="A32",
    title="Several vectors of one word",
    said="Kiela et al. 2018, in the survey of Brauwers and Frasincar",
    claim="Where a word has several vectors, attention among them is better than their mean.",
    expected=Verdict.HOLDS,
    rule="Where one of two vectors is that of another class and says that it cannot be trusted, attention gets at "
    "least 10 points more right than the mean, by three standard errors of the mean over seeds; if it is more than 5 "
    "points worse where both are good, or the seeds do not say, there is a caveat.",
    cost="minutes",
    seeds=3,
    measure=EXPERIMENT.measure,
    judge=judge,
    plot=EXPERIMENT.plot,
)
