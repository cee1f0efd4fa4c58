"""What a reader of words sees: whole words, percentages, no markers; run in node."""

from typing import Any

import pytest
from tests.page_modules import run_in_node

TRACE = {
    "axes": {
        "source": {
            "tokens": [
                {"piece": "\u2581cat", "text": "cat", "id": 5, "word": 0, "special": None},
                {"piece": "s", "text": "s", "id": 6, "word": 0, "special": None},
                {"piece": "</s>", "text": "", "id": 2, "word": None, "special": "eos"},
            ],
            "words": [
                {"text": "cats", "pieces": [0, 1], "special": None},
                {"text": "</s>", "pieces": [2], "special": "eos"},
            ],
        },
        "target": {
            "tokens": [
                {"piece": "\u2581g", "text": "g", "id": 7, "word": 0, "special": None},
                {"piece": "atos", "text": "atos", "id": 8, "word": 0, "special": None},
                {"piece": "</s>", "text": "", "id": 2, "word": None, "special": "eos"},
            ],
            "words": [
                {"text": "gatos", "pieces": [0, 1], "special": None},
                {"text": "</s>", "pieces": [2], "special": "eos"},
            ],
        },
        "reads": {"tokens": [{"piece": piece} for piece in ("<s>", "\u2581g", "atos")], "words": []},
    },
    "steps": [
        {"logprob": -0.5, "top": [{"id": 7, "piece": "\u2581g", "p": 0.6}, {"id": 2, "piece": "</s>", "p": 0.25}]},
        {"logprob": -0.25, "top": [{"id": 8, "piece": "atos", "p": 0.8}]},
        {"logprob": -0.125, "top": [{"id": 2, "piece": "</s>", "p": 0.9}]},
    ],
}

SCRIPT = """
import { percent } from "page/numbers/numbers";
import { defaults } from "page/state/state";
import { pointing } from "page/steps/facts";
import { isLeftOut, namedFor, plainPiece } from "page/trace/plain-names";
import { axis } from "page/trace/trace";
import { rowsByStep, rowsByWord } from "page/translate/decoding-table";
import { withoutMarks } from "page/translate/picture";

export default (trace) => {
  const [rows, columns] = [axis(trace, "target", "word"), axis(trace, "source", "word")];
  const weights = { rows: 2, columns: 2, data: [0.7, 0.3, 0.1, 0.9] };
  const inWords = { rows, columns };
  const choice = { q: 1, k: 1, head: 0 };
  return {
    depth: defaults().depth,
    percents: [0, 0.0004, 0.034, 0.5, 1].map(percent),
    pieces: ["\\u2581cat", "s", "\\u2581", "</s>", "<s>"].map(plainPiece),
    named: namedFor(axis(trace, "source", "piece"), "words").map((one) => one.label),
    raw: namedFor(axis(trace, "source", "piece"), "numbers").map((one) => one.label),
    leftOut: columns.map((one) => [isLeftOut(one, "words"), isLeftOut(one, "numbers")]),
    byWord: rowsByWord(trace),
    byStep: rowsByStep(trace).map(({ reads, writes }) => [reads, writes]),
    drawn: withoutMarks({ rows, columns, weights }, "words"),
    whole: withoutMarks({ rows, columns, weights }, "numbers").rows.length,
    pointedWord: pointing({ ...choice, inWords }, { k: 2 }),
    pointedPiece: pointing({ ...choice, inWords: null }, { k: 2 }),
  };
};
"""


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return run_in_node(SCRIPT, TRACE)


def test_words_are_what_a_page_opens_with(found: dict[str, Any]) -> None:
    assert found["depth"] == "words"


def test_a_share_that_is_hardly_there_is_not_nothing(found: dict[str, Any]) -> None:
    assert found["percents"] == ["0 %", "< 0.1 %", "3.4 %", "50 %", "100 %"]


def test_no_mark_is_left_of_a_piece(found: dict[str, Any]) -> None:
    assert found["pieces"] == ["cat", "s", "\u2581", "(end)", "(start)"]
    assert found["named"] == ["cat", "s", "(end)"]
    assert found["raw"] == ["\u2581cat", "s", "</s>"]


def test_the_end_of_a_sentence_is_no_word_of_it(found: dict[str, Any]) -> None:
    assert found["leftOut"] == [[False, False], [True, False]]


def test_a_row_is_a_whole_word_and_its_probability_the_product_of_its_pieces(found: dict[str, Any]) -> None:
    (row,) = found["byWord"]
    assert (row["writes"], row["step"], row["at"]) == ("gatos", 1, 1)
    assert row["p"] == pytest.approx(2.718281828459045**-0.75)
    assert row["candidates"] == [{"name": "(end)", "p": 0.25, "taken": False}]
    assert found["byStep"] == [["<s>", "\u2581g"], ["\u2581g", "atos"], ["atos", "</s>"]]


def test_a_picture_of_words_keeps_its_weights_as_they_are(found: dict[str, Any]) -> None:
    drawn = found["drawn"]
    assert [row["label"] for row in drawn["rows"]] == ["gatos"]
    assert [column["label"] for column in drawn["columns"]] == ["cats"]
    assert drawn["weights"]["data"]["0"] == 0.7
    assert found["whole"] == 2


def test_a_piece_points_at_its_word_where_places_are_words(found: dict[str, Any]) -> None:
    assert found["pointedWord"] == {"unit": "word", "q": 0, "k": 1, "head": 0}
    assert found["pointedPiece"] == {"unit": "piece", "q": 1, "k": 2, "head": 0}


def test_a_number_that_stands_out_of_a_vector_is_named_and_no_other_is():
    usual = [(-1) ** i * (1 + i % 3) for i in range(60)]
    found = run_in_node(
        """
        import { outlier } from "page/steps/before-after";
        import { moments } from "page/steps/arithmetic";
        export default (vectors) => vectors.map((values) => {
          const { mean, variance } = moments(values);
          return outlier({ values, mean, deviation: Math.sqrt(variance) });
        });
        """,
        [usual, [*usual[:17], -90, *usual[17:]]],
    )
    assert found[0] is None
    assert (found[1]["place"], found[1]["value"]) == (17, -90)
    assert found[1]["times"] > 6
