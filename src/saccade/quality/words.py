"""Texts as words, for comparison: without case and punctuation, and apart where a script has no spaces."""

import re
from collections.abc import Iterator

# A character of a script that puts no spaces between words counts as a word: East Asia, Thai, Lao, Myanmar, Khmer.
_ALONE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3040-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_ALONE}]|(?:(?![{_ALONE}])[^\W_])+(?:['\u2019](?:(?![{_ALONE}])[^\W_])+)*")


def find_words(text: str) -> Iterator[re.Match[str]]:
    """The words of a text where they stand."""
    return _WORD.finditer(text)


def words_of(text: str) -> list[str]:
    """The words of a text as they are written."""
    return _WORD.findall(text)


def folded_words(text: str) -> list[str]:
    """The words of a text without case."""
    return [word.casefold() for word in words_of(text)]
