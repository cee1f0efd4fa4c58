import pytest

from saccade.errors import InputError
from saccade.evaluation.examples import Example, line_by_line, source_by_source


def test_every_line_is_an_example_even_when_sources_repeat():
    examples = line_by_line(["a", "a", "b"], ["x", "y", "z"], ["x", "x", "w"])
    assert examples == [Example("a", "x", ("x",)), Example("a", "y", ("x",)), Example("b", "z", ("w",))]


def test_lines_that_repeat_a_source_are_further_references_of_one_example():
    examples = source_by_source(["a", "b", "a", "a"], ["x", "z", "y", "y"], ["p", "q", "r", "p"])
    assert examples == [Example("a", "x", ("p", "r")), Example("b", "z", ("q",))]


@pytest.mark.parametrize("arrange", [line_by_line, source_by_source])
def test_unequal_counts_are_named(arrange):
    with pytest.raises(InputError, match="have 3, 2 and 5"):
        arrange(["a"] * 3, ["b"] * 2, ["c"] * 5)


@pytest.mark.parametrize("arrange", [line_by_line, source_by_source])
def test_nothing_cannot_be_scored(arrange):
    with pytest.raises(InputError, match="at least one line"):
        arrange([], [], [])
