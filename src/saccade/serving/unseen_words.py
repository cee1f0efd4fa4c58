"""Words in letters that a model has never seen: a Chinese name in an English sentence. No model can translate them.

They are copied as protected spans are (`kept_spans.py`), several in a row as one. A letter among others of its own
script that the model knows (the ř of Dvořák) makes no such word: the model may know what to do with it.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence

from saccade.data.tokenizer import Tokenizer
from saccade.documents.protected_spans import Span

KIND = "letters"
_BETWEEN = frozenset(" \u00a0\u3000-'\u2019\u00b7\u30fb\u3001\u3002\uff0c")
"""What may stand between two such words, or inside one."""
_OTHER_LETTER = re.compile(r"[^\W\x00-\x7f]")


def unseen_words(text: str, tokenizer: Tokenizer) -> list[Span]:
    """Where they stand, in order."""
    if text.isascii() or _OTHER_LETTER.search(text) is None:
        return []
    spans: list[Span] = []
    start = end = -1  # of the words that are being read, none at first
    for place, character in enumerate(f"{text}\0"):
        if character.isalpha() and not character.isascii() and tokenizer.lacks_letter(character):
            start, end = (place if start < 0 else start), place + 1
        elif start >= 0 and unicodedata.category(character)[0] == "M":
            end = place + 1
        elif start >= 0 and character not in _BETWEEN:
            if not _is_part_of_word(text, start, end):
                spans.append(Span(start, end, text[start:end], KIND))
            start = -1
    return spans


def with_unseen_words(spans: Sequence[Span], text: str, tokenizer: Tokenizer) -> Sequence[Span]:
    """The spans of a text and its unseen words, in order; what is in both is the span."""
    unseen = unseen_words(text, tokenizer)
    if not unseen:
        return spans
    ends = [span.end for span in spans]
    free = []
    for one in unseen:
        place = bisect_right(ends, one.start)  # of the first span that ends behind where this one begins
        if place == len(spans) or one.end <= spans[place].start:
            free.append(one)
    return sorted([*spans, *free], key=lambda span: span.start)


def _is_part_of_word(text: str, start: int, end: int) -> bool:
    """Whether a known letter of the same script touches it."""
    sides = (text[start - 1 : start], text[start]), (text[end : end + 1], text[end - 1])
    return any(outside.isalpha() and _script(outside) == _script(inside) for outside, inside in sides)


def _script(letter: str) -> str:
    """As Unicode names it: LATIN, CYRILLIC, CJK."""
    return unicodedata.name(letter, "").partition(" ")[0]
