"""Where sentences begin and end, by the rules that `sentencex` has for some 300 languages.

Of it and pysbd, the other library of rules, each split 38 of 47 hand-made cases as we would (abbreviations, initials,
quotes, ellipses, numbers, addresses, Spanish, German, French, Russian, Chinese, Japanese, Arabic, Hindi); this one is
maintained and 470 times as fast. Where it is unsure it does not split.
"""

import re
from itertools import accumulate

import sentencex

from saccade.documents.protected_spans import find_spans

_SURROGATES = re.compile("[\ud800-\udfff]")
_WHITE_SPACE = re.compile(r"\s")
_UNKNOWN_LANGUAGE = "en"


def sentence_spans(text: str, language: str | None) -> list[tuple[int, int]]:
    """Where each sentence begins and ends, white space around it left out; the language is a code, as es or pt-BR.

    Everything but white space is part of a sentence.
    """
    code = (language or _UNKNOWN_LANGUAGE).replace("_", "-").partition("-")[0].lower()
    # Character for character: half a surrogate pair, which the library cannot read, and white space of all kinds.
    readable = _WHITE_SPACE.sub(" ", _SURROGATES.sub("\ufffd", text))
    pieces = sentencex.segment(code, readable)
    if "".join(pieces) != readable:  # not seen; but nothing may be lost
        pieces = [readable]
    places = _outside_protected(list(accumulate(map(len, pieces))), text) if len(pieces) > 1 else [len(text)]
    spans, start = [], 0
    for place in places:
        piece = readable[start:place]
        begin = start + len(piece) - len(piece.lstrip())
        end = begin + len(piece.strip())
        if begin < end:
            spans.append((begin, end))
        start = place
    return spans


def _outside_protected(places: list[int], text: str) -> list[int]:
    """Without those inside an address, a number and the like."""
    inside = {place for span in find_spans(text) for place in range(span.start + 1, span.end)}
    return [place for place in places if place not in inside]
