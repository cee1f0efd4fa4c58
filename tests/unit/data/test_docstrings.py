import pytest

from saccade.data.docstrings import _cut, docstrings


def test_a_docstring_is_cut_into_its_rest_and_its_first_line():
    text = "Open a file and read it.\n\nThe file may be\nmissing.\n\n>>> open(1)\n" + "more words " * 5
    assert _cut(text) == ("The file may be missing. " + " ".join(["more words"] * 5), "Open a file and read it.")
    assert _cut("Open a file and read it.\n\nToo short.") is None
    assert _cut("") is None


@pytest.mark.slow
def test_no_body_is_in_two_splits_and_there_are_enough():
    found = docstrings().pairs
    bodies = [body for pairs in found.values() for body, _ in pairs]
    assert len(bodies) == len(set(bodies)) > 1000
    assert all(len(pairs) > 50 for pairs in found.values())
