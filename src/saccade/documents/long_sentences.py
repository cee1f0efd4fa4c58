"""A sentence that is too long for a model is cut at good places, and nothing of it is lost.

Each cut is near the middle, so that no short rest is left over: after a semicolon, colon or dash if there is one in the
middle half, else after a comma, else before a conjunction, else at a space; where there is none at all, between two
characters. A protected span is never cut, and neither is a word of a script that parts its words by spaces: one that is
too long for a model is no word but data, of which every part would be translated into something.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator

from saccade.documents.protected_spans import find_spans

# Words that often begin a clause: en, es, de, fr, it and pt.
_CONJUNCTIONS = (
    "and|or|but|because|although|while|which|that|who|when|where|if|"
    "y|o|pero|porque|aunque|mientras|que|cuando|donde|si|"
    "und|oder|aber|weil|obwohl|während|dass|wenn|"
    "et|ou|mais|parce|quand|lorsque|où|"
    "e|ma|perché|mentre|quando|mas|enquanto"
)
# The places after these matches, best first; behind Chinese and Arabic marks there need not be a space.
_PLACES = (
    re.compile(r"[;:؛]\s+|\s[–—-]\s+|—|[；：]\s*"),
    re.compile(r"[,،]\s+|[，、]\s*"),
    re.compile(rf"(?<!\s)\s+(?=(?:{_CONJUNCTIONS})\s)", re.IGNORECASE),
    re.compile(r"\s+"),
)
_JOINER = "\u200d"
# One word, or data written as one: letters and digits, but of no script that is written without spaces.
_ONE_WORD = re.compile(
    r"\W*+(?:[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]|[+/=-])++\W*+"
)


def cut(text: str, fits: Callable[[str], bool]) -> list[str]:
    """Pieces that fit, which joined are the text; a character, a word or a span is given back even if it does not."""
    if fits(text) or len(text) < 2 or _ONE_WORD.fullmatch(text):
        return [text]
    place = _best_place(text)
    return [text] if place is None else cut(text[:place], fits) + cut(text[place:], fits)


def _best_place(text: str) -> int | None:
    middle, quarter = len(text) / 2, len(text) / 4
    inside = {place for span in find_spans(text) for place in range(span.start + 1, span.end)}
    for kind in _PLACES:
        places = [found.end() for found in kind.finditer(text) if 0 < found.end() < len(text)]
        places = [place for place in places if place not in inside]
        # Any space is better than a cut inside a word; the other places must be near the middle.
        near = [place for place in places if abs(place - middle) <= quarter] or (places if kind is _PLACES[-1] else [])
        if near:
            return min(near, key=lambda place: abs(place - middle))
    places = [place for place in _between_characters(text) if place not in inside]
    return min(places, key=lambda place: abs(place - middle), default=None if inside else len(text) // 2)


def _between_characters(text: str) -> Iterator[int]:
    """Places where neither an accent nor a part of an emoji is torn from what it belongs to."""
    for place in range(1, len(text)):
        before, after = text[place - 1], text[place]
        belongs = unicodedata.category(after) in ("Mn", "Mc", "Me", "Sk") or _JOINER in (before, after)
        if not belongs:
            yield place
