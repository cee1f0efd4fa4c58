"""The language of a text, as far as py3langid can tell it: 140 languages, and one suspicion where it is strong.

Of single lines with at least 20 letters of Tatoeba and of texts from programs, in English and Spanish, it found the
right language 20 times less probable than another one once in 17,700; of lines in another language (English, Spanish or
German) than the expected one, it did so for 99.5 % and more. The line is drawn there.
"""

from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from saccade.data.language_scores import LanguageScores
from saccade.language_codes import language_code

IMPROBABLE = 1 / 20
"""How probable the expected language must be, as a share of the most probable one's probability."""
_NO_LANGUAGE = "zxx"


def other_language(text: str, expected: str) -> str | None:
    """The most probable language of a text, if the expected one is improbable beside it."""
    code = language_code(expected)
    if _scores().surely_allow(code, text, IMPROBABLE):
        return None  # the usual case, at a fraction of the price
    probabilities = dict(identifier().rank(text))
    del probabilities[_NO_LANGUAGE]  # numbers, addresses and the like
    best = max(probabilities, key=lambda language: probabilities[language])
    return str(best) if probabilities[code] < IMPROBABLE * probabilities[best] else None


def language_in_name(path: Path) -> str | None:
    """The language that the name of a file ends with, as in train.en or train.en.gz, if it is a known one."""
    content = path.with_suffix("") if path.suffix in (".gz", ".xz") else path
    language = content.suffix.removeprefix(".")
    return language if language and is_known(language) else None


def is_known(language: str) -> bool:
    """Whether there is anything to be said about this language."""
    return language_code(language) in _known_codes()


def bytes_of_letters(text: str) -> int:
    """How much of a text can tell its language: a character of Chinese tells more than a letter."""
    return len("".join(filter(str.isalpha, text)).encode("utf-8", "surrogatepass"))


def has_bytes_of_letters(text: str, fewest: int) -> bool:
    """Whether so much of a text can tell its language: found at once in most texts."""
    first = len(list(islice(filter(str.isalpha, text), fewest)))
    return first == fewest or bytes_of_letters(text) >= fewest


@cache
def _scores() -> LanguageScores:
    return LanguageScores(identifier())


@cache
def _known_codes() -> frozenset[str]:
    return frozenset(identifier().labels)


@cache
def identifier() -> Any:
    """The model; raises OSError or MemoryError where there is no room to unpack it."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # reads 65 MB: only where there is text to judge

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
