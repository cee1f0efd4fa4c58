"""Where sentences begin and end, by the rules that `sentencex` has for some 300 languages.

Of it and pysbd, the other library of rules, each split 38 of 47 hand-made cases as we would (abbreviations, initials,
quotes, ellipses, numbers, addresses, Spanish, German, French, Russian, Chinese, Japanese, Arabic, Hindi); this one is
maintained and 470 times as fast. Where it is unsure it does not split.
"""

import re

import sentencex

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
    spans, position = [], 0
    for piece in pieces:
        begin = position + len(piece) - len(piece.lstrip())
        end = begin + len(piece.strip())
        if begin < end:
            spans.append((begin, end))
        position += len(piece)
    return spans
