"""Two sentences with curves between them fit the room they have: in two lines, smaller, or in two columns; in node."""

import pytest
from tests.page_modules import run_in_node

SCRIPT = """
import { placed } from "page/drawing/curve-layout";

export default (cases) => cases.map(([columns, rows, available]) => placed(columns, rows, available));
"""
WORD = 50.0


@pytest.fixture(scope="module")
def laid():
    cases = [
        ([WORD] * 5, [WORD] * 4, 700),
        ([WORD] * 9, [WORD] * 9, 650),
        ([WORD] * 12, [WORD] * 7, 700),
        ([WORD] * 5, [WORD] * 4, 300),
    ]
    return run_in_node(SCRIPT, cases)


def test_a_short_sentence_stands_in_two_lines_of_usual_type(laid):
    assert not laid[0]["upright"]
    assert laid[0]["size"] == 15


def test_a_longer_one_has_smaller_type(laid):
    assert not laid[1]["upright"]
    assert 12 <= laid[1]["size"] < 15


@pytest.mark.parametrize("case", [2, 3])
def test_what_would_be_too_small_stands_in_two_columns(laid, case):
    assert laid[case]["upright"]
    assert laid[case]["size"] == 15


@pytest.mark.parametrize(("case", "available"), [(0, 700), (1, 650), (2, 700), (3, 300)])
def test_every_word_has_a_box_of_its_own_inside_the_room(laid, case, available):
    found = laid[case]
    assert found["width"] <= available
    boxes = [*found["columns"], *found["rows"]]
    for one in boxes:
        assert one["x"] >= -1e-6
        assert one["x"] + one["width"] <= found["width"] + 1e-6
        assert one["y"] + one["height"] <= found["height"]
    for i, one in enumerate(boxes):
        for other in boxes[i + 1 :]:
            apart = (
                one["x"] + one["width"] <= other["x"] + 1e-6
                or other["x"] + other["width"] <= one["x"] + 1e-6
                or one["y"] + one["height"] <= other["y"]
                or other["y"] + other["height"] <= one["y"]
            )
            assert apart
