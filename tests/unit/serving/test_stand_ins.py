"""Names and numbers stand in for spans of a source, and are known again in an output."""

import pytest

from saccade.documents.protected_spans import find_spans
from saccade.serving.loading import load
from saccade.serving.restored_spans import restore
from saccade.serving.source_lines import Restored
from saccade.serving.stand_ins import StandIns, stand_once


@pytest.fixture(scope="module")
def stand_ins(make_bundle, tmp_path_factory):
    model = load(make_bundle(tmp_path_factory.mktemp("stand-ins") / "model"), device="cpu")
    return StandIns(model.source_tokenizer, model.target_tokenizer)


def replaced(stand_ins, source):
    return stand_ins.replaced(source, find_spans(source), lambda span: "number" if span.kind == "number" else "name")


def test_the_source_comes_back_from_its_stand_ins(stand_ins):
    source = "In 2 or $12.50 or 43 of {name}, see a.org/x and 3 more"
    found = replaced(stand_ins, source)
    assert restore(found.text, found.restored) == source
    assert stand_once(found.restored, found.text)
    assert not any(name in found.text for name in ("{name}", "a.org", "12.50"))


@pytest.mark.parametrize(("number", "ending"), [("3", "3"), ("12", "7"), ("21", "1"), ("1997", "7"), ("10", "0")])
def test_a_number_ends_as_the_one_it_stands_for(stand_ins, number, ending):
    [one] = replaced(stand_ins, f"about {number} dogs").restored
    assert len(one.written) == 2
    assert one.written[-1] == ending


def test_no_number_stands_in_twice_nor_for_one(stand_ins):
    found = replaced(stand_ins, "3 and 13 and 43 and 73")
    assert len({one.written for one in found.restored}) == 4
    assert replaced(stand_ins, "1 dog and 5 cats") is None


@pytest.mark.parametrize("hour", ["5 p.m.", "5 am", "5 o'clock", "5 Uhr"])
def test_no_number_stands_in_for_an_hour(stand_ins, hour):
    assert replaced(stand_ins, f"He left at {hour}") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Son 47 perros.", True),
        ("Son cuarenta y siete.", False),
        ("Son 47 de 47.", False),
        ("Son 47 000 millones.", False),
        ("Son 47,5 o 147.", False),
        ("Son 1 47.", False),
    ],
)
def test_a_number_that_stands_in_is_there_once_and_on_its_own(text, expected):
    assert stand_once([Restored("47", "12"), Restored("", "😀")], text) is expected


def test_a_number_of_thousands_of_digits_is_stood_in_for_unless_it_is_one(stand_ins):
    [one] = replaced(stand_ins, f"about {'9' * 5000} dogs").restored
    assert len(one.written) == 2
    assert replaced(stand_ins, f"about {'0' * 5000}1 dogs") is None
