"""A18: attention that always looks straight across, where order is kept and where it is not."""

from collections.abc import Callable

import torch
from torch import Generator

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.toy_training import Both, Line, pairs, share, teach, words_right
from saccade.models.rnnsearch import RNNsearch, RNNsearchConfig
from saccade.weights import parameter_count

WORDS, FIRST, LONGEST = 12, 4, 10
VOCABULARY = FIRST + WORDS
STEPS, ROWS, TEST = 500, 32, 300

SYSTEMS = {
    "learned": RNNsearchConfig(width=40, deviation=0.1),
    "diagonal": RNNsearchConfig(width=42, alignment="diagonal", deviation=0.1),
    "none": RNNsearchConfig(width=52, context="last", deviation=0.1),
}
"""Equal numbers of parameters, but for 2 %."""


def in_order(line: Line) -> Line:
    """Word for word: every word becomes the one that follows it in the dictionary."""
    return [FIRST + (word - FIRST + 1) % WORDS for word in line]


def reordered(line: Line) -> Line:
    """The same words, but those of the dictionary's second half go to the end of the sentence, as verbs do in some."""
    first, second = ([word for word in line if (word - FIRST >= WORDS // 2) == late] for late in (False, True))
    return in_order([*first, *second])


CORPORA: dict[str, Callable[[Line], Line]] = {"in order": in_order, "reordered": reordered}


def measure(generator: Generator, progress: Progress) -> Findings:
    """The same system with each way to look learns each of two languages."""
    found: Findings = {}
    done = 0
    for corpus, translated in CORPORA.items():
        for system, config in SYSTEMS.items():
            model = RNNsearch(config, VOCABULARY, VOCABULARY)

            def draw(rows: int = ROWS, translated: Callable[[Line], Line] = translated) -> Both:
                lengths = torch.randint(2, LONGEST + 1, (rows,), generator=generator).tolist()
                lines = [torch.randint(FIRST, VOCABULARY, (n,), generator=generator).tolist() for n in lengths]
                return pairs(lines, translated)

            teach(model, draw, STEPS, share(progress, done, len(CORPORA) * len(SYSTEMS)))
            found[f"{corpus}, {system}"] = words_right(model, draw(TEST))
            found[f"{system}, parameters"] = float(parameter_count(model))
            done += 1
    return found


def judge(measured: Measured) -> Judgement:
    """As good where order is kept; in between where it is not."""
    right = {corpus: {name: measured.each(f"{corpus}, {name}") for name in SYSTEMS} for corpus in CORPORA}
    because = "words right, seed by seed: " + "; ".join(
        f"{corpus} " + ", ".join(f"{name} {listed(values)}" for name, values in each.items())
        for corpus, each in right.items()
    )
    sizes = ", ".join(f"{measured.mean(f'{name}, parameters'):,.0f}" for name in SYSTEMS)
    because += f" ({sizes} parameters)."
    behind = measured.mean("in order, learned") - measured.mean("in order, diagonal")
    if behind > 0.02:
        return Judgement(Verdict.FAILS, because)
    between = all(a > b > c for a, b, c in zip(*right["reordered"].values(), strict=True))
    return Judgement(Verdict.HOLDS if between else Verdict.CAVEAT, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Words right, seed by seed."""
    for axes, corpus in zip(figure.subplots(1, 2, sharey=True), CORPORA, strict=True):
        for place, name in enumerate(SYSTEMS):
            values = measured.each(f"{corpus}, {name}")
            axes.plot([place] * len(values), values, "o", markersize=9, alpha=0.7)
        axes.set(title=corpus, xlim=(-0.5, 2.5), ylim=(0, 1.03), xticks=range(3))
        axes.set_xticklabels(SYSTEMS)
    figure.axes[0].set(ylabel="words right")


CLAIM = Claim(
    id="A18",
    title="Looking straight across",
    said="a long introduction to attention, of what Bahdanau tried first",
    claim="Attention that is not learned, but always looks straight across, works acceptably.",
    expected=Verdict.HOLDS,
    rule="At equal parameters and equal training, fixed diagonal attention gets at most 2 points fewer words right "
    "than learned attention where order is kept, on average over the seeds; where words move to the end of the "
    "sentence, learned is better than diagonal and diagonal better than none with every seed, else there is a caveat.",
    cost="minutes",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
