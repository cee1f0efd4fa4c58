"""A27: one weight for each item, and one for each item and feature."""

from functools import partial

import torch
from torch import Generator, Tensor, nn

from saccade.attention.alignment import Soft
from saccade.attention.multi_dimensional import MultiDimensionalAttention
from saccade.attention.scores import Additive
from saccade.attention.single_query import Attention
from saccade.claims.claim import Claim, Judgement, Measured, Verdict
from saccade.claims.measuring.comparison import clearly, verdict
from saccade.claims.measuring.toy_networks import OneLook
from saccade.claims.measuring.variants import Task, VariantsOnTasks, codes, everything

ITEMS, NAMES, WIDTH, SHADES, HIDDEN = 8, 8, 12, 4, 32
STEPS, ROWS, TEST = 400, 64, 1000


def single() -> OneLook:
    """A weight for each item."""
    score = Additive(2 * WIDTH, WIDTH, HIDDEN)
    for matrix in (score.query, score.key):
        nn.init.xavier_uniform_(matrix.weight)
    nn.init.normal_(score.vector, std=HIDDEN**-0.5)
    return OneLook(Attention(score, Soft()), 2 * SHADES, SHADES * SHADES)


class Multi(nn.Module):
    """A weight for each item and feature."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = MultiDimensionalAttention(2 * WIDTH, WIDTH, 2 * SHADES, HIDDEN)
        self.output = nn.Linear(2 * SHADES, SHADES * SHADES)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """The scores of the pairs of shades."""
        scores: Tensor = self.output(self.attention(query.unsqueeze(1), keys, values, everything(keys))[:, 0])
        return scores


def two_features(rows: int, generator: Generator, one_item: bool) -> Task:
    """The colour of the item that is named first and the size of the one that is named second, as one class.

    Each item has a name, a colour and a size; where one item is enough, both names are the same.
    """
    names = torch.rand(rows, NAMES, generator=generator).argsort(-1)[:, :ITEMS]
    shades = torch.randint(SHADES, (2, rows, ITEMS), generator=generator)
    first, second = torch.randint(ITEMS, (2, rows), generator=generator)
    if one_item:
        second = first
    each = torch.arange(rows)
    vectors, known = codes(NAMES, WIDTH), torch.eye(SHADES)
    query = torch.cat([vectors[names[each, first]], vectors[names[each, second]]], dim=-1)
    values = 3 * torch.cat([known[shades[0]], known[shades[1]]], dim=-1)
    return (query, vectors[names], values), SHADES * shades[0, each, first] + shades[1, each, second]


EXPERIMENT = VariantsOnTasks(
    networks={"single": single, "multi-dimensional": Multi},
    tasks={"two items": partial(two_features, one_item=False), "one item": partial(two_features, one_item=True)},
    steps=STEPS,
    rows=ROWS,
    test=TEST,
    chance=1 / SHADES**2,
)


def judge(measured: Measured) -> Judgement:
    """Multi-dimensional must be ahead where two items are needed, and need not be where one is."""
    ahead = clearly(measured, "two items, multi-dimensional", over="two items, single", by=0.1)
    no_worse = clearly(measured, "one item, multi-dimensional", over="one item, single", by=-0.05)
    return Judgement(verdict([ahead], [no_worse]), EXPERIMENT.stated(measured))


CLAIM = Claim(
    id="A27",
    title="A weight for each feature",
    said="the survey of Brauwers and Frasincar, after Shen et al. 2018",
    claim="Where different features must come from different items, a weight for each item and feature is better than "
    "a weight for each item.",
    expected=Verdict.HOLDS,
    rule="Asked for the colour of one item and the size of another, multi-dimensional attention gets at least 10 "
    "points more right than single-dimensional attention, by three standard errors of the mean over seeds; if it is "
    "more than 5 points worse where one item has both, or the seeds do not say, there is a caveat.",
    cost="minutes",
    seeds=3,
    measure=EXPERIMENT.measure,
    judge=judge,
    plot=EXPERIMENT.plot,
)
