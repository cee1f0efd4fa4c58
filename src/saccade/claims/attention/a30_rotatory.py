"""A30: a phrase that asks what surrounds it, once, and again the other way round."""

from functools import partial

import torch
from torch import Generator, Tensor, nn

from saccade.attention.alignment import Soft
from saccade.attention.co_attention import mean_of
from saccade.attention.rotatory import RotatoryAttention
from saccade.attention.scores import General
from saccade.attention.single_query import Attention
from saccade.claims.claim import Claim, Judgement, Measured, Verdict
from saccade.claims.measuring.comparison import clearly, verdict
from saccade.claims.measuring.variants import Task, VariantsOnTasks, codes, everything

AROUND, PHRASE, NAMES, CODE, CLASSES = 5, 3, 24, 16, 5
WIDTH = CODE + CLASSES
STEPS, ROWS, TEST = 800, 64, 1000


def _look() -> Attention:
    return Attention(General(WIDTH, WIDTH), Soft())


class OneTurn(nn.Module):
    """The phrase asks what surrounds it, and is taken as it is: [c_l; mean T; c_r]."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = _look(), _look()

    def forward(self, left: Tensor, l_: Tensor, phrase: Tensor, p_: Tensor, right_: Tensor, r_: Tensor) -> Tensor:
        """What was found."""
        asking = mean_of(phrase, p_)
        return torch.cat([self.left.pool(asking, left, l_), asking, self.right.pool(asking, right_, r_)], dim=-1)


class Reader(nn.Module):
    """What was found, and a class for it."""

    def __init__(self, attention: nn.Module) -> None:
        super().__init__()
        self.attention = attention
        self.output = nn.Sequential(nn.LazyLinear(64), nn.ReLU(), nn.Linear(64, CLASSES))

    def forward(self, left: Tensor, phrase: Tensor, right_: Tensor) -> Tensor:
        """The scores of the classes."""
        sides = [part for items in (left, phrase, right_) for part in (items, everything(items))]
        scores: Tensor = self.output(self.attention(*sides))
        return scores


def phrases(rows: int, generator: Generator, in_phrase: bool) -> Task:
    """One word of the phrase stands once more beside it, left or right; the class that is wanted stands at one of both.

    Every word has a name and a class.
    """
    names = torch.rand(rows, NAMES, generator=generator).argsort(-1)[:, : 2 * AROUND + PHRASE]
    classes = torch.randint(CLASSES, (rows, 2 * AROUND + PHRASE), generator=generator)
    which = 2 * AROUND + torch.randint(PHRASE, (rows,), generator=generator)
    beside = torch.randint(2 * AROUND, (rows,), generator=generator)
    each = torch.arange(rows)
    names[each, beside] = names[each, which]
    words = 3 * torch.cat([codes(NAMES, CODE)[names], torch.eye(CLASSES)[classes]], dim=-1)
    sides = words[:, :AROUND], words[:, 2 * AROUND :], words[:, AROUND : 2 * AROUND]
    return sides, classes[each, which if in_phrase else beside]


def _prepared(attention: nn.Module) -> nn.Module:
    reader = Reader(attention)
    chance = Generator(torch.get_default_device()).manual_seed(0)
    reader(*phrases(2, chance, in_phrase=True)[0])  # the output layer learns how wide its input is
    return reader


EXPERIMENT = VariantsOnTasks(
    networks={
        "one turn": lambda: _prepared(OneTurn()),
        "rotatory": lambda: _prepared(RotatoryAttention(_look(), _look(), _look(), _look())),
    },
    tasks={
        "answer in the phrase": partial(phrases, in_phrase=True),
        "answer beside it": partial(phrases, in_phrase=False),
    },
    steps=STEPS,
    rows=ROWS,
    test=TEST,
    chance=1 / CLASSES,
    rate=3e-3,
)


def judge(measured: Measured) -> Judgement:
    """Two turns must be ahead where the answer is in the phrase."""
    ahead = clearly(measured, "answer in the phrase, rotatory", over="answer in the phrase, one turn", by=0.1)
    also = clearly(measured, "answer beside it, rotatory", over="answer beside it, one turn", by=0.1)
    return Judgement(verdict([ahead], [also]), EXPERIMENT.stated(measured))


CLAIM = Claim(
    id="A30",
    title="There and back again",
    said="Zheng and Xia 2018",
    claim="A phrase is understood better if what it finds around it asks the phrase again.",
    expected=Verdict.CAVEAT,
    rule="Where the words around a phrase say which of its words matters, rotatory attention gets at least 10 points "
    "more right than the first of its two turns alone, by three standard errors of the mean over seeds; if not also "
    "where the answer stands beside the phrase, there is a caveat.",
    cost="minutes",
    seeds=3,
    measure=EXPERIMENT.measure,
    judge=judge,
    plot=EXPERIMENT.plot,
)
