"""Loops: what a decoder writes again and again, and its source does not.

Four signs, each compared with the source, which may repeat itself as well:

    syllables   the same letters inside one word, again and again:           Gananananan, MMMMMMMINI
    at once     the same words twice in a row, or three times with commas:   agua agua, en día, en día, en día
    close by    a long word again after one other, three times:              territorio de territorio y territorio
    phrases     the same three words again before eight others have come:    hasta que se bebimos hasta que se hundió
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from operator import eq

from saccade.quality.faults import Fault
from saccade.quality.words import are_runs, folded_words

LONGEST = 4
"""Words of a phrase that is looked for twice in a row."""
LONG_WORD = 4
"""Letters of a word that is hardly ever repeated so soon by chance."""
NEAR = 8
"""Words between the beginnings of two equal phrases that are a loop."""
# One letter four times, or two to four letters three times; digits repeat by right.
_SYLLABLES = re.compile(r"([^\W\d_])\1{3,}|([^\W\d_]{2,4}?)\2{2,}")
_RUN = re.compile(r"\w+")
_TWICE = re.compile(r"(?<!\w)([^\W\d_]+(?:\s+\w+){0,3})\s+\1(?!\w)", re.IGNORECASE)


def loops(source: str, output: str) -> list[Fault]:
    """The first repetition of an output, if its source has nothing like it."""
    words = folded_words(output)
    for sign in (_syllables, _three_times, _close_by):
        found = sign(words)
        if found is not None and sign(folded_words(source)) is None:
            return [Fault("loop", found)]
    # Two words of one language are often three of another.
    phrase = _phrase(words, 3)
    if phrase is not None and _phrase(folded_words(source), 2) is None:
        return [Fault("loop", phrase)]
    twice = _twice(output)
    if twice is not None and _twice(source) is None:
        return [Fault("loop", twice)]
    return []


def _syllables(words: Sequence[str]) -> str | None:
    # What is repeated so often leaves a word with three letters fewer than it is long.
    few = [word for word in words if len(word) > 3 and len(set(word)) <= len(word) - 3]
    return next((word for word in few if _SYLLABLES.search(word)), None)


def _three_times(words: Sequence[str]) -> str | None:
    """The first words that follow themselves twice; numbers may, as in those of telephones."""
    again = len(words) - len(set(words))
    for size in range(1, min(again // 2, LONGEST) + 1):
        for place in _repeated(words, size, 2 * size):
            first = words[place : place + size]
            if any(word.isalpha() for word in first):
                return " ".join(first)
    return None


def _close_by(words: Sequence[str]) -> str | None:
    """The first long word that comes again after one other, and then again: `poco a poco` is none."""
    if len(words) - len(set(words)) < 2:
        return None
    for place in _repeated(words, 2, 1):
        word = words[place]
        if len(word) >= LONG_WORD and word.isalpha() and word in words[place + 4 : place + 5]:
            return word
    return None


def _repeated(words: Sequence[str], distance: int, size: int) -> Iterator[int]:
    """Where so many words begin that all come again at this distance."""
    same = bytes(map(eq, words, words[distance:]))
    place = same.find(b"\1" * size)
    while place >= 0:
        yield place
        place = same.find(b"\1" * size, place + 1)


def _twice(text: str) -> str | None:
    """The first words that follow themselves."""
    runs = folded_words(text) if are_runs(text) else [*map(str.casefold, _RUN.findall(text))]
    again = len(runs) - len(set(runs))
    places = chain.from_iterable(_repeated(runs, size, size) for size in range(1, min(again, LONGEST) + 1))
    # The pattern takes long, and finds nothing else; but for it \u0130 is an i, which it is not when it is folded.
    if next(places, None) is None and "\u0130" not in text:
        return None
    found = _TWICE.search(text)
    return found.group(1) if found is not None else None


def _phrase(words: Sequence[str], size: int) -> str | None:
    """The first words, so many and one of them long, that come again soon."""
    long_words = [word for word in words if len(word) >= LONG_WORD]
    if len(set(long_words)) == len(long_words):
        return None
    last: dict[tuple[str, ...], int] = {}
    for place in range(len(words) - size + 1):
        phrase = tuple(words[place : place + size])
        long = any(len(word) >= LONG_WORD and word.isalpha() for word in phrase)
        if long and place - last.get(phrase, -NEAR - 1) <= NEAR:
            return " ".join(phrase)
        last[phrase] = place
    return None
