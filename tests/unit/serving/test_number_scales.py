"""Numbers with a word of scale keep their value and their digits."""

import pytest

from saccade.documents.protected_spans import find_spans
from saccade.serving.number_scales import in_own_scale
from saccade.serving.restored_spans import restore


def restored(source: str, output: str, languages: tuple[str | None, str | None] = ("en", "es")) -> str:
    return restore(output, in_own_scale(find_spans(source), source, output, languages))


@pytest.mark.parametrize(
    ("source", "output", "expected"),
    [
        ("some 1.7 billion euros", "unos 1 700 millones de euros", "unos 1.7 mil millones de euros"),
        ("It made 14.2 billion.", "Ganó 14.200 millones.", "Ganó 14.2 mil millones."),
        ("It is worth $450 billion.", "Vale 450 000 millones de dólares.", "Vale $450 000 millones."),
        ("$1 billion in cuts", "1 000 millones de dólares en recortes", "$1 000 millones en recortes"),
        ("laundering $ 70 million", "blanqueo de 70 millones de dólares", "blanqueo de $ 70 millones"),
        ("$ 300,000 million, a blow", "300.000 millones de dólares, un golpe", "$ 300,000 millones, un golpe"),
        ("a $3.5-million deal", "un acuerdo de 3,5 millones de dólares", "un acuerdo de $3.5 millones"),
        ("worth $1 million", "vale 1 millón de dólares", "vale $1 millón"),
        ("2 trillion and 3 billion", "2 billones y 3.000 millones", "2 billones y 3 mil millones"),
    ],
)
def test_a_number_is_written_with_its_own_digits_and_the_scale_that_belongs_to_them(source, output, expected):
    assert restored(source, output) == expected


def test_between_other_languages_too():
    source, output = "Es waren 1,7 Milliarden und 2 Milliarden \u20ac.", "It was 1,700 million and 2 billion."
    assert restored(source, output, ("de", "en")) == "It was 1,7 billion and 2 billion."


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("1.38 billion shares", "1 3800 millones de cuotas"),  # another value
        ("1.7 billion euros", "1.7 millones de euros"),
        ("$18 billion", "800 millones de dólares"),
        ("1.7 billion and 1.7 billion", "1 700 millones y 1 700 millones"),  # which of them?
        ("1.7 billion of 1.7 million", "1 700 millones y 1 700 millones"),
        ("$5 billion", "5 000 millones de euros"),  # another currency
        ("$5 billion", "5 000 millones de dólares canadienses"),  # more than the currency
        ("1.7 dogs", "1 700 millones"),  # no scale
        ("5 billion", "12 5 000 millones o 7,5 000 millones"),  # part of another number
    ],
)
def test_what_may_be_something_else_stays(source, output):
    assert restored(source, output) == output


def test_words_of_other_languages_are_not_known():
    source, output = "1.7 billion", "1 700 millones"
    assert restored(source, output, ("en", None)) == output
    assert restored(source, output, ("en", "pt")) == output


def test_the_country_and_the_script_of_a_language_change_nothing():
    assert restored("1.7 billion", "1 700 millones", ("en-GB", "spa_Latn")) == "1.7 mil millones"


def test_a_number_may_have_thousands_of_digits():
    number = "9" * 5000
    assert restored(f"{number} billion cows", f"{number}000 millones de vacas") == f"{number} mil millones de vacas"
    assert restored(f"{number} billion cows", f"{number}001 millones") == f"{number}001 millones"
