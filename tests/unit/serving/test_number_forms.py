"""A number that an output has in another form gets its own, and no other number changes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.documents.protected_spans import find_spans, occurrences
from saccade.serving.number_forms import in_own_form
from saccade.serving.restored_spans import restore


def restored(source: str, output: str) -> str:
    return restore(output, in_own_form(find_spans(source), source, output))


@pytest.mark.parametrize(
    ("source", "output", "expected"),
    [
        ("It grew by 0.5%; then by 0.4%.", "Creció un 0,5 %; luego un 0,4 %.", "Creció un 0.5%; luego un 0.4%."),
        ("Some 30,000 people", "Unas 30 000 personas", "Unas 30,000 personas"),
        ("Some 4000 people", "Unas 4.000 personas", "Unas 4000 personas"),
        ("It costs $1,234.56 now", "Cuesta 1.234,56 $ ahora", "Cuesta $1,234.56 ahora"),
        ("from 1990-2000", "de 1990\u20132000", "de 1990-2000"),
        ("At 14:30 on 12/05/2024", "A las 14.30 del 12.05.2024", "A las 14:30 del 12/05/2024"),
        ("It is -5 \u00b0C", "Son \u22125 \u00b0C", "Son -5 \u00b0C"),
        ("9 and 13, while 9% are", "9 y 13, pero el 9 % son", "9 y 13, pero el 9% son"),
        ("with 2.5 of 2.5%", "con 2,5 del 2,5 %", "con 2.5 del 2.5%"),
        # twice, where the source has it once
        ("It lost 0.8 percent", "El 0,8 por ciento, el 0,8", "El 0.8 por ciento, el 0.8"),
    ],
)
def test_what_says_the_same_gets_the_form_of_the_source(source, output, expected):
    assert restored(source, output) == expected


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("It is 14.2 billion", "Son 14 200 millones"),  # other digits
        ("at 10 a.m.", "a las 10.00 horas"),
        ("Some 500,000 people", "Unas 1 500 000 personas"),  # part of a longer number
        ("Some 500,000 people", "Unas 500 000 000 personas"),
        ("It is 1.5 here", "Hay 21,5 aquí y B1,5"),
        ("It is 1.5 here", "Hay -1,5 aquí"),  # another sign
        ("It costs $300", "Cuesta 300 dólares"),  # no currency
        ("from 1.5 to 1,5", "de 1,5 a 1,5"),  # it may stand for either
        ("from 1,500 to 1.500", "de 1 500 a 1500"),
        ("It has 12 dogs", "Tiene doce perros"),
    ],
)
def test_what_may_be_something_else_stays(source, output):
    assert restored(source, output) == output


def _written(whole: int, decimals: str, marks: tuple[str, str], unit: str) -> str:
    return f"{whole:,}".replace(",", marks[0]) + (f"{marks[1]}{decimals}" if decimals else "") + unit


MARKS = st.sampled_from([(",", "."), (".", ","), (" ", ","), ("", "."), ("", ","), ("\u2019", ".")])


@given(
    whole=st.integers(0, 10**9),
    decimals=st.text("0123456789", max_size=4).filter(lambda digits: len(digits) != 3),
    units=st.sampled_from([("", ""), ("%", " %"), (" %", "%"), ("€", " €"), (" km", "km")]),
    marks=MARKS,
)
def test_numbers_in_the_form_of_any_language_come_back(whole, decimals, units, marks):
    own = _written(whole, decimals, (",", "."), units[0])
    source, output = f"They have {own} there.", f"Tienen {_written(whole, decimals, marks, units[1])} ahí."
    assert occurrences(own, restored(source, output)) == 1


@given(
    source=st.text("0123456789.,:-/%€ ab\u00a0", max_size=30), output=st.text("0123456789.,:-/%€ ab\u00a0", max_size=30)
)
def test_no_text_loses_gains_or_moves_a_digit_or_a_letter(source, output):
    bare = re.compile(r"[^\dab]")
    assert bare.sub("", restored(source, output)) == bare.sub("", output)
