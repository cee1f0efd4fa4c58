"""Words that a word vocabulary lacks, written after all.

A closed word vocabulary writes `<unk>` where it has no word. Most of these are names and numbers, which look alike in
both languages: each is replaced by the source word that it attended to most, or by that word's entry in a dictionary
(Luong et al. 2015, section 4; Jean et al. 2015).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from saccade.data.normalisation import normalise
from saccade.data.text_lines import read_lines
from saccade.data.tokenizer import UNKNOWN, Tokenizer
from saccade.errors import ConfigError, InputError
from saccade.models.contract import Transducer
from saccade.serving.translation import Candidate

COPY = "copy"


@dataclass(frozen=True)
class UnknownWords:
    """What replaces an unknown word: the entry of the source word it was aligned with; if it has none, that word."""

    dictionary: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, name: str) -> "UnknownWords":
        """The word "copy", or a file with a source word, a tab and its translation on each line."""
        if name == COPY:
            return cls()
        dictionary: dict[str, str] = {}
        for number, line in enumerate(read_lines(Path(name)), start=1):
            columns = line.split("\t")
            if len(columns) != 2 or not all(column.strip() for column in columns):
                raise InputError(
                    f"line {number} of `{name}` must be a source word, a tab and its translation, but is {line[:60]!r}."
                )
            word, translation = map(normalise, columns)
            dictionary.setdefault(word, translation)
        return cls(dictionary)

    def replaced(self, source: str, candidate: Candidate) -> Candidate:
        """The candidate, which must be aligned, with its unknown words replaced in text and alignment."""
        aligned = candidate.alignment
        assert aligned is not None, "an unknown word is found by its alignment"
        if UNKNOWN not in aligned.target_words:
            return candidate
        # A closed vocabulary has one token for each word, so places in the text are places of tokens.
        written = normalise(source).split()
        source_words = tuple(
            written[place] if word == UNKNOWN else word for place, word in enumerate(aligned.source_words)
        )
        target_words = list(aligned.target_words)
        for looked_at, place in aligned.links:
            if target_words[place] == UNKNOWN:
                target_words[place] = self.dictionary.get(source_words[looked_at], source_words[looked_at])
        alignment = replace(aligned, source_words=source_words, target_words=tuple(target_words))
        return replace(candidate, text=" ".join(target_words), alignment=alignment)


def check_unknown_words(model: Transducer[Any, Any], tokenizer: Tokenizer) -> None:
    """Refuses a model that writes no unknown words, or that does not attend."""
    if not tokenizer.writes_unknown:
        raise ConfigError(
            "`unknown_words` must come with a word vocabulary that has an unknown word, but this model spells what its "
            'vocabulary lacks. Leave it out, or train with data.pieces = "word" and data.byte_fallback = false.'
        )
    if not model.attends:
        raise ConfigError(
            "`unknown_words` must come with a model that attends to its source, but this one does not. Leave it out, "
            "or train one that attends, such as luong."
        )
