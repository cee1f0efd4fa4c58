"""Terms are cut as the tokenizer cuts them at their place."""

import pytest

from saccade.data.tokenizer import Tokenizer
from saccade.decoding.term_forms import TermForms, stem_of
from saccade.decoding.terms import TermAutomaton

LINES = [
    "El perro corre por la casa.",
    "Los perros corren (el perrito no).",
    "¿Perro o gato?",
    "Una canción, una traducción.",
    "Vive en Nueva York; la casa roja.",
    "Dijo: «perro».",
    "perro perros perrito perra gato gatos can canción cantar",
] * 3


@pytest.fixture(scope="module", params=["bpe", "unigram", "character"])
def tokenizer(request):
    return Tokenizer.train(LINES, pieces=request.param, size=340)


def contains(tokenizer, text, *alternatives, inflected=False):
    forms = TermForms(tokenizer)
    term = forms.term(alternatives, inflected=inflected)
    return TermAutomaton.of([term], forms.marks).contains_all(tokenizer.encode([text])[0])


@pytest.mark.parametrize(
    "text",
    ["perro", "El perro corre.", "un perro", "Dijo: «perro».", "(perro)", "Perro o gato?", "¿Perro?", "el perro, sí"],
)
def test_a_term_is_found_wherever_it_stands_as_a_word(tokenizer, text):
    assert contains(tokenizer, text, "perro")


@pytest.mark.parametrize("text", ["Los perros corren.", "un superperro", "El Perro", "perr", ""])
def test_a_term_is_not_found_inside_a_word_or_with_another_capital(tokenizer, text):
    assert not contains(tokenizer, text, "perro")


def test_alternatives_and_several_words(tokenizer):
    assert contains(tokenizer, "Los perros corren.", "perro", "perros")
    assert contains(tokenizer, "Vive en Nueva York; sí", "Nueva York")
    assert not contains(tokenizer, "Vive en Nueva Yorkshire", "Nueva York")


@pytest.mark.parametrize("text", ["Los perros corren.", "el perrito", "Perra!", "un perro"])
def test_a_stem_is_found_in_every_word_that_begins_with_it(tokenizer, text):
    assert contains(tokenizer, text, "perro", inflected=True)


def test_a_stem_is_not_found_in_other_words(tokenizer):
    assert not contains(tokenizer, "El gato corre.", "perro", inflected=True)
    assert not contains(tokenizer, "un superperro", "perro", inflected=True)


def test_a_stem_loses_a_third_at_most():
    assert [stem_of(word) for word in ("perro", "sol", "traducción", "a")] == ["perr", "sol", "traducc", "a"]


def test_chinese_terms_need_no_space_on_either_side():
    chinese = Tokenizer.train(
        ["我们有一只狗在家里", "狗很大", "他的狗叫小白", "价格是多少"] * 5, pieces="bpe", size=285
    )
    assert contains(chinese, "我们有一只狗在家里", "狗")


def test_what_a_closed_vocabulary_lacks_has_no_form():
    closed = Tokenizer.train(LINES, pieces="word", closed=True)
    assert TermForms(closed).term(["ornitorrinco"]) == ()
    assert contains(closed, "una casa", "casa")


@pytest.mark.parametrize("inflected", [False, True])
def test_nothing_is_a_form_of_what_normalising_leaves_nothing_of(tokenizer, inflected):
    assert tokenizer.normalise("\u3000") == ""
    assert TermForms(tokenizer).term(["\u3000"], inflected=inflected) == ()
