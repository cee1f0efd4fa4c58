"""Every fault is found where it is, and not where a good translation only looks like it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.quality.checks import checks_for
from saccade.quality.faults import FAULTS, NAMES, Fault
from saccade.quality.languages import LanguageCheck, copied
from saccade.quality.lengths import LengthBounds
from saccade.quality.names import NameCheck, TranslatedNames, names_of
from saccade.quality.numbers import wrong_numbers
from saccade.quality.repetition import loops


@pytest.mark.parametrize(
    ("source", "output", "what"),
    [
        ("Salt water freezes later.", "El agua agua se congela más tarde.", "agua"),
        ("In Hong Kong it rains.", "En Hong Kong Hong Kong llueve.", "Hong Kong"),
        ("He walked day and night.", "Caminaba en día, en día, en día.", "en día"),
        ("They lost the land.", "Perdieron territorio de territorio y territorio.", "territorio"),
        ("We ate until dark.", "Comimos hasta que se bebimos hasta que se hundió.", "hasta que se"),
        ("NO SMOKING", "NNIIBINIDANIDANIDAN", "nniibinidanidanidan"),
        ("他喜欢红色。", "红红红红的色。", "红"),
    ],
)
def test_a_loop_is_found(source, output, what):
    assert loops(source, output) == [Fault("loop", what)]


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("No, no, no!", "¡No, no, no!"),
        ("Little by little it grew.", "Poco a poco creció."),
        ("He had had enough of it.", "Ya ya tenía bastante."),
        ("What? How are you?", "¿Qué? ¿Qué tal?"),
        ("Call 55 55 55 now.", "Llame al 55 55 55."),
        ("Hmmmm, he said.", "Mmmmm, dijo."),
    ],
)
def test_what_the_source_repeats_or_a_language_does_is_no_loop(source, output):
    assert loops(source, output) == []


@pytest.mark.parametrize(
    ("source", "output", "faults"),
    [
        ("It has 17 rooms.", "Tiene habitaciones.", [Fault("number_dropped", "17")]),
        ("It has 17 rooms.", "Tiene 17 18 habitaciones.", [Fault("number_invented", "18")]),
        ("She paid 3.", "Pagó 3 por 3.", [Fault("number_invented", "3")]),
        ("Gate B27 closed.", "La puerta cerró.", [Fault("number_dropped", "27")]),
        ("2.4 billion in the 1980s", "2.400 millones en los 80", []),
        ("in the 19th century", "en el siglo XIX", []),
        ("3 tickets", "tres entradas", []),
        ("six o'clock", "las 6", []),
        ("50 000 people", "50.000 personas", []),
        ("at 07:45", "a las 7:45", []),
        ("١٧ كتابا", "17 libros", []),
    ],
)
def test_numbers_are_compared_by_their_digits(source, output, faults):
    assert wrong_numbers(source, output) == faults


@given(st.integers(13, 10**9), st.integers(0, 99))
def test_a_number_is_the_same_in_every_way_of_writing_it(whole, cents):
    english, spanish = f"{whole:,}.{cents:02}", f"{whole:,}.{cents:02}".translate(str.maketrans(",.", ".,"))
    assert wrong_numbers(f"It costs {english}.", f"Cuesta {spanish}.") == []
    assert wrong_numbers(f"It costs {english}.", "Cuesta.") == [Fault("number_dropped", english)]


def test_names_come_back_unless_they_are_translated():
    pairs = [("They love Germany.", "Aman a Alemania."), ("He met Anna.", "Conoció a Anna.")]
    learned = TranslatedNames.learned(pairs)
    assert learned == TranslatedNames(frozenset({"germany"}), frozenset({"alemania"}))
    check = NameCheck(learned, "en", "es")
    assert check("I met Okonkwo in Germany.", "Conocí a Tokio en Alemania.") == [
        Fault("name_dropped", "Okonkwo"),
        Fault("name_invented", "Tokio"),
    ]
    assert check("I met Novák.", "Conocí a Novaka.") == []


@pytest.mark.parametrize(
    ("source", "output", "languages"),
    [
        ("Ich sehe den Baum dort.", "I see it there.", ("de", "en")),  # nouns have capitals
        ("Ich sehe den Baum dort.", "I see it there.", ("deu_Latn", "eng_Latn")),
        ("I see it there.", "Ich sehe den Baum dort.", ("en", "de-DE")),
        ("The Old Man And The Sea", "El viejo y el mar", ("en", "es")),  # a headline
        ("The Old Man And The Sea", "El Viejo Y El Mar", ("en", "es")),
        ("Local Team Wins The Cup", "Equipo local Gana La Copa", ("en", "es")),
        ("I met Okonkwo there.", "我在那里见过奥孔科沃。", ("en", "zh")),  # another script
        ("我见过他。", "I met Okonkwo.", ("zh", "en")),
        ("STOP THE OKONKWO TRAIN", "PAREN EL TREN", ("en", "es")),
    ],
)
def test_names_are_not_compared_where_that_makes_no_sense(source, output, languages):
    assert NameCheck(TranslatedNames(), *languages)(source, output) == []


def test_a_name_has_a_capital_that_nothing_else_explains():
    text = 'Yesterday Mary said: "Come." Then Peter and the NATO left for St. Louis.'
    assert names_of(text) == ["Mary", "Peter"]


def test_a_copy_is_told_from_names_and_addresses_that_stay():
    assert copied("The black dog runs fast.", "The black dog runs fast.") == "The black dog runs fast"
    assert copied("Peter and Anna Novak, London", "Peter and Anna Novak, London") is None
    assert copied("See https://a.example/the/black/dog here.", "Mira https://a.example/the/black/dog aquí.") is None


def test_an_output_in_another_language_is_found_where_it_is_long_enough():
    check = LanguageCheck("en", "es")
    german = "Der schwarze Hund rannte gestern über die lange Straße nach Hause."
    assert [fault.kind for fault in check("The black dog ran home.", german)] == ["wrong_language"]
    assert check("No idea.", "Keine Ahnung.") == []
    assert LanguageCheck("en", "xx")("The black dog ran home.", german) == []


def test_bounds_of_lengths_hold_for_what_they_were_learned_from():
    pairs = [("a" * length, "b" * round(length * share)) for length in range(20, 220) for share in (0.9, 1.1, 1.4)]
    bounds = LengthBounds.learned(pairs)
    assert sum(bool(bounds(*pair)) for pair in pairs) <= 2
    assert [fault.kind for fault in bounds("a" * 200, "b" * 85)] == ["too_short"]
    assert [fault.kind for fault in bounds("a" * 200, "b" * 480)] == ["too_long"]
    assert LengthBounds.learned(pairs[:9]) == LengthBounds()
    assert [fault.kind for fault in bounds("word", "")] == ["too_short"]


def test_bounds_learned_from_captions_hold_for_long_sentences():
    """A word more or less is a quarter of a caption, and says nothing of a sentence of two hundred letters."""
    captions = [("a" * size, "b" * (size + more)) for size in range(10, 40) for more in (-6, -2, 0, 3, 8) * 9]
    bounds = LengthBounds.learned(captions)
    assert bounds.shortest > LengthBounds().shortest
    assert bounds.longest < LengthBounds().longest
    for share in (0.8, 0.9, 1.0, 1.2, 1.25):
        assert bounds("a" * 200, "b" * round(200 * share)) == []
    assert [fault.kind for fault in bounds("a" * 200, "b" * 70)] == ["too_short"]
    short = [("a" * 9, "b" * 9)] * 999
    assert LengthBounds.learned(short) == LengthBounds()
    equal = LengthBounds.learned([("a" * 50, "b" * 50)] * 300)
    assert (equal.shortest, equal.longest) == pytest.approx((0.8, 1.25))


def test_lengths_count_a_character_of_chinese_as_three_letters():
    assert (
        LengthBounds()(
            "他昨天在北京的图书馆里看了三个小时的书。", "Yesterday he read for three hours in the library in Beijing."
        )
        == []
    )


def test_nothing_is_checked_where_the_languages_are_not_known():
    assert checks_for(None, None) is None
    assert checks_for("en", "xx") is None
    finder = checks_for("en", "es")
    assert finder is not None
    assert finder.find("A dog.", "Un perro.") == ()


@settings(max_examples=40)
@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_breaks_a_check(source, output):
    finder = checks_for("en", "es", names=TranslatedNames())
    assert finder is not None
    assert all(fault.kind in FAULTS for fault in finder.find(source, output))


def test_every_fault_has_a_name_for_people():
    assert set(NAMES) == set(FAULTS)
