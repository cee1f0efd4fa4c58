"""However a language is written, it has one code, and no other language has it."""

import pytest

from saccade.data.language_identification import identifier
from saccade.data.language_names import NAMES
from saccade.language_codes import _TWO_LETTERS, language_code


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("de", "de"),
        ("de-DE", "de"),
        ("DE_at", "de"),
        ("deu_Latn", "de"),
        ("ger", "de"),
        ("tr-TR", "tr"),
        ("tur_Latn", "tr"),
        ("trv", "trv"),
        ("nds", "nds"),
        ("zh_Hans", "zh"),
        ("zho_Hant", "zh"),
        ("cmn", "zh"),
        ("yue", "yue"),
        ("arb_Arab", "ar"),
        ("ary", "ary"),
        ("", ""),
        (None, ""),
    ],
)
def test_a_language_has_one_code_without_its_country_or_script(language, expected):
    assert language_code(language) == expected


def test_every_language_that_has_a_name_here_has_longer_codes_too():
    # Aragonese has two letters in Wikipedia only: models that name languages by three do not have it.
    assert set(NAMES) - set(_TWO_LETTERS.values()) == {"an"}
    assert all((len(longer), len(two)) == (3, 2) for longer, two in _TWO_LETTERS.items())


def test_no_code_of_the_identifier_becomes_another():
    assert [code for code in identifier().labels if language_code(code) != code] == []
