"""The hard lines: their references lose nothing, and outputs that do are noticed."""

from collections import Counter

import pytest
from bench.hard_lines.faults import Read, report, separation, verdict
from bench.hard_lines.scoring import HardLine, hard_lines, lost, scores

import saccade
from saccade.quality.faults import Fault
from saccade.serving.confidence import Confidence
from saccade.serving.translation import Candidate, Translation


def test_there_are_three_hundred_and_no_reference_loses_anything():
    lines = hard_lines()
    assert len({line.source for line in lines}) == 300
    assert {line.source: lost(line, line.reference) for line in lines if lost(line, line.reference)} == {}


@pytest.mark.parametrize(
    ("line", "output", "missing"),
    [
        (HardLine("numbers", "I paid $1,234.56.", ("$1,234.56",), ""), "Pagué $1.234,56.", ["$1,234.56"]),
        (HardLine("tags", "**Not** now.", ("**", "**"), ""), "**Ahora no.", ["**", "**"]),
        (HardLine("capitals", "GO HOME", (), ""), "VETE a CASA", ["capitals"]),
        (HardLine("layout", "One\nTwo", (), ""), "Uno dos", ["line breaks"]),
        (HardLine("paragraphs", "I came. I saw it.", (), "Vine. Lo vi todo."), "Vine y lo vi.", ["sentences"]),
    ],
)
def test_what_is_lost_is_named(line, output, missing):
    assert lost(line, output) == missing


def test_each_phenomenon_has_a_row():
    lines = hard_lines()
    rows = scores(lines, [line.reference for line in lines])
    counts = Counter(line.phenomenon for line in lines)
    assert {row.phenomenon: row.lines for row in rows} == {**counts, "all": 300}
    assert all(row.whole == row.lines for row in rows)
    assert all(row.chrf == pytest.approx(100) for row in rows)


# What the shipped English-Spanish model must reach: lines that are whole, and chrF. It reached about two lines and 3
# points of chrF more. A better model raises these and lowers none; the exception is typing errors, where a model for
# everyday sentences alone had 64.9.
LEAST = {
    "numbers": (23, 79.7),
    "addresses": (23, 83.8),
    "placeholders": (23, 70.8),
    "tags": (22, 88.3),
    "capitals": (22, 74.0),
    "casing": (23, 77.6),
    "names": (21, 83.9),
    "typos": (23, 59.7),
    "punctuation": (23, 68.7),
    "symbols": (23, 79.2),
    "paragraphs": (23, 74.9),
    "layout": (13, 77.3),
    "long": (9, 76.6),
    "all": (290, 77.2),
}


@pytest.mark.slow
def test_the_shipped_model_keeps_what_it_kept():
    lines = hard_lines()
    outputs = saccade.load("en-es", device="cpu").translate([line.source for line in lines], on_error="copy")
    rows = scores(lines, outputs)
    assert {row.phenomenon for row in rows} == set(LEAST)
    worse = [row for row in rows if row.whole < LEAST[row.phenomenon][0] or row.chrf < LEAST[row.phenomenon][1]]
    assert worse == []
    paragraphs = [
        (line, output) for line, output in zip(lines, outputs, strict=True) if line.phenomenon == "paragraphs"
    ]
    assert [line.source for line, output in paragraphs if "sentences" in lost(line, output)] == []


def test_faults_by_hand_are_compared_with_those_that_were_found():
    read = [Read("a", "x", None, frozenset({"loop"})), Read("b", "y", None, frozenset({"meaning"}))]
    candidate = Candidate("x", 0.0, 0.0, None, True, None)
    found = Translation(1, "a", (candidate,), faults=(Fault("loop", "x"),))
    clean = Translation(2, "b", (candidate,), faults=(), repaired=(Fault("copy", "b"),))
    text = report(read, [found, clean], [found, clean])
    assert "| loop | 1 | 1 | 1 | 100% | 0 |" in text
    assert "| copy | 0 | 0 | 0 |  | 1 |" in text
    assert "| meaning | 1 | | | | |" in text
    assert "2 lines have a fault by hand; 1 of them are flagged (50%)" in text
    assert "1 have one of a kind that is looked for; 1 of these are flagged (100%)" in text
    doubted = Translation(2, "b", (candidate,), faults=(Fault("unsure", "x"),))
    text = report(read, [found, doubted], [found, doubted])
    assert "| any; unsure | 2 | 1 | 1 | 50% | |" in text
    assert "2 lines have a fault by hand; 2 of them are flagged (100%)" in text
    assert "Without `unsure` it would be 1 (50%) and 0 ()." in text
    assert read[0].is_of("x")
    assert not read[0].is_of("y")


def test_confidence_tells_lines_with_faults_from_others():
    read = [Read("a", "x", None, frozenset(faults)) for faults in (["loop"], ["meaning"], [], [])]
    sure = [0.2, 0.65, 0.55, 0.9]
    tokens = [(-0.5,), (-2.0,) * 4, (-1.0, 0.0, 0.0, 0.0), (-0.1,)]
    candidates = [
        Candidate("x", 0.0, 0.0, own, True, None, confidence=Confidence(value, ()))
        for value, own in zip(sure, tokens, strict=True)
    ]
    text = separation(read, [Translation(1, "a", (candidate,)) for candidate in candidates])
    assert "in 75% of the cases, and more certainty in 88%" in text
    assert "| 0.6 | 50% | 50% |" in text


def test_a_bound_must_be_missed_or_met_by_three_standard_errors():
    assert verdict(0.7, 400, 0.5, above=True) == "holds"
    assert verdict(0.52, 400, 0.5, above=True) == "undecided"
    assert verdict(0.3, 400, 0.1, above=False) == "fails"
