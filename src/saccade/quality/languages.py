"""Outputs that are not in the target language: copies of the source, and text of another language.

Names and addresses are the same in both, so a copy counts only where it has words with small letters, and enough of
them. What language a text is in, py3langid tells, for long enough texts (`data/language_identification.py`).
"""

from dataclasses import dataclass
from functools import lru_cache

from saccade.data.language_identification import has_bytes_of_letters, identifier, is_known, other_language
from saccade.documents.protected_spans import find_spans
from saccade.language_codes import language_code
from saccade.quality.faults import Fault
from saccade.quality.words import words_of

FEWEST_WORDS = 3
"""Copied words in a row that are no accident; shorter texts are often the same in both languages."""
COPIED = 0.6
"""The share of an output in such runs that makes it a copy."""
FEWEST_BYTES = 40
"""Of letters; a shorter output says too little about its language."""


@dataclass(frozen=True)
class LanguageCheck:
    """Compares an output with its source and with the language it should be in."""

    source_language: str | None
    target_language: str | None

    def __call__(self, source: str, output: str) -> list[Fault]:
        """A copy, or else another language."""
        if self.source_language is None or self.target_language is None:
            return []
        if language_code(self.source_language) == language_code(self.target_language):
            return []
        run = copied(source, output)
        if run is not None:
            return [Fault("copy", run)]
        other = self._other(output)
        return [Fault("wrong_language", other)] if other is not None else []

    def _other(self, output: str) -> str | None:
        assert self.target_language is not None
        text = _without_spans(output)
        if not has_bytes_of_letters(text, FEWEST_BYTES):
            return None
        try:
            identifier()
        except (OSError, MemoryError):  # it unpacks into a temporary file: no room for that is no fault of the output
            return None
        return other_language(text, self.target_language) if is_known(self.target_language) else None


def copied(source: str, output: str) -> str | None:
    """The longest run of words that the source has in the same order, if such runs are most of the output."""
    there, here = words_of(_without_spans(source)), words_of(_without_spans(output))
    if sum(map(set(there).__contains__, here)) < COPIED * len(here):
        return None  # the usual case: too few words to make such runs
    phrases = {there[place : place + FEWEST_WORDS] for place in range(len(there) - FEWEST_WORDS + 1)}
    runs, place = list[tuple[str, ...]](), 0
    while place < len(here):
        end = place
        while here[end : end + FEWEST_WORDS] in phrases:
            end += 1
        run = here[place : end + FEWEST_WORDS - 1] if end > place else ()
        if sum(word.islower() and len(word) > 1 for word in run) >= FEWEST_WORDS - 1:
            runs.append(run)
        place = end + FEWEST_WORDS - 1 if end > place else place + 1
    longest = max(runs, key=len, default=())
    return " ".join(longest) if runs and sum(map(len, runs)) >= COPIED * len(here) else None


@lru_cache(maxsize=2)  # both checks of an output ask for it
def _without_spans(text: str) -> str:
    for span in reversed(find_spans(text)):
        text = f"{text[: span.start]} {text[span.end :]}"
    return text
