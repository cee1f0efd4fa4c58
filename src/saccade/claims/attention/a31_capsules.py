"""A31: one attention for all classes, and one for each."""

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from saccade.attention.capsule import CapsuleAttention
from saccade.attention.learned_query import LearnedQueryAttention
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import clearly, stated, verdict
from saccade.claims.measuring.toy_training import learn, share
from saccade.claims.measuring.variants import everything, plot_variants

ITEMS, CLASSES, WIDTH, HIDDEN = 20, 8, 16, 32
STEPS, ROWS, TEST = 600, 64, 1000
TASKS = ("several classes", "one class")


class Shared(nn.Module):
    """One attention, whose context says yes or no for each class."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = LearnedQueryAttention(WIDTH, HIDDEN)
        self.output = nn.Linear(WIDTH, CLASSES)

    def forward(self, items: Tensor) -> Tensor:
        """Yes or no for each class."""
        scores: Tensor = self.output(self.attention(items, everything(items)))
        return scores


class Separate(nn.Module):
    """An attention for each class."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = CapsuleAttention(WIDTH, CLASSES)

    def forward(self, items: Tensor) -> Tensor:
        """Yes or no for each class."""
        return self.attention(items, everything(items)).logits


VARIANTS = {"shared": Shared, "capsules": Separate}


def presences(rows: int, generator: Generator, several: bool) -> tuple[Tensor, Tensor]:
    """Noise, with a sign of each class that is there at a place of its own: any number of classes, or exactly one."""
    items = torch.randn(rows, ITEMS, WIDTH, generator=generator)
    if several:
        there = torch.rand(rows, CLASSES, generator=generator) < 0.5
    else:
        there = functional.one_hot(torch.randint(CLASSES, (rows,), generator=generator), CLASSES).bool()
    places = torch.rand(rows, ITEMS, generator=generator).argsort(-1)[:, :CLASSES]
    signs = 4.0 * functional.one_hot(torch.arange(CLASSES), WIDTH) * there.unsqueeze(2)
    items.scatter_add_(1, places.unsqueeze(2).expand(-1, -1, WIDTH), signs)
    return items, there.to(items.dtype)


def measure(generator: Generator, progress: Progress) -> Findings:
    """The share of answers, one for each class, that are right."""
    found: Findings = {}
    done = 0
    for task in TASKS:
        for name, make in VARIANTS.items():
            network, several = make(), task == "several classes"

            def loss(network: nn.Module = network, several: bool = several) -> Tensor:
                items, there = presences(ROWS, generator, several)
                return functional.binary_cross_entropy_with_logits(network(items), there)

            learn(network, loss, STEPS, share(progress, done, len(TASKS) * len(VARIANTS)), rate=1e-2)
            items, there = presences(TEST, generator, several)
            with torch.no_grad():
                correct = (network(items) > 0) == there.bool()
            found[f"{task}, {name}"] = correct.all(-1).double().mean().item()
            done += 1
    return found


def judge(measured: Measured) -> Judgement:
    """Capsules must be ahead where several classes are there at once."""
    because = "rows with every answer right: " + ". ".join(
        stated(measured, [f"{task}, {name}" for name in VARIANTS]) for task in TASKS
    )
    ahead = clearly(measured, "several classes, capsules", over="several classes, shared", by=0.1)
    no_worse = clearly(measured, "one class, capsules", over="one class, shared", by=-0.05)
    return Judgement(verdict([ahead], [no_worse]), because + ".")


def plot(figure: Figure, measured: Measured) -> None:
    """Seed by seed."""
    panels = {task: [f"{task}, {name}" for name in VARIANTS] for task in TASKS}
    plot_variants(figure, measured, panels, 1 / 2**CLASSES)


CLAIM = Claim(
    id="A31",
    title="An attention for each class",
    said="Wang et al. 2018, in the survey of Brauwers and Frasincar",
    claim="An attention for each class recognises classes better than one attention for all of them.",
    expected=Verdict.HOLDS,
    rule="Where each of 8 classes may be there or not, capsules get every answer right in at least 10 of 100 rows more "
    "than one shared attention, by three standard errors of the mean over seeds; if they are more than 5 points worse "
    "where exactly one class is there, or the seeds do not say, there is a caveat.",
    cost="minutes",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
