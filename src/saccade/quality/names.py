"""Names: those of the source that are missing in the output, and those there that the source does not have.

A name is a word with a capital inside a sentence. It comes back if some word of the output is like it: names are
inflected and lose accents, but keep their first letter. Many names are translated (London, Monday, Parliament); which
these are is learned from pairs of texts, where nothing is like them on the other side (`saccade calibrate`). All others
must come back, and an output has no others than its source. Nothing is said about languages that write all nouns with
capitals, about headlines, and where the two sides have different scripts.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import filterfalse, islice
from os.path import commonprefix

from saccade.language_codes import language_code
from saccade.quality.faults import Fault
from saccade.quality.words import find_words, folded_words, words_of

SHORTEST = 4
"""Letters of a name: shorter ones are like too many other words."""
LIKE = 0.7
"""How much of two words must agree (twice the letters in common by those of both) to be forms of one name."""
OFTEN = 0.15
"""The share of its occurrences without counterpart from which a name counts as translated."""
MOST_NAMES = 4_000
"""Translated names that are remembered for each side."""
LONGEST_TEXT = 2_000
"""Characters of a text that is learned from."""
NOUNS_WITH_CAPITALS = frozenset({"de", "lb", "nds", "gsw", "bar"})
_OPENS = frozenset(".!?:\u2026\"\u201c\u201d\u00ab\u00bb\u2018\u2019'([\u00bf\u00a1\u2014\u2013-*\u2022")
"""What stands before a word that may have a capital without being a name."""
_LATIN = re.compile("[\\x00-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u024f\u2000-\u206f\u20a0-\u20cf]*")
"""A text in which all letters have names in Unicode that begin with this word."""


@dataclass(frozen=True)
class TranslatedNames:
    """Names, without case, that often have no counterpart like them on the other side."""

    source: frozenset[str] = frozenset()
    target: frozenset[str] = frozenset()

    @classmethod
    def learned(cls, pairs: Iterable[tuple[str, str]]) -> "TranslatedNames":
        """Those of these sources and references, the most frequent first where there are too many."""
        sides = (_Counts(), _Counts())
        for pair in pairs:
            if len(pair[0]) > LONGEST_TEXT or not _comparable(*pair):
                continue
            for text, other, counts in zip(pair, reversed(pair), sides, strict=True):
                counts.add(text, other)
        return cls(*(counts.translated() for counts in sides))


class _Counts:
    """How often each name was there, and how often nothing was like it on the other side."""

    def __init__(self) -> None:
        self._all: Counter[str] = Counter()
        self._lost: Counter[str] = Counter()

    def add(self, text: str, other: str) -> None:
        names = names_of(text)
        lost = _without_like(names, other)
        for name in names:
            self._all[name.casefold()] += 1
            self._lost[name.casefold()] += name in lost

    def translated(self) -> frozenset[str]:
        often = [name for name, count in self._lost.most_common() if count > OFTEN * self._all[name]]
        return frozenset(often[:MOST_NAMES])


@dataclass(frozen=True)
class NameCheck:
    """Compares the names of both sides, which are in these languages; None is one that is not known."""

    translated: TranslatedNames
    source_language: str | None = None
    target_language: str | None = None

    def __call__(self, source: str, output: str) -> list[Fault]:
        """Names that one side has and the other has not."""
        if not _comparable(source, output):
            return []
        faults = []
        if language_code(self.source_language) not in NOUNS_WITH_CAPITALS:
            lost = _without_counterpart(source, output, self.translated.source)
            faults += [Fault("name_dropped", name) for name in lost]
        if language_code(self.target_language) not in NOUNS_WITH_CAPITALS:
            new = _without_counterpart(output, source, self.translated.target)
            faults += [Fault("name_invented", name) for name in new]
        return faults


def _without_counterpart(text: str, other: str, translated: frozenset[str]) -> list[str]:
    names = [word for word in _possible_names(text) if word.casefold() not in translated]
    lost = _without_like(names, other)
    return [name for name in names_of(text) if name in lost] if lost else []


def _without_like(names: Iterable[str], text: str) -> set[str]:
    """The names that no word of a text is like."""
    words = folded_words(text)
    return {name for name in names if name.casefold() not in words and not _is_like_any(_plain(name), words)}


def _is_like_any(name: str, words: Iterable[str]) -> bool:
    # Letters with accents are the only ones that are others without them.
    alike = (word for word in words if word[0] == name[0] or not word[0].isascii())
    return any(_is_like(name, _plain(word)) for word in alike)


def _comparable(source: str, output: str) -> bool:
    """Whether names can be told on both sides, and have the same letters."""
    return not _is_headline(source) and _script(source) == _script(output)


def names_of(text: str) -> list[str]:
    """The words of a text with a capital that no beginning of a sentence explains; capitals alone are no name."""
    if not _possible_names(text):
        return []
    found = []
    for match in islice(find_words(text), 1, None):
        word = match.group()
        if not _may_be_name(word):
            continue
        place = match.start() - 1
        while place >= 0 and text[place].isspace():
            place -= 1
        if place < 0 or text[place] not in _OPENS:
            found.append(word)
    return found


def _possible_names(text: str) -> list[str]:
    """Its words that look like names, wherever they stand."""
    return [word for word in filterfalse(str.islower, words_of(text)[1:]) if _may_be_name(word)]


def _may_be_name(word: str) -> bool:
    return word[0].isupper() and len(word) >= SHORTEST and word.isalpha() and not word.isupper()


def _is_like(name: str, word: str) -> bool:
    """Whether a word may be a form of the name, both without case and accents."""
    if name[:1] != word[:1]:
        return False

    def is_enough(common: int) -> bool:
        return 2 * common / (len(name) + len(word)) >= LIKE

    # They have equal beginnings in common, and no letter that only one of them has: that tells of most.
    if is_enough(len(commonprefix((name, word)))):
        return True
    most = min(sum(map(word.__contains__, name)), sum(map(name.__contains__, word)))
    return is_enough(most) and SequenceMatcher(None, name, word, autojunk=False).ratio() >= LIKE


def _plain(word: str) -> str:
    """Without case and accents."""
    if word.isascii():
        return word.casefold()
    letters = unicodedata.normalize("NFD", word.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _is_headline(text: str) -> bool:
    """Whether most words after the first have capitals, and no full stop says that it is a sentence full of names."""
    if text.rstrip().endswith("."):
        return False
    words = [word for word in words_of(text)[1:] if word.isalpha()]
    words = [word for word in words if len(word) >= SHORTEST] or words  # short ones are often small in headlines too
    capitals = sum(word[0].isupper() for word in words)
    return capitals == 2 if len(words) == 2 else len(words) > 2 and 2 * capitals > len(words)


def _script(text: str) -> str | None:
    """The script of most letters, as Unicode names them: LATIN, CYRILLIC, CJK."""
    if text.isascii() or (_LATIN.fullmatch(text) and any(map(str.isalpha, text))):
        return "LATIN"
    names = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in text if letter.isalpha())
    return names.most_common(1)[0][0] if names else None
