"""Tokenizers of models that were trained elsewhere: a sentencepiece model that cuts, and a list of pieces that counts.

Marian, fairseq and Hugging Face cut text with a sentencepiece model and number its pieces with a vocabulary of their
own, which the source and the target language may share. What is not in the vocabulary is UNK: there are no bytes to
fall back to.

Models of several languages are told which by pieces of their own. In Marian's, `>>fra<<` at the beginning of a source
is the language to write. In M2M100 and NLLB every text, source or target, begins with the language that it is in,
`__fr__` or `fra_Latn`.

The normalisation is the one inside the sentencepiece model, so that the tokens of a text are those the model was
trained with.
"""

import copy
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count, islice
from pathlib import Path

from saccade.data.normalisation import without_surrogates
from saccade.data.ragged import Ragged
from saccade.data.sentencepiece_model import SPACE
from saccade.data.tokenizer import SPECIALS, SampledEncoder, Tokenizer
from saccade.errors import ConfigError, FormatError, did_you_mean
from saccade.json_files import StrictContent, checked, read_json
from saccade.special_tokens import BOS, EOS, PAD, UNK

FORMAT = 1
_LANGUAGE = (">>", "<<")
"""What a piece that names a language begins and ends with."""


class _VocabularyFile(StrictContent):
    """What a vocabulary file holds."""

    format: int
    pieces: list[str]
    pad: int
    eos: int
    unk: int
    prefix: list[str]
    language_codes: list[str] = []


@dataclass(frozen=True)
class Vocabulary:
    """The pieces of a model in the order of our token ids: PAD, EOS, UNK, BOS, then the others as they were numbered.

    `pad`, `eos` and `unk` are the numbers that these had in the vocabulary of origin, which has no BOS of its own.
    `prefix` are pieces that every text begins with, unless it names a language itself. `language_codes` are pieces of
    which every text begins with one, that of its own language.
    """

    pieces: tuple[str, ...]
    pad: int
    eos: int
    unk: int
    prefix: tuple[str, ...] = ()
    language_codes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        specials = (self.pad, self.eos, self.unk)
        if len(set(specials)) < 3 or not all(0 <= number < len(self.pieces) - 1 for number in specials):
            raise FormatError(
                f"the ids of pad, eos and unk must be three different ones below {len(self.pieces) - 1}, but are "
                f"{', '.join(map(str, specials))}. Get the model again."
            )
        if len(set(self.pieces)) < len(self.pieces):
            twice = next(piece for piece, times in Counter(self.pieces).items() if times > 1)
            raise FormatError(f"every piece must be in the vocabulary once, but {twice!r} is there twice.")

    @classmethod
    def of(
        cls,
        numbered: Sequence[str],
        pad: int,
        eos: int,
        unk: int,
        prefix: Sequence[str] = (),
        language_codes: Sequence[str] = (),
    ) -> "Vocabulary":
        """The vocabulary whose pieces have these numbers elsewhere, with a BOS of ours among them."""
        if not all(0 <= number < len(numbered) for number in (pad, eos, unk)):
            raise FormatError(
                f"the ids of pad, eos and unk must be below {len(numbered)}, the size of the vocabulary, but are "
                f"{pad}, {eos} and {unk}. Get the model again."
            )
        taken = set(numbered)
        start = next(name for name in chain(["<s>"], (f"<s_{number}>" for number in count())) if name not in taken)
        others = (piece for number, piece in enumerate(numbered) if number not in (pad, eos, unk))
        pieces = (numbered[pad], numbered[eos], numbered[unk], start, *others)
        return cls(pieces, pad, eos, unk, tuple(prefix), tuple(language_codes))

    @cached_property
    def original_ids(self) -> tuple[int | None, ...]:
        """The number of each piece in the vocabulary of origin; None for BOS, which was not in it."""
        specials = (self.pad, self.eos, self.unk)
        others = (number for number in range(len(self.pieces) - 1) if number not in specials)
        return (self.pad, self.eos, self.unk, None, *others)

    @cached_property
    def ids(self) -> dict[str, int]:
        """The token id of each piece that a text can have."""
        return {piece: token for token, piece in enumerate(self.pieces) if token not in (PAD, EOS, BOS)}

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The pieces that name a language: `>>fra<<`, `__fr__`, `fra_Latn`."""
        return self.language_codes or tuple(piece for piece in self.pieces if _names_language(piece))

    @cached_property
    def language_names(self) -> dict[str, str]:
        """The same pieces by what a person calls them: `fra`, `fr`, `fra_Latn`."""
        return {piece.strip("<>").removeprefix("__").removesuffix("__"): piece for piece in self.languages}

    def language_piece(self, language: str, what: str) -> str:
        """The piece of a language; `what` is the name of the setting that an error blames."""
        if language in self.languages:
            return language
        if language not in self.language_names:
            near = did_you_mean(language, self.language_names) or f" Known are {_some(self.language_names)}."
            raise ConfigError(f"`{what}` must be a language of this model, but is {language!r:.40}.{near}")
        return self.language_names[language]

    @classmethod
    def load(cls, path: Path) -> "Vocabulary":
        """The vocabulary saved there."""
        found = checked(_VocabularyFile, read_json(path, FORMAT), path)
        codes = tuple(found.language_codes)
        return cls(tuple(found.pieces), found.pad, found.eos, found.unk, tuple(found.prefix), codes)

    def content(self) -> dict[str, object]:
        """What is saved."""
        numbers = {"pad": self.pad, "eos": self.eos, "unk": self.unk}
        codes = {"language_codes": list(self.language_codes)} if self.language_codes else {}
        return {"format": FORMAT, "pieces": list(self.pieces), **numbers, "prefix": list(self.prefix), **codes}


def _some(names: Iterable[str], count: int = 8) -> str:
    first = [*islice(names, count + 1)]
    return ", ".join(first[:count]) + (" and others" if len(first) > count else "")


def _names_language(piece: str) -> bool:
    begin, end = _LANGUAGE
    return piece.startswith(begin) and piece.endswith(end) and len(piece) > len(begin) + len(end)


class VocabularyTokenizer(Tokenizer):
    """A sentencepiece model whose pieces are numbered by a vocabulary of their own."""

    vocabulary: Vocabulary

    def __init__(self, model: bytes, vocabulary: Vocabulary, name: str = "tokenizer") -> None:
        self._load(model, name)
        self.vocabulary = vocabulary
        self.size = len(vocabulary.pieces)

    def normalise(self, text: str) -> str:
        """The text as the sentencepiece model reads it."""
        return " ".join(str(self._processor.Normalize(without_surrogates(text))).replace(SPACE, " ").split())

    cuts_words_apart = False
    writes_unknown = False
    _cuts_parts = False

    def beginning_with(self, *prefix: str) -> "VocabularyTokenizer":
        """The same tokenizer with these pieces before every text."""
        changed = copy.copy(self)
        changed.vocabulary = replace(self.vocabulary, prefix=prefix)
        for name in ("_unwritten", "without_language"):
            vars(changed).pop(name, None)
        return changed

    @cached_property
    def without_language(self) -> "VocabularyTokenizer":
        """What cuts parts of a text, which begin with no language."""
        if not self.vocabulary.language_codes:
            return self
        parts = self.beginning_with()
        parts._cuts_parts = True
        return parts

    @property
    def language_tokens(self) -> tuple[int, ...]:
        """What every text begins with that names its language: the source of Marian's models is no such text."""
        self.check_language()
        return tuple(self.vocabulary.ids[piece] for piece in self.vocabulary.prefix if self.vocabulary.language_codes)

    def is_language(self, token: int) -> bool:
        """Whether a token is the name of a language, or a piece before every text: neither is text."""
        return self.vocabulary.pieces[int(token)] in self._unwritten

    def named_language(self, text: str) -> tuple[str, str]:
        """The piece `>>fra<<` at the beginning of a text, if it has one that is known, and the text without it."""
        language, rest = self._without_language(text)
        return (language, rest.removeprefix(" ")) if language in self.vocabulary.languages else ("", text)

    def has_symbol(self, word: str) -> bool:
        """Whether this word is one piece."""
        return word in self.vocabulary.ids or SPACE + word in self.vocabulary.ids

    def sampled_encoder(self, strength: float) -> SampledEncoder:
        """What encodes a corpus with cuts drawn at random, as `Tokenizer.sampled_encoder` says."""
        sampler = self._sampler(self._number, strength)
        if sampler is None:
            return super().sampled_encoder(strength)
        return lambda texts, seed: Ragged.of(self._encoded(texts, lambda rest: list(sampler.encode(rest, seed))))

    def _encode(self, texts: Sequence[str], threads: int = -1) -> list[list[int]]:
        def cut(rest: list[str]) -> list[list[int]]:
            pieces = self._processor.Encode(rest, out_type=str, num_threads=threads)
            return [[self._number(piece) for piece in row] for row in pieces]

        return self._encoded(texts, cut)

    def _number(self, piece: str) -> int:
        return self.vocabulary.ids.get(piece, UNK)

    def _encoded(self, texts: Sequence[str], cut: Callable[[list[str]], list[list[int]]]) -> list[list[int]]:
        """A language is named before the text is cut; then each piece has its number, or is UNK."""
        self.check_language()
        parts = [self._without_language(without_surrogates(text)) for text in texts]
        prefix = [self._number(piece) for piece in self.vocabulary.prefix]
        return [
            [*(prefix if language is None else (self._number(language),)), *tokens]
            if tokens or language is not None
            else []
            for (language, _), tokens in zip(parts, cut([text for _, text in parts]), strict=True)
        ]

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of these tokens; specials are skipped, UNK among them, and names of languages."""
        kept = [int(token) for token in tokens if token not in SPECIALS]
        pieces = [piece for piece in self.pieces(kept) if piece not in self._unwritten]
        text: str = self._processor.DecodePieces(pieces)
        return " ".join(text.replace(SPACE, " ").split())

    def pieces(self, tokens: Sequence[int]) -> list[str]:
        """How each token is written, spaces as U+2581, bytes as <0xNN>."""
        return [self.vocabulary.pieces[int(token)] for token in tokens]

    @cached_property
    def _unwritten(self) -> frozenset[str]:
        """Pieces that are no text."""
        return frozenset((*self.vocabulary.languages, *self.vocabulary.prefix))

    @cached_property
    def _byte_values(self) -> dict[int, int]:
        """The tokens that are bytes, each with its value."""
        found = ((self.vocabulary.ids.get(f"<0x{value:02X}>"), value) for value in range(256))
        named = {token: value for token, value in found if token is not None}
        return {token: value for token, value in named.items() if self._is_byte(self.vocabulary.pieces[token])}

    def check_language(self) -> None:
        """Raises an error where every text must begin with its language, and nobody has said which that is."""
        codes = self.vocabulary.language_codes
        if codes and not self.vocabulary.prefix and not self._cuts_parts:
            raise ConfigError(
                "`source_language` and `target_language` must both be named, since this model knows "
                f"{len(codes)} languages, but are not. Name them, such as "
                f"{_some(self.vocabulary.language_names, 2)}, or import the model again with them."
            )

    def _is_byte(self, piece: str) -> bool:
        return bool(self._processor.IsByte(self._processor.PieceToId(piece)))

    def _without_language(self, text: str) -> tuple[str | None, str]:
        """The language that a text names at its beginning, if it does, and the text without it."""
        begin, end = _LANGUAGE
        if self.vocabulary.language_codes or not text.startswith(begin) or (place := text.find(end)) < 0:
            return None, text
        return text[: place + len(end)], text[place + len(end) :]
