"""Where sentences begin and end, by the rules that `sentencex` has for some 300 languages.

Of it and pysbd, the other library of rules, each split 38 of 47 hand-made cases as we would (abbreviations, initials,
quotes, ellipses, numbers, addresses, Spanish, German, French, Russian, Chinese, Japanese, Arabic, Hindi); this one is
maintained and 470 times as fast.

It splits nothing inside quotation marks and parentheses, and takes some that are closed for open. A model that was
trained on sentences drops parts of such a text, so two rules of ours add what is safe, and a mark that stands on the
wrong side of a boundary is moved.
"""

import re
from itertools import accumulate

import sentencex

from saccade.documents.protected_spans import find_spans

_SURROGATES = re.compile("[\ud800-\udfff]")
_WHITE_SPACE = re.compile(r"\s")
_UNKNOWN_LANGUAGE = "en"
_QUOTES = "\"'”’»«“„"
_STOP = re.compile(r"""(?P<word>[^\W\d_]+)(?P<stop>[.!?…])(?P<quote>["”»’]?)\s+(?=["“«„(¿¡]?(?P<next>[^\W\d_]))""")
SHORTEST = 4
"""Letters in lower case at the end of a word that hardly is an abbreviation."""
# Those that are one nevertheless; and shorter words that the library takes for one, as `me` for Maine.
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
_WORDS = frozenset(("me", "no", "ill", "art", "mar", "mag"))


def sentence_spans(text: str, language: str | None) -> list[tuple[int, int]]:
    """Where each sentence begins and ends, white space around it left out; the language is a code, as es or pt-BR.

    Everything but white space is part of a sentence.
    """
    code = (language or _UNKNOWN_LANGUAGE).replace("_", "-").partition("-")[0].lower()
    # Character for character: half a surrogate pair, which the library cannot read, and white space of all kinds.
    readable = _WHITE_SPACE.sub(" ", _SURROGATES.sub("\ufffd", text))
    pieces = sentencex.segment(code, readable)
    places = set(accumulate(map(len, pieces))) if "".join(pieces) == readable else set()
    places = {_beside_quote(readable, place) for place in places}
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
    before, after = text[:place][-2:], text[place : place + 2]
    if len(after) == 2 and after[0] in _QUOTES and after[1] == " " and not before.endswith(" "):
        return place + 1  # it closes what was said: `Really?` `" she asked`
    if len(before) == 2 and before[0] == " " and before[1] in _QUOTES and after[:1].strip():
        return place - 1  # it opens what is said next: `So it is. "` `We know.`
    return place
