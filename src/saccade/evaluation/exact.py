"""Whether an output is exactly right: a translation word for word, a label."""

from collections.abc import Sequence

from saccade.evaluation.examples import Example
from saccade.evaluation.rates import rate
from saccade.evaluation.score import Conditions, Score


def exact_match(examples: Sequence[Example], conditions: Conditions) -> Score:
    """The share of outputs that are a reference, word for word; only the amount of white space is free."""
    return _share_of_matches("exact_match", "exact match", examples, conditions)


def accuracy(examples: Sequence[Example], conditions: Conditions) -> Score:
    """The share of texts that were given their label."""
    return _share_of_matches("accuracy", "accuracy", examples, conditions)


def _share_of_matches(name: str, label: str, examples: Sequence[Example], conditions: Conditions) -> Score:
    counts = [
        (int(example.hypothesis.split() in [reference.split() for reference in example.references]), 1)
        for example in examples
    ]
    return rate(
        name,
        label,
        counts,
        rule="any-reference|cased",
        higher_is_better=True,
        resamples=conditions.resamples,
    )
