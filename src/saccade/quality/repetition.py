"""Loops: what a decoder writes again and again, and its source does not.

Four signs, each compared with the source, which may repeat itself as well:

    syllables   the same letters inside one word, again and again:           Gananananan, MMMMMMMINI
    at once     the same words twice in a row, or three times with commas:   agua agua, en día, en día, en día
    close by    a long word again after one other, three times:              territorio de territorio y territorio
    phrases     the same three words again before eight others have come:    hasta que se bebimos hasta que se hundió
"""

import re
from collections.abc import Sequence

from saccade.quality.faults import Fault
from saccade.quality.words import folded_words

LONGEST = 4
"""Words of a phrase that is looked for twice in a row."""
LONG_WORD = 4
"""Letters of a word that is hardly ever repeated so soon by chance."""
NEAR = 8
"""Words between the beginnings of two equal phrases that are a loop."""
# One letter four times, or two to four letters three times; digits repeat by right.
_SYLLABLES = re.compile(r"([^\W\d_])\1{3,}|([^\W\d_]{2,4}?)\2{2,}")
_TWICE = re.compile(r"(?<!\w)([^\W\d_]+(?:\s+\w+){0,3})\s+\1(?!\w)", re.IGNORECASE)


def loops(source: str, output: str) -> list[Fault]:
    """The first repetition of an output, if its source has nothing like it."""
    words, original = folded_words(output), folded_words(source)
    for sign in (_syllables, _three_times, _close_by):
        found = sign(words)
        if found is not None and sign(original) is None:
            return [Fault("loop", found)]
    # Two words of one language are often three of another.
    phrase = _phrase(words, 3)
    if phrase is not None and _phrase(original, 2) is None:
        return [Fault("loop", phrase)]
    twice = _TWICE.search(output)
    if twice is not None and _TWICE.search(source) is None:
        return [Fault("loop", twice.group(1))]
    return []


def _syllables(words: Sequence[str]) -> str | None:
    return next((word for word in words if _SYLLABLES.search(word)), None)


def _three_times(words: Sequence[str]) -> str | None:
    """The first words that follow themselves twice; numbers may, as in those of telephones."""
    for size in range(1, LONGEST + 1):
        for place in range(len(words) - 3 * size + 1):
            first, second, third = (words[place + turn * size : place + (turn + 1) * size] for turn in range(3))
            if first == second == third and any(word.isalpha() for word in first):
                return " ".join(first)
    return None


def _close_by(words: Sequence[str]) -> str | None:
    """The first long word that comes again after one other, and then again: `poco a poco` is none."""
    for place in range(len(words) - 4):
        word = words[place]
        if len(word) >= LONG_WORD and word.isalpha() and word == words[place + 2] == words[place + 4]:
            return word
    return None


def _phrase(words: Sequence[str], size: int) -> str | None:
    """The first words, so many and one of them long, that come again soon."""
    last: dict[tuple[str, ...], int] = {}
    for place in range(len(words) - size + 1):
        phrase = tuple(words[place : place + size])
        long = any(len(word) >= LONG_WORD and word.isalpha() for word in phrase)
        if long and place - last.get(phrase, -NEAR - 1) <= NEAR:
            return " ".join(phrase)
        last[phrase] = place
    return None
