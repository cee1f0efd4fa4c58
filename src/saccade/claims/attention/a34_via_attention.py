"""A34: what was found on an upper level says where to look on a lower one."""

from functools import partial

import torch
from torch import Generator, Tensor, nn

from saccade.attention.alignment import Soft
from saccade.attention.hierarchical import AttentionViaAttention
from saccade.attention.scores import General
from saccade.attention.single_query import Attention
from saccade.claims.claim import Claim, Judgement, Measured, Verdict
from saccade.claims.measuring.comparison import clearly, verdict
from saccade.claims.measuring.variants import Task, VariantsOnTasks, codes, everything

HIGH, LOW, NAMES, CODE, CLASSES = 4, 5, 10, 12, 5
STEPS, ROWS, TEST = 1500, 64, 1000


class Separately(nn.Module):
    """The same query on both levels, neither of which hears the other."""

    def __init__(self) -> None:
        super().__init__()
        self.high = Attention(General(CODE, 2 * CODE), Soft())
        self.low = Attention(General(CODE, CODE + CLASSES), Soft())

    def forward(self, query: Tensor, high: Tensor, h_: Tensor, low: Tensor, l_: Tensor) -> Tensor:
        """What was found above and below, side by side."""
        return torch.cat([self.high.pool(query, high, h_), self.low.pool(query, low, l_)], dim=-1)


def _via() -> nn.Module:
    high = Attention(General(CODE, 2 * CODE), Soft())
    return AttentionViaAttention(high, Attention(General(3 * CODE, CODE + CLASSES), Soft()))


class Reader(nn.Module):
    """What was found, and a class for it."""

    def __init__(self, attention: nn.Module) -> None:
        super().__init__()
        self.attention = attention
        self.output = nn.Sequential(nn.Linear(3 * CODE + CLASSES, 64), nn.ReLU(), nn.Linear(64, CLASSES))

    def forward(self, query: Tensor, high: Tensor, low: Tensor) -> Tensor:
        """The scores of the classes."""
        scores: Tensor = self.output(self.attention(query, high, everything(high), low, everything(low)))
        return scores


def levels(rows: int, generator: Generator, two_steps: bool) -> Task:
    """Above, pairs of names; below, a name and a class each. Wanted is the class of the name paired with the query's.

    In one step, the class of the query's own name.
    """
    names = torch.rand(rows, NAMES, generator=generator).argsort(-1)
    pointed = torch.rand(rows, NAMES, generator=generator).argsort(-1)
    classes = torch.randint(CLASSES, (rows, LOW), generator=generator)
    # Everything that is pointed at or asked for is among the first names below.
    below = pointed[:, :LOW]
    place = torch.randint(HIGH, (rows,), generator=generator)
    each, vectors = torch.arange(rows), codes(NAMES, CODE)
    asked = names[each, place] if two_steps else below[each, place]
    high = torch.cat([vectors[names[:, :HIGH]], vectors[below[:, :HIGH]]], dim=-1)
    low = torch.cat([vectors[below], torch.eye(CLASSES)[classes]], dim=-1)
    return (3 * vectors[asked], 3 * high, 3 * low), classes[each, place]


EXPERIMENT = VariantsOnTasks(
    networks={"separately": lambda: Reader(Separately()), "via attention": lambda: Reader(_via())},
    tasks={"in two steps": partial(levels, two_steps=True), "in one step": partial(levels, two_steps=False)},
    steps=STEPS,
    rows=ROWS,
    test=TEST,
    chance=1 / CLASSES,
)


def judge(measured: Measured) -> Judgement:
    """It must be ahead where two steps are needed."""
    ahead = clearly(measured, "in two steps, via attention", over="in two steps, separately", by=0.1)
    no_worse = clearly(measured, "in one step, via attention", over="in one step, separately", by=-0.05)
    return Judgement(verdict([ahead], [no_worse]), EXPERIMENT.stated(measured))


CLAIM = Claim(
    id="A34",
    title="Attention via attention",
    said="the survey of Brauwers and Frasincar, after Zhao and Zhang 2018",
    claim="A lower level is read better if it knows what was found on the upper one.",
    expected=Verdict.HOLDS,
    rule="Where the upper level says which item of the lower one is wanted, attention-via-attention gets at least 10 "
    "points more right than attention to both levels separately, by three standard errors of the mean over seeds; if "
    "it is more than 5 points worse where the query itself says so, or the seeds do not say, there is a caveat.",
    cost="minutes",
    seeds=3,
    measure=EXPERIMENT.measure,
    judge=judge,
    plot=EXPERIMENT.plot,
)
