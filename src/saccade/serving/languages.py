"""Between which languages a model translates: what it may be asked for, and which texts go together."""

from collections.abc import Mapping, Sequence

from saccade.data.language_tokens import in_languages, names_both_languages, told_languages
from saccade.data.tokenizer import Tokenizer
from saccade.errors import ConfigError, InputError

LanguagePair = tuple[str | None, str | None]
"""A source and a target language; None is the one that the model has."""


def tokenizers_between(
    tokenizers: tuple[Tokenizer, Tokenizer], own: LanguagePair, asked: LanguagePair
) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers of a model for the languages that are asked for.

    Of a model of one pair of languages only that pair can be asked for.
    """
    names = "source_language", "target_language"
    changed: Mapping[str, str] = {
        name: wanted
        for name, has, wanted in zip(names, own, asked, strict=True)
        if wanted is not None and wanted != has
    }
    for name, has in zip(names, own, strict=True):
        if name in changed and has is not None and not _is_told(name, tokenizers):
            raise ConfigError(f"`{name}` must be {has}, the only one of this model, but is {changed[name]!r:.40}.")
    return in_languages(tokenizers, changed.get("source_language"), changed.get("target_language"))


def _is_told(name: str, tokenizers: tuple[Tokenizer, Tokenizer]) -> bool:
    """Whether a piece of the vocabulary tells the model its source language, or its target language."""
    source, _ = tokenizers
    return names_both_languages(source) or (
        name == "target_language" and source.vocabulary is not None and bool(source.vocabulary.languages)
    )


def known_languages(
    tokenizers: tuple[Tokenizer, Tokenizer], own: LanguagePair
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a model can read and what it can write, its own languages first; nothing where that is not known."""
    source, _ = tokenizers
    told = told_languages(source)
    return _own_first(own[0], told if names_both_languages(source) else ()), _own_first(own[1], told)


def _own_first(own: str | None, told: tuple[str, ...]) -> tuple[str, ...]:
    """The languages of one side; the own one of a model that is told may be the name of a whole family."""
    if not told:
        return () if own is None else (own,)
    return tuple(sorted(told, key=lambda language: language != own))


def places_by_languages(
    source_language: str | Sequence[str] | None, target_language: str | Sequence[str] | None, count: int
) -> dict[LanguagePair, list[int]]:
    """The places of `count` texts, by the languages given for all of them or for each."""
    pairs = zip(
        _for_each(source_language, "source_language", count),
        _for_each(target_language, "target_language", count),
        strict=True,
    )
    groups: dict[LanguagePair, list[int]] = {}
    for place, pair in enumerate(pairs):
        groups.setdefault(pair, []).append(place)
    return groups or {(None, None): []}


def _for_each(given: str | Sequence[str] | None, name: str, count: int) -> Sequence[str | None]:
    if given is None or isinstance(given, str):
        return [given] * count
    if len(given) != count:
        raise InputError(f"`{name}` must be one language or {count}, but there are {len(given)}.")
    return given
