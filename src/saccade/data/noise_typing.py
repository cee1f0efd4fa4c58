"""Noise in how a sentence is written: capitals, slips of the hand, punctuation.

What a writer means (capitals, a title, no full stop) is done to both sides, so that a model keeps it. What is a mistake
(a typing error, a doubled mark) or mere haste (lower case) is done to the source alone, so that a model mends it.

Each kind of noise is called with a pair and a generator, and returns the changed pair, or None where it cannot change
this one.
"""

import random
import re

from saccade.data.parallel_text import TextPair

_FIRST_OF_WORD = re.compile(r"(?<![\w'’])[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")
_FULL_STOPS = (".", "。")
_ENDS = re.compile(r"(?<![.!?])[.!?]$")
_DROPPED = re.compile(r",|(?<=[^\W\d_])['’](?=[^\W\d_])")
_SHORTEST_WORD = 4
_WORDS_PER_TYPO = 10
# Keys that lie side by side on the keyboards of most languages in Latin script.
_NEIGHBOURS = {
    letter: row[max(place - 1, 0) : place] + row[place + 1 : place + 2]
    for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm")
    for place, letter in enumerate(row)
}


def upper_case(pair: TextPair, generator: random.Random) -> TextPair | None:  # noqa: ARG001 as its neighbours
    """ALL CAPITALS on both sides; a script without case stays as it is."""
    source, target = pair
    return (source.upper(), target.upper()) if source.upper() != source else None


def title_case(pair: TextPair, generator: random.Random) -> TextPair | None:  # noqa: ARG001
    """The First Letter Of Every Word on both sides, as in a headline."""
    source, target = (_FIRST_OF_WORD.sub(lambda found: found[0].upper(), text) for text in pair)
    return (source, target) if source != pair[0] else None


def lower_case(pair: TextPair, generator: random.Random) -> TextPair | None:  # noqa: ARG001
    """A source without capitals; the target keeps its own, because a reader wants a sentence."""
    source, target = pair
    return (source.lower(), target) if source.lower() != source else None


def typos(pair: TextPair, generator: random.Random) -> TextPair | None:
    """A slip in one in ten words of the source, at least one.

    Only words in lower case get one: who writes a name in an unusual way may mean it.
    """
    source, target = pair
    words = [found.span() for found in _WORD.finditer(source) if _may_have_typo(found[0])]
    if not words:
        return None
    slips = min(len(words), max(1, len(source.split()) // _WORDS_PER_TYPO))
    for start, end in sorted(generator.sample(words, slips), reverse=True):
        source = source[:start] + _slip(source[start:end], generator) + source[end:]
    return source, target


def missing_punctuation(pair: TextPair, generator: random.Random) -> TextPair | None:
    """No full stop on either side; or a source without one of its commas or apostrophes.

    Question and exclamation marks stay: without them a sentence may mean something else.
    """
    source, target = (text.rstrip() for text in pair)
    if _ends_in_full_stop(source) and _ends_in_full_stop(target) and generator.random() < 0.75:
        return source[:-1].rstrip(), target[:-1].rstrip()
    marks = [found.span() for found in _DROPPED.finditer(source)]
    if not marks:
        return None
    start, end = generator.choice(marks)
    return source[:start] + source[end:], target


def doubled_punctuation(pair: TextPair, generator: random.Random) -> TextPair | None:
    """The mark at the end of the source, or a comma, written twice or three times."""
    source, target = pair[0].rstrip(), pair[1]
    if found := _ends_mark(source):
        # Three full stops would be an ellipsis.
        return source + found * (1 if found == "." else generator.choice((1, 1, 2))), target
    return (source.replace(",", ",,", 1), target) if "," in source else None


def _may_have_typo(word: str) -> bool:
    return len(word) >= _SHORTEST_WORD and word.islower()


def _slip(word: str, generator: random.Random) -> str:
    """Two letters swapped, one lost, one twice, or one of the neighbouring key; the first letter stays."""
    place = generator.randrange(1, len(word) - 1)
    match generator.randrange(4):
        case 0:
            return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        case 1:
            return word[:place] + word[place + 1 :]
        case 2:
            return word[: place + 1] + word[place:]
        case _:
            near = _NEIGHBOURS.get(word[place])
            return word[:place] + (generator.choice(near) if near else "") + word[place + 1 :]


def _ends_in_full_stop(text: str) -> bool:
    return text.endswith(_FULL_STOPS) and not text[:-1].rstrip().endswith(_FULL_STOPS)


def _ends_mark(text: str) -> str | None:
    found = _ENDS.search(text)
    return found[0] if found else None
