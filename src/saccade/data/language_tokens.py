"""Models of several languages, told which of them to read and to write.

M2M100, NLLB     a text begins with the piece of its own language, the source and the target alike
Marian           a source begins with the piece of the language to write; which language it reads, it finds out
"""

from saccade.data.tokenizer import Tokenizer
from saccade.data.vocabulary_tokenizer import VocabularyTokenizer
from saccade.errors import ConfigError


def names_both_languages(tokenizer: Tokenizer) -> bool:
    """Whether each text of this tokenizer begins with its own language."""
    return tokenizer.vocabulary is not None and bool(tokenizer.vocabulary.language_codes)


def told_languages(tokenizer: Tokenizer) -> tuple[str, ...]:
    """The languages that a model can be told, by a piece before what this tokenizer cuts."""
    return () if tokenizer.vocabulary is None else tuple(tokenizer.vocabulary.language_names)


def in_languages(
    tokenizers: tuple[Tokenizer, Tokenizer], source_language: str | None, target_language: str | None
) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers of both sides for these languages; one that is not named stays what it was."""
    source, target = tokenizers
    if names_both_languages(source):
        return _begins(source, source_language, "source_language"), _begins(target, target_language, "target_language")
    if source_language is not None:
        raise ConfigError("`source_language` must be left out for a model that is not told what it reads.")
    return _begins(source, target_language, "target_language"), target


def _begins(tokenizer: Tokenizer, language: str | None, what: str) -> Tokenizer:
    if language is None:
        return tokenizer
    if not isinstance(tokenizer, VocabularyTokenizer) or not tokenizer.vocabulary.languages:
        raise ConfigError(f"`{what}` must be left out for a model of one pair of languages, but is {language!r:.40}.")
    return tokenizer.beginning_with(tokenizer.vocabulary.language_piece(language, what))
