"""Words, loops and names are found by shortcuts; here are the plain ways, which must find the same."""

import re
import unicodedata
from collections import Counter
from difflib import SequenceMatcher

from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.quality import names, repetition, words

# Few words, so that they come again; letters whose case is odd; scripts without spaces; digits, marks and joined words.
WORDS = st.sampled_from(
    ["de", "la", "De", "casa", "CASA", "casas", "5", "a_b", "d'eau", "eau", "o'o", "straße", "STRASSE", "İ", "i", "Σας"]
    + ["σας", "ΐ", "ΐ", "ᾳ", "红", "สวย", "nananana", "mmmm", "Anna", "Ana", "Álvaro", "Alvaro", "Moscow", "Москва"]
)
TEXTS = st.lists(st.tuples(WORDS, st.sampled_from([" ", " ", " ", "  ", ", ", "\n", "’", ". "])), max_size=16).map(
    lambda pairs: "".join(word + between for word, between in pairs)
)
ANY_TEXTS = TEXTS | st.text(max_size=20)


@settings(max_examples=150, deadline=None)
@given(ANY_TEXTS)
def test_words_are_those_of_the_pattern_for_all_scripts(text):
    expected = words._WORD.findall(text)
    assert list(words.words_of(text)) == expected
    assert [found.group() for found in words.find_words(text)] == expected
    assert list(words.folded_words(text)) == [word.casefold() for word in expected]


def plain_three_times(own):
    for size in range(1, repetition.LONGEST + 1):
        for place in range(len(own) - 3 * size + 1):
            first, second, third = (own[place + turn * size : place + (turn + 1) * size] for turn in range(3))
            if first == second == third and any(word.isalpha() for word in first):
                return " ".join(first)
    return None


def plain_close_by(own):
    for place in range(len(own) - 4):
        word = own[place]
        if len(word) >= repetition.LONG_WORD and word.isalpha() and word == own[place + 2] == own[place + 4]:
            return word
    return None


def plain_phrase(own, size):
    for place in range(len(own) - size + 1):
        phrase = own[place : place + size]
        before = [own[other : other + size] for other in range(max(place - repetition.NEAR, 0), place)]
        if phrase in before and any(len(word) >= repetition.LONG_WORD and word.isalpha() for word in phrase):
            return " ".join(phrase)
    return None


def plain_twice(text):
    found = re.search(r"(?<!\w)([^\W\d_]+(?:\s+\w+){0,3})\s+\1(?!\w)", text, re.IGNORECASE)
    return found and found.group(1)


@settings(max_examples=250, deadline=None)
@given(ANY_TEXTS)
def test_loops_are_those_that_looking_everywhere_finds(text):
    own = words.folded_words(text)
    assert repetition._syllables(own) == next((word for word in own if repetition._SYLLABLES.search(word)), None)
    assert repetition._three_times(own) == plain_three_times(own)
    assert repetition._close_by(own) == plain_close_by(own)
    assert [repetition._phrase(own, size) for size in (2, 3)] == [plain_phrase(own, size) for size in (2, 3)]
    assert repetition._twice(text) == plain_twice(text)


letters = st.text(alphabet="abcdeéñ", min_size=1, max_size=9)


@settings(max_examples=200, deadline=None)
@given(letters, letters)
def test_words_are_alike_by_the_letters_they_have_in_common(name, word):
    name, word = f"x{names._plain(name)}", f"x{names._plain(word)}"
    expected = SequenceMatcher(None, name, word, autojunk=False).ratio() >= names.LIKE
    assert names._is_like(name, word) == expected


@settings(max_examples=200, deadline=None)
@given(ANY_TEXTS | st.text(alphabet="aé×ªºµⅷЖж中 ɏɐ", max_size=12))
def test_the_script_of_a_text_is_that_of_most_of_its_letters(text):
    if not text.isascii():
        counts = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in text if letter.isalpha())
        assert names._script(text) == (counts.most_common(1)[0][0] if counts else None)
