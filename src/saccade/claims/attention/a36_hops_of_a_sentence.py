"""A36: one look at a sentence, and thirty."""

from functools import partial

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from saccade.claims.claim import Claim, Judgement, Measured, Verdict
from saccade.claims.measuring.comparison import clearly, verdict
from saccade.claims.measuring.variants import Task, VariantsOnTasks, codes, everything
from saccade.models.self_attentive import Annotation

ITEMS, ROLES, CODE, VALUES = 12, 3, 12, 5
HOPS, HIDDEN = 30, 64
STEPS, ROWS, TEST = 800, 64, 1000


class Embedding(nn.Module):
    """M = A H with so many hops, and a class for it: Lin et al. 2017 without its LSTM."""

    def __init__(self, hops: int) -> None:
        super().__init__()
        width = CODE + VALUES
        self.annotation = Annotation(width, HIDDEN, hops)
        self.output = nn.Sequential(nn.Linear(hops * width, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, VALUES))

    def forward(self, items: Tensor) -> Tensor:
        """The scores of the classes."""
        weights = self.annotation(items, everything(items))
        scores: Tensor = self.output((weights @ items).flatten(1))
        return scores


def roles(rows: int, generator: Generator, several: bool) -> Task:
    """Two items play a role of their own, the others a third. Wanted is the difference of the two's values.

    Or, where one is enough, the value of the first. A mean of both items has both values, but not whose they are.
    """
    values = torch.randint(VALUES, (rows, ITEMS), generator=generator)
    places = torch.rand(rows, ITEMS, generator=generator).argsort(-1)
    each = torch.arange(rows)
    played = torch.full((rows, ITEMS), ROLES - 1)
    for role in range(ROLES - 1):
        played[each, places[:, role]] = role
    items = torch.cat([3 * codes(ROLES, CODE)[played], functional.one_hot(values, VALUES).float()], dim=-1)
    first, second = (values[each, places[:, role]] for role in range(ROLES - 1))
    return (items,), (first - second) % VALUES if several else first


EXPERIMENT = VariantsOnTasks(
    networks={"1 hop": lambda: Embedding(1), f"{HOPS} hops": lambda: Embedding(HOPS)},
    tasks={"two items": partial(roles, several=True), "one item": partial(roles, several=False)},
    steps=STEPS,
    rows=ROWS,
    test=TEST,
    chance=1 / VALUES,
)


def judge(measured: Measured) -> Judgement:
    """Thirty must be ahead where two items matter."""
    ahead = clearly(measured, f"two items, {HOPS} hops", over="two items, 1 hop", by=0.1)
    no_worse = clearly(measured, f"one item, {HOPS} hops", over="one item, 1 hop", by=-0.05)
    return Judgement(verdict([ahead], [no_worse]), EXPERIMENT.stated(measured))


CLAIM = Claim(
    id="A36",
    title="One look at a sentence, and thirty",
    said="Lin et al. 2017, section 4.4.2",
    claim="Several hops of attention make a better embedding of a sentence than one.",
    expected=Verdict.HOLDS,
    rule="Where the class depends on the values of two items, each in a role of its own, an embedding of 30 hops gets "
    "at least 10 points more right than one of a single hop, by three standard errors of the mean over seeds; if it is "
    "more than 5 points worse where one item decides, or the seeds do not say, there is a caveat.",
    cost="minutes",
    seeds=3,
    measure=EXPERIMENT.measure,
    judge=judge,
    plot=EXPERIMENT.plot,
)
