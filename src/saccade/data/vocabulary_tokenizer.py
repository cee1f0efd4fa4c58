"""Tokenizers of models that were trained elsewhere: a sentencepiece model that cuts, and a list of pieces that counts.

Marian, fairseq and Hugging Face cut text with a sentencepiece model and number its pieces with a vocabulary of their
own, which the source and the target language may share. What is not in the vocabulary is UNK: there are no bytes to
fall back to. Pieces such as `>>fra<<` at the beginning of a source tell a model which language to write.

The normalisation is the one inside the sentencepiece model, so that the tokens of a text are those the model was
trained with.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import sentencepiece

from saccade.data.tokenizer import SPACE, SPECIALS, Tokenizer, without_surrogates
from saccade.errors import FormatError
from saccade.json_files import StrictContent, checked, read_json
from saccade.sequences import BOS, EOS, PAD, UNK

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


@dataclass(frozen=True)
class Vocabulary:
    """The pieces of a model in the order of our token ids: PAD, EOS, UNK, BOS, then the others as they were numbered.

    `pad`, `eos` and `unk` are the numbers that these had in the vocabulary of origin, which has no BOS of its own.
    `prefix` are pieces that every text begins with, unless it names a language itself.
    """

    pieces: tuple[str, ...]
    pad: int
    eos: int
    unk: int
    prefix: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        specials = (self.pad, self.eos, self.unk)
        if len(set(specials)) < 3 or not all(0 <= number < len(self.pieces) - 1 for number in specials):
            raise FormatError(
                f"the ids of pad, eos and unk must be three different ones below {len(self.pieces) - 1}, but are "
                f"{', '.join(map(str, specials))}. Get the model again."
            )
        if len(set(self.pieces)) < len(self.pieces):
            twice = next(piece for place, piece in enumerate(self.pieces) if piece in self.pieces[:place])
            raise FormatError(f"every piece must be in the vocabulary once, but {twice!r} is there twice.")

    @classmethod
    def of(cls, numbered: Sequence[str], pad: int, eos: int, unk: int, prefix: Sequence[str] = ()) -> "Vocabulary":
        """The vocabulary whose pieces have these numbers elsewhere, with a BOS of ours among them."""
        if not all(0 <= number < len(numbered) for number in (pad, eos, unk)):
            raise FormatError(
                f"the ids of pad, eos and unk must be below {len(numbered)}, the size of the vocabulary, but are "
                f"{pad}, {eos} and {unk}. Get the model again."
            )
        start = next(name for name in ("<s>", *(f"<s_{number}>" for number in range(len(numbered) + 1)))
                     if name not in numbered)  # fmt: skip
        others = (piece for number, piece in enumerate(numbered) if number not in (pad, eos, unk))
        return cls((numbered[pad], numbered[eos], numbered[unk], start, *others), pad, eos, unk, tuple(prefix))

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
        """The pieces that name a language, `>>fra<<`."""
        return tuple(piece for piece in self.pieces if _names_language(piece))

    @classmethod
    def load(cls, path: Path) -> "Vocabulary":
        """The vocabulary saved there."""
        found = checked(_VocabularyFile, read_json(path, FORMAT), path)
        return cls(tuple(found.pieces), found.pad, found.eos, found.unk, tuple(found.prefix))

    def content(self) -> dict[str, object]:
        """What is saved."""
        numbers = {"pad": self.pad, "eos": self.eos, "unk": self.unk}
        return {"format": FORMAT, "pieces": list(self.pieces), **numbers, "prefix": list(self.prefix)}


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

    def named_language(self, text: str) -> tuple[str, str]:
        """The piece `>>fra<<` at the beginning of a text, if it has one that is known, and the text without it."""
        language, rest = _without_language(text)
        return (language, rest) if language in self.vocabulary.languages else ("", text)

    def has_symbol(self, word: str) -> bool:
        """Whether this word is one piece."""
        return word in self.vocabulary.ids or SPACE + word in self.vocabulary.ids

    def encode_sampled(self, texts: Sequence[str], *, strength: float, seed: int) -> list[list[int]]:
        """The tokens of each text, cut at random, as `Tokenizer.encode_sampled` says."""
        if self.kind not in ("bpe", "unigram"):
            return self.encode(texts)
        sentencepiece.set_random_generator_seed(seed)
        return self._numbered(texts, num_threads=1, enable_sampling=True, nbest_size=-1, alpha=strength)

    def _encode(self, texts: Sequence[str], threads: int = -1) -> list[list[int]]:
        return self._numbered(texts, num_threads=threads)

    def _numbered(self, texts: Sequence[str], **options: Any) -> list[list[int]]:
        """A language is named before the text is cut; then each piece has its number, or is UNK."""
        parts = [_without_language(without_surrogates(text)) for text in texts]
        cut = self._processor.Encode([text for _, text in parts], out_type=str, **options)
        ids, prefix = self.vocabulary.ids, self.vocabulary.prefix
        return [
            [ids.get(piece, UNK) for piece in (*(prefix if language is None else (language,)), *pieces)]
            if pieces or language is not None
            else []
            for (language, _), pieces in zip(parts, cut, strict=True)
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

    def _is_byte(self, piece: str) -> bool:
        return bool(self._processor.IsByte(self._processor.PieceToId(piece)))


def _without_language(text: str) -> tuple[str | None, str]:
    """The language that a text names at its beginning, if it does, and the text without it."""
    begin, end = _LANGUAGE
    if not text.startswith(begin) or (place := text.find(end)) < 0:
        return None, text
    return text[: place + len(end)], text[place + len(end) :]
