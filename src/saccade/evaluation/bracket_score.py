"""Labelled bracket precision, recall and F1 of constituency trees, counted as EVALB counts them with COLLINS.prm.

A bracket is a label with the words it spans. The brackets of two trees are compared as multisets: of a bracket that
stands n times in one tree and m times in the other, min(n, m) match. Before they are counted

    words whose tag is punctuation (, : `` '' .) or a trace (-NONE-) are left out, and with them brackets left empty
    the outermost bracket (TOP) is left out; tags are no brackets
    function tags are cut off: NP-SBJ and NP=2 are NP
    PRT counts as ADVP

EVALB leaves out words by the tags of each tree, and reports an error where a wrong tag makes the numbers of words
differ; here the reference's tags decide for both trees, so a model need not write tags. Also unlike EVALB, which skips
them, outputs that are no tree over the words of the reference count: they have no brackets.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from saccade import __version__
from saccade.data.trees import TOP, Tree
from saccade.errors import InputError, TreeError
from saccade.evaluation.bootstrap import bootstrap_interval
from saccade.evaluation.examples import Example
from saccade.evaluation.metric_score import MetricOptions, MetricScore, percentage, ratio_score

DELETED = frozenset({TOP, "-NONE-", ",", ":", "``", "''", "."})
"""Labels and tags that are not counted: DELETE_LABEL of COLLINS.prm."""
EQUAL = {"PRT": "ADVP"}
"""EQ_LABEL of COLLINS.prm."""
RULE = "EVALB|COLLINS.prm|words-left-out-by-reference-tags"


class BracketCounts(NamedTuple):
    """The brackets of one output and its reference; `well_formed` is whether the output is a tree over the words."""

    matched: int
    reference: int
    output: int
    well_formed: bool


def bracket_counts(output: str, reference: str) -> BracketCounts:
    """Counts of one pair of bracketed texts."""
    return _counts(output, reference)


@lru_cache(maxsize=1 << 15)  # five metrics, and those by length, look at the same pairs
def _counts(output: str, reference: str) -> BracketCounts:
    if not reference.strip():  # an empty line has an empty tree
        return BracketCounts(0, 0, 0, well_formed=not output.strip())
    try:
        gold = Tree.read(reference)
    except TreeError as problem:
        raise InputError(f"a reference must be a bracketed tree, but {problem}: {reference[:60]!r}.") from None
    left_out = [tag in DELETED for tag in gold.tags]
    wanted = brackets(gold, left_out)
    try:
        found = Tree.read(output)
    except TreeError:
        return BracketCounts(0, wanted.total(), 0, well_formed=False)
    if found.words != gold.words:
        return BracketCounts(0, wanted.total(), 0, well_formed=False)
    written = brackets(found, left_out)
    return BracketCounts((wanted & written).total(), wanted.total(), written.total(), well_formed=True)


def brackets(tree: Tree, left_out: Sequence[bool]) -> Counter[tuple[str, int, int]]:
    """The brackets that count, by label and place among the words that are not left out."""
    before = [0]
    for one in left_out:
        before.append(before[-1] + (not one))
    counted: Counter[tuple[str, int, int]] = Counter()
    for label, start, end in tree.constituents():
        label = _without_function(label)
        if before[start] < before[end] and label not in DELETED:
            counted[EQUAL.get(label, label), before[start], before[end]] += 1
    return counted


def _without_function(label: str) -> str:
    return label.split("-")[0].split("=")[0]


def f1(counts: Float[np.ndarray, " quantities"]) -> float:
    """2 x matched / (brackets of the references + brackets of the outputs), in percent; 100 where there are none."""
    matched, reference, output = counts
    return float(200 * matched / (reference + output)) if reference + output else 100.0


def bracket_f1(examples: Sequence[Example], options: MetricOptions) -> MetricScore:
    """The harmonic mean of precision and recall of all brackets together."""
    statistics = np.array([_of(example)[:3] for example in examples], dtype=np.float64)
    return MetricScore(
        "bracket_f1",
        "labelled bracket F1",
        f1(statistics.sum(axis=0)),
        True,
        len(examples),
        f"{RULE}{options.bootstrap_signature}|saccade:{__version__}",
        bootstrap_interval(statistics, f1, options.resamples),
    )


def bracket_precision(examples: Sequence[Example], options: MetricOptions) -> MetricScore:
    """The share of written brackets that are right."""
    statistics = np.array([(_of(example).matched, _of(example).output) for example in examples], dtype=np.float64)
    return _share("bracket_precision", "labelled bracket precision", statistics, options)


def bracket_recall(examples: Sequence[Example], options: MetricOptions) -> MetricScore:
    """The share of the reference's brackets that were written."""
    statistics = np.array([(_of(example).matched, _of(example).reference) for example in examples], dtype=np.float64)
    return _share("bracket_recall", "labelled bracket recall", statistics, options)


def complete_match(examples: Sequence[Example], options: MetricOptions) -> MetricScore:
    """The share of trees with all brackets right and no other."""
    right = [
        counts.well_formed and counts.matched == counts.reference == counts.output for counts in map(_of, examples)
    ]
    pairs = [(int(one), 1) for one in right]
    return ratio_score("complete_match", "complete match", pairs, options, rule=RULE, higher_is_better=True)


def well_formed(examples: Sequence[Example], options: MetricOptions) -> MetricScore:
    """The share of outputs that are well-formed trees over the words of their sentence."""
    pairs = [(int(_of(example).well_formed), 1) for example in examples]
    return ratio_score("well_formed", "well-formed trees", pairs, options, rule="over-the-words", higher_is_better=True)


def _of(example: Example) -> BracketCounts:
    [reference] = example.references
    return bracket_counts(example.hypothesis, reference)


def _share(name: str, label: str, statistics: Float[np.ndarray, "examples two"], options: MetricOptions) -> MetricScore:
    """As `ratio_score`, but nothing written is a precision of zero and no error."""
    return MetricScore(
        name,
        label,
        percentage(statistics.sum(axis=0)),
        True,
        len(statistics),
        f"{RULE}{options.bootstrap_signature}|saccade:{__version__}",
        bootstrap_interval(statistics, percentage, options.resamples),
    )
