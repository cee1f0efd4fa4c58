"""A20: what soft attention reads, and what hard attention and a window read."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor, nn

from saccade.attention.alignment import Alignment
from saccade.attention.alignment_catalogue import AlignmentName, alignment
from saccade.attention.scores import General
from saccade.attention.single_query import Attention
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.toy_training import accuracy, cross_entropy, learn, share

KEYS, WIDTH, CLASSES, STEPS, ROWS = 23, 24, 7, 250, 64
REACH = 3
KINDS: tuple[AlignmentName, ...] = ("soft", "hard", "local-m")


class Finder(nn.Module):
    """One look at a row of items, and a class for what was found."""

    def __init__(self, aligned: Alignment) -> None:
        super().__init__()
        self.attention = Attention(General(WIDTH, WIDTH), aligned)
        self.output = nn.Linear(WIDTH, CLASSES)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """The scores of the classes."""
        prepared = self.attention.prepare(keys, values, torch.ones(keys.shape[:2], dtype=torch.bool))
        middle = torch.full((1, 1), KEYS // 2)
        scores: Tensor = self.output(self.attention(query.unsqueeze(1), prepared, middle)[:, 0])
        return scores


def needles(rows: int, generator: Generator, near: bool) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """A query, keys, one of them like it (`near`: in reach of the middle), values, and the class of that one."""
    keys, values = (torch.randn(rows, KEYS, WIDTH, generator=generator) for _ in range(2))
    low, high = (KEYS // 2 - REACH, KEYS // 2 + REACH + 1) if near else (0, KEYS)
    place = torch.randint(low, high, (rows,), generator=generator)
    wanted = torch.randint(CLASSES, (rows,), generator=generator)
    each = torch.arange(rows)
    # The class of an item is the largest of the first few numbers of its value.
    values[each, place] = 0.1 * values[each, place]
    values[each, place, wanted] += 3.0
    query = keys[each, place] + 0.1 * torch.randn(rows, WIDTH, generator=generator)
    return query, keys, values, wanted


def measure(generator: Generator, progress: Progress) -> Findings:
    """Trains each to find the needle anywhere, and the window also where the needle is near."""
    found: Findings = {}
    tries: list[tuple[str, AlignmentName, bool]] = [(kind, kind, False) for kind in KINDS]
    tries.append(("local-m, needle near", "local-m", True))
    for done, (name, kind, near) in enumerate(tries):
        finder = Finder(alignment(kind, WIDTH, REACH, top_k=1))
        learn(finder, _loss(finder, generator, near), STEPS, share(progress, done, len(tries)), rate=1e-2)
        query, keys, values, wanted = needles(2000, generator, near)
        with torch.no_grad():
            found[f"{name}, accuracy"] = accuracy(finder(query, keys, values), wanted)
            weights = finder.attention.alignment(
                finder.attention.score(query.unsqueeze(1), keys),
                torch.ones(keys.shape[:2], dtype=torch.bool),
                query.unsqueeze(1),
                torch.full((1, 1), KEYS // 2),
            )
            found[f"{name}, reads"] = (weights > 0).double().sum(dim=-1).mean().item()
    return found


def _loss(finder: Finder, generator: Generator, near: bool) -> Callable[[], Tensor]:
    def loss() -> Tensor:
        query, keys, values, wanted = needles(ROWS, generator, near)
        return cross_entropy(finder(query, keys, values), wanted)

    return loss


NAMES = (*KINDS, "local-m, needle near")


def judge(measured: Measured) -> Judgement:
    """Soft attention reads everything."""
    reads = {name: measured.mean(f"{name}, reads") for name in NAMES}
    because = "values read with a weight above zero, and accuracy: " + "; ".join(
        f"{name} {reads[name]:.1f} of {KEYS}, {measured.mean(f'{name}, accuracy'):.3f}" for name in NAMES
    )
    because += ". Scores are computed for all keys in every case but the window."
    everything = reads["soft"] == KEYS
    return Judgement(Verdict.FAILS if everything and reads["hard"] == 1 else Verdict.HOLDS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Accuracy against reads."""
    axes = figure.subplots()
    for name in NAMES:
        axes.plot(measured.each(f"{name}, reads"), measured.each(f"{name}, accuracy"), "o", label=name, alpha=0.7)
    axes.set(xlabel="values read", ylabel="accuracy", ylim=(0, 1.03), xlim=(0, KEYS + 1))
    axes.legend(loc="lower right")


CLAIM = Claim(
    id="A20",
    title="Looking only at what matters",
    said="a long introduction to attention",
    claim="Attention saves computation because it looks only at what matters.",
    expected=Verdict.FAILS,
    rule="Does not hold for soft attention if, on a task with one needle, it gives a weight above zero to every value "
    "while hard attention reads exactly one; accuracies and those of a window are reported.",
    cost="seconds",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
