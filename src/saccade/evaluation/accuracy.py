"""Exact match of translations, and accuracy of labels."""

from collections.abc import Sequence

from saccade.evaluation.examples import Example
from saccade.evaluation.metric_score import MetricOptions, MetricScore, ratio_score


def exact_match(examples: Sequence[Example], options: MetricOptions) -> MetricScore:
    """The share of outputs equal to a reference, word for word; the amount of white space does not matter."""
    return _share_of_matches("exact_match", "exact match", examples, options)


def accuracy(examples: Sequence[Example], options: MetricOptions) -> MetricScore:
    """The share of texts whose predicted label is right."""
    return _share_of_matches("accuracy", "accuracy", examples, options)


def _share_of_matches(name: str, label: str, examples: Sequence[Example], options: MetricOptions) -> MetricScore:
    counts = [
        (int(example.hypothesis.split() in [reference.split() for reference in example.references]), 1)
        for example in examples
    ]
    return ratio_score(name, label, counts, options, rule="any-reference|cased", higher_is_better=True)
