"""Texts as words, for comparison: without case and punctuation, and apart where a script has no spaces."""

import re
from collections.abc import Iterator
from functools import lru_cache

# A character of a script that puts no spaces between words counts as a word: East Asia, Thai, Lao, Myanmar, Khmer.
_ALONE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3040-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_ALONE}]|(?:(?![{_ALONE}])[^\W_])+(?:['\u2019](?:(?![{_ALONE}])[^\W_])+)*")
# The same for texts without such characters, in a third of the time.
_SPACED_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
# Of Latin text without apostrophes they are what is left when all but letters and digits are spaces: half the time.
_LATIN = "".join(chr(code) if chr(code).isalnum() else " " for code in range(0x250))
_IS_LATIN = re.compile("[^'\u0250-\U0010ffff]*")
_HAS_ALONE = re.compile(f"[{_ALONE}]")
_HAS_OTHERS = re.compile(f"[_'\u2019{_ALONE}]")


def find_words(text: str) -> Iterator[re.Match[str]]:
    """The words of a text where they stand."""
    return _pattern(text).finditer(text)


@lru_cache(maxsize=4)  # all checks of one output ask for the words of the same two texts
def words_of(text: str) -> tuple[str, ...]:
    """The words of a text as they are written."""
    return tuple(text.translate(_LATIN).split() if _IS_LATIN.fullmatch(text) else _pattern(text).findall(text))


@lru_cache(maxsize=4)
def folded_words(text: str) -> tuple[str, ...]:
    """The words of a text without case."""
    return tuple(map(str.casefold, words_of(text)))


def are_runs(text: str) -> bool:
    """Whether the words of a text are its runs of letters, digits and underscores, none of them parted or joined."""
    return _HAS_OTHERS.search(text) is None


def _pattern(text: str) -> re.Pattern[str]:
    return _SPACED_WORD if text.isascii() or _HAS_ALONE.search(text) is None else _WORD
