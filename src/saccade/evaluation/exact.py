"""Whether an output is exactly right."""

from collections.abc import Sequence

from saccade.evaluation.examples import Example
from saccade.evaluation.rates import rate
from saccade.evaluation.score import Conditions, Score


def exact_match(examples: Sequence[Example], conditions: Conditions) -> Score:
    """The share of outputs that are a reference, word for word; only the amount of white space is free."""
    counts = [
        (int(example.hypothesis.split() in [reference.split() for reference in example.references]), 1)
        for example in examples
    ]
    return rate(
        "exact_match",
        "exact match",
        counts,
        rule="any-reference|cased",
        higher_is_better=True,
        resamples=conditions.resamples,
    )
