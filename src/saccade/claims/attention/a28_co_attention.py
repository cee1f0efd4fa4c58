"""A28: two inputs of which one item each belongs together, for every kind of co-attention."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor, nn

from saccade.attention.alignment import Soft
from saccade.attention.co_attention import (
    AlternatingCoAttention,
    AttentivePooling,
    CoAttended,
    CoAttention,
    InteractiveCoAttention,
    MultiGrainedCoAttention,
    ParallelCoAttention,
)
from saccade.attention.learned_query import LearnedQueryAttention
from saccade.attention.scores import General
from saccade.attention.single_query import Attention
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import clearly, stated, verdict
from saccade.claims.measuring.toy_training import share
from saccade.claims.measuring.variants import Task, codes, everything, plot_variants, right, teach_variant

ITEMS, NAMES, CODE, CLASSES, HIDDEN = 10, 40, 16, 5, 32
WIDTH = CODE + CLASSES
STEPS, ROWS, TEST = 600, 64, 1000


class Apart(CoAttention):
    """Each input by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = LearnedQueryAttention(WIDTH, HIDDEN), LearnedQueryAttention(WIDTH, HIDDEN)

    def forward(self, first: Tensor, first_real: Tensor, second: Tensor, second_real: Tensor) -> CoAttended:
        """What is taken of each."""
        return CoAttended(self.first(first, first_real), self.second(second, second_real))


def _look() -> Attention:
    return Attention(General(WIDTH, WIDTH), Soft())


VARIANTS: dict[str, Callable[[], CoAttention]] = {
    "apart": Apart,
    "interactive": lambda: InteractiveCoAttention(_look(), _look()),
    "alternating": lambda: AlternatingCoAttention(LearnedQueryAttention(WIDTH, HIDDEN), _look(), _look()),
    "parallel": lambda: ParallelCoAttention(WIDTH, WIDTH, HIDDEN),
    "pooling": lambda: AttentivePooling(WIDTH, WIDTH),
    "multi-grained": lambda: MultiGrainedCoAttention(
        InteractiveCoAttention(_look(), _look()), AttentivePooling(WIDTH, WIDTH)
    ),
}
COARSE, FINE = ("interactive", "alternating"), ("parallel", "pooling")


class Matcher(nn.Module):
    """Two inputs that attend to each other, and a class for what was taken of both."""

    def __init__(self, attention: CoAttention) -> None:
        super().__init__()
        self.attention = attention
        self.output = nn.Sequential(nn.LazyLinear(64), nn.ReLU(), nn.Linear(64, CLASSES))

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        """The scores of the classes."""
        attended = self.attention(first, everything(first), second, everything(second))
        scores: Tensor = self.output(torch.cat(attended, dim=-1))
        return scores


def one_in_common(rows: int, generator: Generator) -> Task:
    """One name stands in both inputs, all others in one of them; the class beside it in the first is wanted."""
    names = torch.rand(rows, NAMES, generator=generator).argsort(-1)
    first, second = names[:, :ITEMS].clone(), names[:, ITEMS : 2 * ITEMS].clone()
    place, other = torch.randint(ITEMS, (2, rows), generator=generator)
    each = torch.arange(rows)
    second[each, other] = first[each, place]
    classes = torch.randint(CLASSES, (2, rows, ITEMS), generator=generator)
    vectors, known = codes(NAMES, CODE), torch.eye(CLASSES)
    inputs = [3 * torch.cat([vectors[n], known[c]], dim=-1) for n, c in zip((first, second), classes, strict=True)]
    return (inputs[0], inputs[1]), classes[0, each, place]


def measure(generator: Generator, progress: Progress) -> Findings:
    """Every kind learns to answer."""
    found: Findings = {}
    for done, (name, make) in enumerate(VARIANTS.items()):
        network = Matcher(make())
        network(*one_in_common(2, generator)[0])  # the output layer learns how wide its input is
        teach_variant(
            network, lambda: one_in_common(ROWS, generator), STEPS, share(progress, done, len(VARIANTS)), rate=3e-3
        )
        found[name] = right(network, one_in_common(TEST, generator))
    return found


def judge(measured: Measured) -> Judgement:
    """Fine must be ahead of coarse, and coarse ahead of nothing."""
    because = f"right: {stated(measured, list(VARIANTS))}; chance is {1 / CLASSES:.2f}."
    fine = [clearly(measured, one, over=other, by=0.1) for one in FINE for other in COARSE]
    both = [clearly(measured, "multi-grained", over=name, by=-0.05) for name in FINE]
    return Judgement(verdict(fine, both), because)


def plot(figure: Figure, measured: Measured) -> None:
    """Seed by seed."""
    plot_variants(figure, measured, {"one item in common": list(VARIANTS)}, 1 / CLASSES)


CLAIM = Claim(
    id="A28",
    title="Two inputs that attend to each other",
    said="the survey of Brauwers and Frasincar, after Lu et al. 2016",
    claim="Where two inputs must be matched item by item, fine-grained co-attention finds the match and coarse-grained "
    "co-attention does not.",
    expected=Verdict.HOLDS,
    rule="Where one of ten items of each input is the same, parallel co-attention and attentive pooling each get at "
    "least 10 points more right than interactive and than alternating co-attention, by three standard errors of the "
    "mean over seeds; if multi-grained co-attention is more than 5 points below either, or the seeds do not say, there "
    "is a caveat.",
    cost="minutes",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
