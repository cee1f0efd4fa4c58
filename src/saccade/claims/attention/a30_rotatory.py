"""A30: a phrase that asks what surrounds it, once, and again the other way round."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor, nn

from saccade.attention.alignment import Soft
from saccade.attention.co_attention import mean_of
from saccade.attention.rotatory import RotatoryAttention
from saccade.attention.scores import General
from saccade.attention.single_query import Attention
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.toy_training import share
from saccade.claims.measuring.variants import (
    Task,
    clearly,
    codes,
    everything,
    plot_variants,
    right,
    stated,
    teach_variant,
    verdict,
)

AROUND, PHRASE, NAMES, CODE, CLASSES = 5, 3, 24, 16, 5
WIDTH = CODE + CLASSES
STEPS, ROWS, TEST = 800, 64, 1000
TASKS = ("answer in the phrase", "answer beside it")


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


VARIANTS: dict[str, Callable[[], nn.Module]] = {
    "one turn": OneTurn,
    "rotatory": lambda: RotatoryAttention(_look(), _look(), _look(), _look()),
}


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


def measure(generator: Generator, progress: Progress) -> Findings:
    """One turn and two, for both places of the answer."""
    found: Findings = {}
    done = 0
    for task in TASKS:
        for name, make in VARIANTS.items():
            network = Reader(make())

            def draw(rows: int = ROWS, in_phrase: bool = task == "answer in the phrase") -> Task:
                return phrases(rows, generator, in_phrase)

            network(*draw(2)[0])  # the output layer learns how wide its input is
            teach_variant(network, draw, STEPS, share(progress, done, len(TASKS) * len(VARIANTS)), rate=3e-3)
            found[f"{task}, {name}"] = right(network, draw(TEST))
            done += 1
    return found


def judge(measured: Measured) -> Judgement:
    """Two turns must be ahead where the answer is in the phrase."""
    because = "right: " + ". ".join(stated(measured, [f"{task}, {name}" for name in VARIANTS]) for task in TASKS) + "."
    ahead = clearly(measured, "answer in the phrase, rotatory", over="answer in the phrase, one turn", by=0.1)
    also = clearly(measured, "answer beside it, rotatory", over="answer beside it, one turn", by=0.1)
    return Judgement(verdict([ahead], [also]), because)


def plot(figure: Figure, measured: Measured) -> None:
    """Seed by seed."""
    panels = {task: [f"{task}, {name}" for name in VARIANTS] for task in TASKS}
    plot_variants(figure, measured, panels, 1 / CLASSES)


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
    measure=measure,
    judge=judge,
    plot=plot,
)
