"""The hard lines: their references lose nothing, and outputs that do are noticed."""

from collections import Counter

import pytest
from bench.hard_lines.scoring import HardLine, hard_lines, lost, scores


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
