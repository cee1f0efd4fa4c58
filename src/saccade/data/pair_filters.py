"""Which pairs of a corpus are worth keeping, judged by themselves alone; each rule gives a reason in few words.

Lengths are in letters: a character of Chinese, Japanese or Korean counts as three, which is about what its translation
has, so that one ratio suits all languages.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from saccade.data.language_identification import has_bytes_of_letters, other_language
from saccade.data.parallel_text import EMPTY, OUT_OF_PROPORTION, TOO_LONG
from saccade.errors import ConfigError

DAMAGED, FEW_LETTERS, LONG_WORD, COPY = "damaged characters", "hardly any letters", "over-long word", "copied source"
NUMBERS, SOURCE_LANGUAGE, TARGET_LANGUAGE = "numbers differ", "source in another language", "target in another language"

FEWEST_BYTES = 30
"""Of letters; a shorter line says too little about its language."""
_LETTER_SHARE = 0.3
_SLACK = 20
"""Letters by which the longer side may be longer in any case: a word may well be three in another language."""
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")
# Scripts that put no spaces between words: Thai, Lao, Myanmar, Khmer, and those of East Asia.
_WITHOUT_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]")
_NUMBER = re.compile(r"\d(?:[\d.,'’ \u00a0\u202f]*\d)?")
_NO_DIGIT = re.compile(r"\D")
_NOT_WORD = re.compile(r"[\W_]+")

Rule = Callable[[str, str], bool]


@dataclass(frozen=True)
class CleaningConfig:
    """What a pair must keep to. Languages that are None are not checked; `repeats` is how often a line may occur."""

    source_language: str | None = None
    target_language: str | None = None
    maximum_length: int = 1_000
    maximum_ratio: float = 3.0
    maximum_word: int = 60
    repeats: int = 50
    numbers: bool = False

    def __post_init__(self) -> None:
        for name, least in (("maximum_length", 1), ("maximum_ratio", 1), ("maximum_word", 1), ("repeats", 1)):
            if not getattr(self, name) >= least:  # nor is a ratio that is no number
                raise ConfigError(f"`{name}` must be at least {least}, but is {getattr(self, name)}.")

    def rules(self) -> Iterator[tuple[str, Rule]]:
        """The rules that cost little, in the order in which they are asked, each with its reason."""
        yield EMPTY, lambda source, target: not (source and target)
        yield TOO_LONG, lambda source, target: max(length(source), length(target)) > self.maximum_length
        yield DAMAGED, lambda source, target: "\ufffd" in source or "\ufffd" in target
        yield FEW_LETTERS, lambda source, target: not (_has_letters(source) and _has_letters(target))
        yield OUT_OF_PROPORTION, self._out_of_proportion
        yield LONG_WORD, lambda source, target: self._has_long_word(source) or self._has_long_word(target)
        yield COPY, lambda source, target: folded(source) == folded(target)
        if self.numbers:
            yield NUMBERS, lambda source, target: _numbers(source) != _numbers(target)

    def language_rules(self) -> Iterator[tuple[str, Rule]]:
        """Those that cost most."""
        first, second = self.source_language, self.target_language
        if first is not None:
            yield SOURCE_LANGUAGE, lambda source, _: _is_other_language(source, first)
        if second is not None:
            yield TARGET_LANGUAGE, lambda _, target: _is_other_language(target, second)

    def _out_of_proportion(self, source: str, target: str) -> bool:
        shorter, longer = sorted((length(source), length(target)))
        return longer > self.maximum_ratio * shorter + _SLACK

    def _has_long_word(self, text: str) -> bool:
        if len(text) <= self.maximum_word:
            return False
        words = (word for word in text.split() if len(word) > self.maximum_word)
        return any("/" not in word and not _WITHOUT_SPACES.search(word) for word in words)


def length(text: str) -> int:
    """Of a text, in letters."""
    return len(text) if text.isascii() else len(text) + 2 * len(_WIDE.findall(text))


def folded(text: str) -> str:
    """Letters and digits alone, without case: what near duplicates have in common."""
    return _NOT_WORD.sub("", text.casefold())


def _has_letters(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    return letters > _LETTER_SHARE * (len(text) - text.count(" "))


def _numbers(text: str) -> list[str]:
    """The digits of every number, without what a language puts between them."""
    return sorted(_NO_DIGIT.sub("", number) for number in _NUMBER.findall(text))


def _is_other_language(text: str, expected: str) -> bool:
    return has_bytes_of_letters(text, FEWEST_BYTES) and other_language(text, expected) is not None
