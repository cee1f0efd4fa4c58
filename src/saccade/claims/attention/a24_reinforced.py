"""A24: a hard choice learned from the reward alone, and by a gradient that passes straight through it."""

from collections.abc import Callable

import torch
from torch import Generator, nn

from saccade.attention.alignment import Alignment, Hard, Soft
from saccade.attention.reinforced_alignment import Reinforced
from saccade.attention.scores import General
from saccade.attention.single_query import Attention
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import clearly, stated, verdict
from saccade.claims.measuring.toy_networks import OneLook
from saccade.claims.measuring.toy_training import share
from saccade.claims.measuring.variants import Task, learning_curve, plot_variants, teach_variant

WIDTH, CLASSES = 16, 6
STEPS, ROWS, TEST, LOOKS = 400, 64, 1000, 20
LENGTHS = {"4 items": 4, "24 items": 24}

KINDS: dict[str, Callable[[], Alignment]] = {"soft": Soft, "straight through": Hard, "reinforced": Reinforced}


def finder(aligned: Alignment) -> OneLook:
    """A network that begins without any idea of where to look."""
    score = General(WIDTH, WIDTH)
    nn.init.normal_(score.query.weight, std=0.01)
    return OneLook(Attention(score, aligned), WIDTH, CLASSES)


def one_item(rows: int, items: int, generator: Generator) -> Task:
    """One key is like the query; every value is of some class, and that of this key's value is wanted."""
    keys = torch.randn(rows, items, WIDTH, generator=generator)
    values = 0.1 * torch.randn(rows, items, WIDTH, generator=generator)
    classes = torch.randint(CLASSES, (rows, items), generator=generator)
    values.scatter_add_(2, classes.unsqueeze(2), torch.full((rows, items, 1), 3.0))
    place = torch.randint(items, (rows,), generator=generator)
    each = torch.arange(rows)
    query = keys[each, place] + 0.1 * torch.randn(rows, WIDTH, generator=generator)
    return (query, keys, values), classes[each, place]


def measure(generator: Generator, progress: Progress) -> Findings:
    """Each way to learn, with few items and with many."""
    found: Findings = {}
    done = 0
    for length, items in LENGTHS.items():
        for name, make in KINDS.items():
            network, test = finder(make()), one_item(TEST, items, generator)
            curve: list[float] = []

            def draw(items: int = items) -> Task:
                return one_item(ROWS, items, generator)

            look = learning_curve(network, test, max(STEPS // LOOKS, 1), curve)
            teach_variant(network, draw, STEPS, share(progress, done, len(LENGTHS) * len(KINDS)), enough=look)
            found[f"{length}, {name}"] = sum(curve) / len(curve)
            found[f"{length}, {name}, at the end"] = curve[-1]
            done += 1
    return found


def judge(measured: Measured) -> Judgement:
    """Straight through must be ahead with many items."""
    because = "right over the whole training: " + ". ".join(
        stated(measured, [f"{length}, {name}" for name in KINDS]) for length in LENGTHS
    )
    because += ". At the end: " + stated(measured, [f"24 items, {name}, at the end" for name in KINDS])
    ahead = clearly(measured, "24 items, straight through", over="24 items, reinforced", by=0.05)
    both = clearly(measured, "4 items, straight through", over="4 items, reinforced", by=0.05)
    return Judgement(verdict([ahead], [both]), because + ".")


def plot(figure: Figure, measured: Measured) -> None:
    """Seed by seed."""
    panels = {length: [f"{length}, {name}" for name in KINDS] for length in LENGTHS}
    plot_variants(figure, measured, panels, 1 / CLASSES)


CLAIM = Claim(
    id="A24",
    title="Reward or gradient",
    said="Xu et al. 2015, who trained hard attention by REINFORCE, beside Jang et al. 2017",
    claim="A hard choice of where to look is learned faster by a gradient that passes straight through it than from "
    "the reward alone.",
    expected=Verdict.HOLDS,
    rule="Averaged over 20 looks during training, straight through gets at least 5 points more right than REINFORCE "
    "with a moving-average baseline and an entropy bonus where one of 24 items is wanted, by three standard errors of "
    "the mean over seeds; if not also where one of 4 is wanted, there is a caveat.",
    cost="minutes",
    seeds=12,
    measure=measure,
    judge=judge,
    plot=plot,
)
