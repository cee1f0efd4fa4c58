"""Which numbers the languages of a folder have, by all the places that may say it."""

import json

import pytest

from saccade.errors import FormatError
from saccade.interop.huggingface_languages import language_numbers

LISTED = ["ace_Arab", "eng_Latn", "fra_Latn"]
NUMBERED = {31: "ace_Arab", 32: "eng_Latn", 33: "fra_Latn"}


def write(folder, listed=None, added=None, fast=None):
    if listed is not None:
        (folder / "tokenizer_config.json").write_text(json.dumps({"additional_special_tokens": listed}))
    if added is not None:
        (folder / "added_tokens.json").write_text(json.dumps(added))
    if fast is not None:
        tokens = [{"id": number, "content": piece} for piece, number in fast]
        (folder / "tokenizer.json").write_text(json.dumps({"added_tokens": tokens}))


def test_a_list_is_numbered_after_all_other_pieces(tmp_path):
    write(tmp_path, listed=LISTED)
    assert language_numbers(tmp_path, 31) == NUMBERED


def test_numbers_count_more_than_the_order_of_a_list(tmp_path):
    write(tmp_path, listed=LISTED[::-1], added={piece: number for number, piece in NUMBERED.items()})
    assert language_numbers(tmp_path, 31) == NUMBERED


@pytest.mark.parametrize("listed", [LISTED, [*LISTED, "tyv_Cyrl"], ["tyv_Cyrl", *LISTED]])
def test_a_language_that_was_added_leaves_the_others_where_they_are(tmp_path, listed):
    write(tmp_path, listed=listed, added={"tyv_Cyrl": 35})
    assert language_numbers(tmp_path, 31) == {**NUMBERED, 35: "tyv_Cyrl"}


def test_a_number_that_agrees_with_the_list_is_no_other_language(tmp_path):
    write(tmp_path, listed=LISTED, added={"eng_Latn": 32})
    assert language_numbers(tmp_path, 31) == NUMBERED


@pytest.mark.parametrize("number", ["9" * 5000, "-1", "²", "1.0"])
def test_what_is_no_number_of_a_piece_numbers_none(tmp_path, number):
    content = {"additional_special_tokens": LISTED, "added_tokens_decoder": {number: {"content": "fra_Latn"}}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(content))
    assert language_numbers(tmp_path, 31) == NUMBERED


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"fast": [("fra_Latn", 33), ("spa_Latn", 33)]}, "gives fra_Latn the number 33 and spa_Latn the number 33"),
        ({"fast": [("fra_Latn", 33), ("fra_Latn", 34)]}, "gives fra_Latn the number 33 and fra_Latn the number 34"),
        ({"fast": [("fra_Latn", 33)], "added": {"fra_Latn": 34}}, "the number 33 and fra_Latn the number 34"),
        ({"listed": LISTED, "added": {"fra_Latn": 31}}, "gives ace_Arab the number 31 and fra_Latn the number 31"),
        ({"listed": LISTED, "added": {"spa_Latn": 32}}, "gives eng_Latn the number 32 and spa_Latn the number 32"),
    ],
)
def test_two_languages_of_one_number_and_two_numbers_of_one_are_refused(tmp_path, content, said):
    write(tmp_path, **content)
    with pytest.raises(FormatError, match=f"{said}.*Download it again"):
        language_numbers(tmp_path, 31)
