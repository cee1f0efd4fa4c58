"""Where sentences begin and end, by the rules that `sentencex` has for some 300 languages.

Of it and pysbd, the other library of rules, each split 38 of 47 hand-made cases as we would (abbreviations, initials,
quotes, ellipses, numbers, addresses, Spanish, German, French, Russian, Chinese, Japanese, Arabic, Hindi); this one is
maintained and 470 times as fast.

It splits nothing inside quotation marks and parentheses, and takes some that are closed for open. A model that was
trained on sentences drops parts of such a text, so two rules of ours add what is safe, and a mark that stands on the
wrong side of a boundary is moved. A very long text is split window by window, because the time that the library takes
for one may grow with the square of its length.
"""

import re
from collections.abc import Iterator
from itertools import accumulate

import sentencex

from saccade.documents.protected_spans import find_spans
from saccade.language_codes import language_code

_SURROGATES = re.compile("[\ud800-\udfff]")
_WHITE_SPACE = re.compile(r"[^\S ]")
_UNKNOWN_LANGUAGE = "en"
_QUOTES = "\"'”’»«“„"
_STOP = re.compile(
    r"""(?<![^\W\d_])(?P<word>[^\W\d_]++)(?P<stop>[.!?…])(?P<quote>["”»’]?)\s++(?=["“«„(¿¡]?(?P<next>[^\W\d_]))"""
)
_STOP_INSIDE = re.compile(r"""[.!?…]["”»’]?\s""")
WINDOW = 5_000
"""Characters that are split at once."""
SHORTEST = 4
"""Letters in lower case at the end of a word that hardly is an abbreviation."""
# Those that are one nevertheless; and shorter words that are none: the library takes `me` for Maine.
_ABBREVIATIONS = frozenset(
    (
        "approx",
        "aprox",
        "beisp",
        "bspw",
        "bzgl",
        "dept",
        "evtl",
        "excl",
        "exkl",
        "feat",
        "ggfs",
        "incl",
        "inkl",
        "insb",
        "messrs",
    )
    + ("prof", "prov", "resp", "sogn", "univ", "zzgl")
)
_WORDS = frozenset(
    ("me", "no", "ill", "art", "mar", "mag")
    + (
        "all",
        "day",
        "did",
        "her",
        "him",
        "is",
        "it",
        "now",
        "one",
        "out",
        "say",
        "so",
        "too",
        "up",
        "was",
        "way",
        "you",
    )
    + ("así", "día", "fue", "hoy", "más", "son", "vez", "él")
    + (
        "ab",
        "an",
        "auf",
        "aus",
        "ein",
        "gab",
        "hat",
        "ist",
        "kam",
        "mit",
        "nie",
        "sei",
        "tun",
        "um",
        "vor",
        "war",
        "zu",
    )
)


def sentence_spans(text: str, language: str | None) -> list[tuple[int, int]]:
    """Where each sentence begins and ends, white space around it left out; the language is a code, as es or pt-BR.

    Everything but white space is part of a sentence.
    """
    code = language_code(language) or _UNKNOWN_LANGUAGE
    # Character for character: half a surrogate pair, which the library cannot read, and white space of all kinds.
    readable = _WHITE_SPACE.sub(" ", text if text.isascii() else _SURROGATES.sub("\ufffd", text))
    places = {_beside_quote(readable, place) for place in _boundaries(readable, code)}
    if _STOP_INSIDE.search(readable):
        places |= {found.end() for found in _STOP.finditer(readable) if _ends_sentence(found)}
    places -= {0, len(text)}
    if places:
        places -= {place for span in find_spans(text) for place in range(span.start + 1, span.end)}
    spans, start = [], 0
    for place in [*sorted(places), len(text)]:
        piece = readable[start:place]
        begin = start + len(piece) - len(piece.lstrip())
        end = begin + len(piece.strip())
        if begin < end:
            spans.append((begin, end))
        start = place
    return spans


def _boundaries(text: str, language: str) -> Iterator[int]:
    """Where the library ends sentences; a window begins at the last end that was found in the one before."""
    start = 0
    while start < len(text):
        window = text[start : start + WINDOW]
        pieces = sentencex.segment(language, window)
        ends = [start + end for end in accumulate(map(len, pieces))] if "".join(pieces) == window else []
        if start + WINDOW < len(text):
            ends = [end for end in ends if end < start + WINDOW]
        yield from ends
        # Half a window at least, so that the time is bounded even where there is no end.
        start = ends[-1] if ends and ends[-1] >= start + WINDOW // 2 else start + WINDOW


def _ends_sentence(found: re.Match[str]) -> bool:
    """Whether a stop ends a sentence without doubt: after a quotation, or a word that is no abbreviation."""
    word = found["word"]
    if not found["next"].isupper():
        return False
    if found["quote"]:
        return found["stop"] == "."
    ending = word[-SHORTEST:]
    return word in _WORDS or (len(ending) == SHORTEST and ending.islower() and word.lower() not in _ABBREVIATIONS)


def _beside_quote(text: str, place: int) -> int:
    """The place of a boundary, or the one beside the mark that belongs to the other side."""
    before, after = text[max(place - 2, 0) : place], text[place : place + 2]
    if len(after) == 2 and after[0] in _QUOTES and after[1] == " " and not before.endswith(" "):
        return place + 1  # it closes what was said: `Really?` `" she asked`
    if len(before) == 2 and before[0] == " " and before[1] in _QUOTES and after[:1].strip():
        return place - 1  # it opens what is said next: `So it is. "` `We know.`
    return place
