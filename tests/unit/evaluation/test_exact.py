import pytest

from saccade.evaluation.exact import exact_match
from saccade.evaluation.examples import Example
from saccade.evaluation.score import Conditions


def test_share_of_outputs_that_are_a_reference():
    examples = [
        Example("-", "ein Hund", ("ein Hund",)),
        Example("-", "Ein Hund", ("ein Hund",)),
        Example("-", " ein  Hund", ("eine Katze", "ein Hund ")),
        Example("-", "", ("ein Hund",)),
        Example("-", "ein Hund .", ("ein Hund.",)),
    ]
    assert exact_match(examples, Conditions()).value == pytest.approx(40)
