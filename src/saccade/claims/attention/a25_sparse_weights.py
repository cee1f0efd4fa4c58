"""A25: weights that are zero for most items, where most items say nothing and where all of them count."""

from collections.abc import Callable

import torch
from torch import Generator
from torch.nn import functional

from saccade.attention.alignment import Alignment, Soft
from saccade.attention.reinforced_alignment import ReinforcedSubset
from saccade.attention.scores import General
from saccade.attention.single_query import Attention
from saccade.attention.sparse_alignment import Sparsemax, TopK
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import clearly, stated, verdict
from saccade.claims.measuring.toy_networks import OneLook
from saccade.claims.measuring.toy_training import share
from saccade.claims.measuring.variants import Task, plot_variants, right, teach_variant

WIDTH, CLASSES, TRAINED, LONGER = 24, 6, 16, 1024
STEPS, ROWS, TEST = 300, 64, 400

KINDS: dict[str, Callable[[], Alignment]] = {
    "soft": Soft,
    "top-k": lambda: TopK(2),
    "sparsemax": Sparsemax,
    "subset": ReinforcedSubset,
}
TASKS = ("as trained", "longer", "all count")


def finder(aligned: Alignment) -> OneLook:
    """A network whose weights are made from scores in this way."""
    return OneLook(Attention(General(WIDTH, WIDTH), aligned), WIDTH, CLASSES)


def one_item(rows: int, items: int, generator: Generator) -> Task:
    """One key is like the query, and the class of its value is wanted; all others distract. Keys have length one."""
    keys, values = torch.randn(2, rows, items, WIDTH, generator=generator)
    keys = functional.normalize(keys, dim=-1)
    place = torch.randint(items, (rows,), generator=generator)
    wanted = torch.randint(CLASSES, (rows,), generator=generator)
    each = torch.arange(rows)
    values[each, place, wanted] += 3.0
    query = keys[each, place] + 0.02 * torch.randn(rows, WIDTH, generator=generator)
    return (query, keys, values), wanted


def all_items(rows: int, items: int, generator: Generator) -> Task:
    """Every item gives a hint of the class, and none of them more than the others."""
    keys, values = torch.randn(2, rows, items, WIDTH, generator=generator)
    wanted = torch.randint(CLASSES, (rows,), generator=generator)
    values += 0.8 * functional.one_hot(wanted, WIDTH).unsqueeze(1)
    return (torch.randn(rows, WIDTH, generator=generator), keys, values), wanted


def measure(generator: Generator, progress: Progress) -> Findings:
    """Each alignment learns both tasks; the first is also tried with many more distractors than ever before."""
    found: Findings = {}
    for done, (name, make) in enumerate(KINDS.items()):
        searching, gathering = finder(make()), finder(make())
        teach_variant(
            searching, lambda: one_item(ROWS, TRAINED, generator), STEPS, share(progress, 2 * done, 2 * len(KINDS))
        )
        teach_variant(
            gathering, lambda: all_items(ROWS, TRAINED, generator), STEPS, share(progress, 2 * done + 1, 2 * len(KINDS))
        )
        found[f"as trained, {name}"] = right(searching, one_item(TEST, TRAINED, generator))
        found[f"longer, {name}"] = right(searching, one_item(TEST, LONGER, generator))
        found[f"all count, {name}"] = right(gathering, all_items(TEST, TRAINED, generator))
    return found


def judge(measured: Measured) -> Judgement:
    """Sparsemax and top-k must be ahead among many distractors."""
    because = "right: " + ". ".join(stated(measured, [f"{task}, {name}" for name in KINDS]) for task in TASKS) + "."
    ahead = [clearly(measured, f"longer, {name}", over="longer, soft", by=0.05) for name in ("top-k", "sparsemax")]
    trained = [
        clearly(measured, f"as trained, {name}", over="as trained, soft", by=0.05) for name in ("top-k", "sparsemax")
    ]
    return Judgement(verdict(ahead, trained), because)


def plot(figure: Figure, measured: Measured) -> None:
    """Seed by seed."""
    plot_variants(figure, measured, {task: [f"{task}, {name}" for name in KINDS] for task in TASKS}, 1 / CLASSES)


CLAIM = Claim(
    id="A25",
    title="Weights with zeros",
    said="Martins and Astudillo 2016, and Shen et al. 2018",
    claim="Where most items are distractors, weights that are exactly zero for most of them are better than a softmax.",
    expected=Verdict.CAVEAT,
    rule="With one wanted item among 1,024, after training with 16, sparsemax and top-k with k = 2 both get at least 5 "
    "points more right than softmax, by three standard errors of the mean over seeds; if not also with 16, there is a "
    "caveat. Reinforced subsets, and a task in which every item counts, are reported.",
    cost="minutes",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
