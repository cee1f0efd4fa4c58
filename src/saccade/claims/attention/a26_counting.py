"""A26: counting, with weights that must sum to one and with weights that need not."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor, nn

from saccade.attention.alignment import Alignment, Sigmoid, Soft
from saccade.attention.scores import General
from saccade.attention.single_query import Attention
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import clearly, stated, verdict
from saccade.claims.measuring.toy_training import share
from saccade.claims.measuring.variants import Task, codes, plot_variants, right, teach_variant

KINDS_OF_ITEM, WIDTH, MOST, LONGEST = 8, 12, 5, 24
STEPS, ROWS, TEST = 600, 64, 1000
ALIGNMENTS: dict[str, Callable[[], Alignment]] = {"softmax": Soft, "sigmoid": Sigmoid}
TASKS = ("one length", "any length")


class Counter(nn.Module):
    """One look, and a number from 0 to MOST for what was found; a small network may make what it likes of it."""

    def __init__(self, aligned: Alignment) -> None:
        super().__init__()
        self.attention = Attention(General(WIDTH, WIDTH, bias=True), aligned)
        self.output = nn.Sequential(nn.Linear(WIDTH, 32), nn.ReLU(), nn.Linear(32, MOST + 1))

    def forward(self, query: Tensor, items: Tensor, real: Tensor) -> Tensor:
        """The scores of the numbers."""
        scores: Tensor = self.output(self.attention.pool(query, items, real))
        return scores


def how_many(rows: int, generator: Generator, any_length: bool) -> Task:
    """How many of the items are of the kind that is asked for."""
    lengths = torch.full((rows,), LONGEST)
    if any_length:
        lengths = torch.randint(MOST, LONGEST + 1, (rows,), generator=generator)
    real = torch.arange(LONGEST) < lengths.unsqueeze(1)
    asked = torch.randint(KINDS_OF_ITEM, (rows,), generator=generator)
    count = torch.randint(MOST + 1, (rows,), generator=generator)
    others = (
        asked.unsqueeze(1) + torch.randint(1, KINDS_OF_ITEM, (rows, LONGEST), generator=generator)
    ) % KINDS_OF_ITEM
    # The first ones are of that kind. Attention does not know about order.
    kinds = torch.where(torch.arange(LONGEST) < count.unsqueeze(1), asked.unsqueeze(1), others)
    vectors = codes(KINDS_OF_ITEM, WIDTH)
    return (vectors[asked], vectors[kinds], real), count


def measure(generator: Generator, progress: Progress) -> Findings:
    """Both kinds of weights, with rows of one length and of any."""
    found: Findings = {}
    done = 0
    for task in TASKS:
        for name, make in ALIGNMENTS.items():
            network = Counter(make())

            def draw(rows: int = ROWS, any_length: bool = task == "any length") -> Task:
                return how_many(rows, generator, any_length)

            teach_variant(network, draw, STEPS, share(progress, done, len(TASKS) * len(ALIGNMENTS)))
            found[f"{task}, {name}"] = right(network, draw(TEST))
            done += 1
    return found


def judge(measured: Measured) -> Judgement:
    """Sigmoid must count where the length is not known, and softmax must not."""
    because = "counted right: " + ". ".join(
        stated(measured, [f"{task}, {name}" for name in ALIGNMENTS]) for task in TASKS
    )
    ahead = clearly(measured, "any length, sigmoid", over="any length, softmax", by=0.1)
    also = clearly(measured, "one length, sigmoid", over="one length, softmax", by=0.1)
    return Judgement(verdict([ahead], [also]), because + ".")


def plot(figure: Figure, measured: Measured) -> None:
    """Seed by seed."""
    panels = {task: [f"{task}, {name}" for name in ALIGNMENTS] for task in TASKS}
    plot_variants(figure, measured, panels, 1 / (MOST + 1))


CLAIM = Claim(
    id="A26",
    title="Weights that count",
    said="what is said against softmax: its weights are shares, and a share is not a number",
    claim="Attention whose weights must sum to one cannot count; with a sigmoid for each item it can.",
    expected=Verdict.CAVEAT,
    rule="Asked how many of 5 to 24 items are of a kind, sigmoid weights get at least 10 points more right than "
    "softmax weights, by three standard errors of the mean over seeds; if not also where there are always 24 items, "
    "and a share is as good as a number, there is a caveat.",
    cost="minutes",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
