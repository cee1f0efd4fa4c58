import pytest

from saccade.evaluation.accuracy import accuracy, exact_match
from saccade.evaluation.examples import Example
from saccade.evaluation.metric_score import MetricOptions


def test_share_of_outputs_that_are_a_reference():
    examples = [
        Example("-", "ein Hund", ("ein Hund",)),
        Example("-", "Ein Hund", ("ein Hund",)),
        Example("-", " ein  Hund", ("eine Katze", "ein Hund ")),
        Example("-", "", ("ein Hund",)),
        Example("-", "ein Hund .", ("ein Hund.",)),
    ]
    assert exact_match(examples, MetricOptions()).value == pytest.approx(40)


def test_accuracy_is_the_share_of_labels_that_are_right():
    examples = [Example("-", given, (right,)) for given, right in (("de", "de"), ("en", "de"), ("es", "es"))]
    score = accuracy(examples, MetricOptions(resamples=11))
    assert score.value == pytest.approx(200 / 3)
    assert score.metric == "accuracy"
    assert score.interval is not None
