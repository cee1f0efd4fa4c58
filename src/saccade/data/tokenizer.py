"""Text to integers and back, through sentencepiece, for every kind of piece.

Every kind falls back to UTF-8 bytes for what its vocabulary lacks, so no input is unrepresentable and UNK never
occurs: for any text, `decode(encode([text])[0]) == normalise(text)`. Only where pieces are a closed list, as the
labels of a classifier are and the words of the first translating networks were, is there nothing to fall back to:
what is not on the list is UNK, one for each word.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import filterfalse, groupby
from pathlib import Path
from typing import TYPE_CHECKING

import sentencepiece

from saccade.data.byte_pieces import spelled_characters
from saccade.data.normalisation import normalise
from saccade.data.piece_learning import learn_from_words, learn_pieces
from saccade.data.ragged import Ragged
from saccade.data.sentencepiece_model import SPACE, PieceKind, keeps_text_as_it_is, piece_kind, protobuf_field
from saccade.data.subword_sampling import BpeDropout, SubwordSampler, UnigramSampling
from saccade.data.word_cache import WordEncoder
from saccade.errors import FormatError
from saccade.file_contents import read_file
from saccade.special_tokens import BOS, EOS, PAD, UNK

if TYPE_CHECKING:
    from saccade.data.vocabulary_tokenizer import Vocabulary

SPECIALS = frozenset({PAD, EOS, UNK, BOS})
LARGEST_MODEL = 1 << 29
"""More bytes than the model of any vocabulary has: 512 MiB."""
UNKNOWN = "<unk>"  # how a closed list of words writes UNK
SampledEncoder = Callable[[Sequence[str], int], Ragged]
"""Texts and a seed to tokens."""
BY_WORD = 1_000  # from so many lines on, words repeat often enough to cut each but once


class Tokenizer:
    """A learned cutting of text into pieces, with PAD 0, EOS 1, UNK 2, BOS 3."""

    vocabulary: "Vocabulary | None" = None
    """What numbers the pieces of a model from elsewhere (`vocabulary_tokenizer.py`); None: sentencepiece itself."""

    def __init__(self, model: bytes, name: str = "tokenizer") -> None:
        self._load(model, name)
        self.size = int(self._processor.GetPieceSize())
        specials = tuple(int(getattr(self._processor, f"{special}_id")()) for special in ("pad", "eos", "unk", "bos"))
        if specials != (PAD, EOS, UNK, BOS):
            raise FormatError(
                f"`{name}` must have PAD, EOS, UNK, BOS at {(PAD, EOS, UNK, BOS)}, but has them at {specials}. "
                "Use a tokenizer trained by saccade."
            )

    def _load(self, model: bytes, name: str) -> None:
        self.model_bytes = model
        """The sentencepiece model as it is saved."""
        self._processor = sentencepiece.SentencePieceProcessor()
        try:
            self._processor.LoadFromSerializedProto(model)
            self.kind: PieceKind = piece_kind(model)
        except (RuntimeError, LookupError) as error:
            raise FormatError(f"`{name}` must be a sentencepiece model, but is damaged. Restore it.") from error

    @classmethod
    def train(
        cls,
        lines: Iterable[str],
        *,
        pieces: PieceKind,
        size: int | None = None,
        sample_lines: int | None = None,
        seed: int = 1,
        closed: bool = False,
        symbols: Sequence[str] = (),
    ) -> "Tokenizer":
        """Learns pieces from at most `sample_lines` of the lines, in memory bounded by that.

        The vocabulary has `size` pieces, or as many as there are to learn when a corpus is too small for that. The
        result depends on the lines, the arguments and nothing else. Pieces that are `closed` come without bytes to
        spell others. The words in `symbols` are pieces of their own in any case.
        """
        model = learn_pieces(
            lines,
            pieces,
            size=size,
            sample_lines=sample_lines,
            seed=seed,
            closed=closed,
            symbols=symbols,
        )
        return cls(model)

    @classmethod
    def train_on_words(
        cls,
        counts: Iterable[tuple[str, int]],
        *,
        pieces: PieceKind,
        size: int | None = None,
        closed: bool = False,
        symbols: Sequence[str] = (),
    ) -> "Tokenizer":
        """What `train` learns from lines in which each word occurs so often, where it counts words alone.

        It does so for bpe and word pieces.
        """
        return cls(learn_from_words(counts, pieces, size=size, closed=closed, symbols=symbols))

    @classmethod
    def load(cls, path: Path) -> "Tokenizer":
        """The tokenizer saved there."""
        return cls(cls.read_model(path), str(path))

    @staticmethod
    def read_model(path: Path) -> bytes:
        """The sentencepiece model saved there, not yet looked at."""
        return read_file(path, LARGEST_MODEL)

    def save(self, path: Path) -> None:
        """Writes a model file that any program using sentencepiece reads."""
        path.write_bytes(self.model_bytes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tokenizer):
            return False
        return (self.model_bytes, self.vocabulary) == (other.model_bytes, other.vocabulary)

    def __hash__(self) -> int:
        return hash(self.model_bytes)

    def normalise(self, text: str) -> str:
        """The form of a text that encoding followed by decoding gives back."""
        return normalise(text)

    def encode(self, texts: Sequence[str], threads: int = -1) -> list[list[int]]:
        """The tokens of each text, without BOS or EOS; -1 threads are as many as there are cores."""
        # The library makes one UNK of neighbouring unknown words; encoded one by one, each has its own.
        if (len(texts) >= BY_WORD or self.writes_unknown) and self.cuts_words_apart:
            return list(WordEncoder(lambda words: self._encode(words, threads)).encode(texts))
        return self._encode(texts, threads)

    def encoder(self) -> "WordEncoder | LineEncoder":
        """What encodes a whole corpus, chunk by chunk, and may remember words for as long as it lives."""
        return WordEncoder(self._encode) if self.cuts_words_apart else LineEncoder(self)

    @cached_property
    def cuts_words_apart(self) -> bool:
        """Whether the tokens of every text are those of its words, one after another.

        So it is for bpe and word pieces as `train` makes them. Unigram adds up floats along the sentence, where a tie
        might fall otherwise; characters have no mark where a text begins. A model from elsewhere may have pieces that
        reach over a space, or a normalisation of its own that makes spaces.
        """
        pieces = map(self._processor.IdToPiece, range(self.size))
        return (
            self.kind in ("bpe", "word")
            and keeps_text_as_it_is(self.model_bytes)
            and not any(piece.rfind(SPACE) > 0 or " " in piece for piece in pieces)
        )

    def named_language(self, text: str) -> tuple[str, str]:
        """What a text names at its beginning as the language to write, and the text without it: here, nothing."""
        return "", text

    @property
    def without_language(self) -> "Tokenizer":
        """What cuts parts of a text: here, the same."""
        return self

    def check_language(self) -> None:
        """Raises an error where every text must begin with its language, and nobody has said which that is."""

    @property
    def language_tokens(self) -> tuple[int, ...]:
        """What every text begins with that names its language: here, nothing."""
        return ()

    def is_language(self, token: int) -> bool:  # noqa: ARG002 - others have such tokens
        """Whether a token is the name of a language, which is no text: here, none is."""
        return False

    def has_symbol(self, word: str) -> bool:
        """Whether this word is one piece."""
        return bool(self._processor.PieceToId(SPACE + word) != UNK)

    @cached_property
    def writes_unknown(self) -> bool:
        """Whether the pieces are whole words without bytes to spell others."""
        return self.kind == "word" and self._processor.PieceToId("<0x00>") == UNK

    def _encode(self, texts: Sequence[str], threads: int = -1) -> list[list[int]]:
        encoded: list[list[int]] = self._processor.Encode([normalise(text) for text in texts], num_threads=threads)
        return encoded

    def sampled_encoder(self, strength: float) -> SampledEncoder:
        """What encodes a whole corpus with cuts drawn at random, as a function of the texts, the strength and a seed.

        For bpe each merge is left out with probability `strength` (BPE-dropout, Provilkov et al. 2020); for unigram a
        segmentation is drawn in proportion to its probability to the power `strength` (Kudo 2018). Characters and
        words can be cut in one way only. It may remember words for as long as it lives.
        """
        sampler = self._sampler(self._processor.PieceToId, strength)
        if sampler is None:
            return lambda texts, _: Ragged.of(self.encode(texts))
        return lambda texts, seed: sampler.encode([normalise(text) for text in texts], seed)

    def _sampler(self, number: Callable[[str], int], strength: float) -> SubwordSampler | None:
        kinds: dict[PieceKind, type[SubwordSampler]] = {"bpe": BpeDropout, "unigram": UnigramSampling}
        return kinds[self.kind](self._processor, number, strength) if self.kind in kinds else None

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of these tokens; specials are skipped, and a line end a model may write as a byte is a space.

        Bytes that spell no character are left out: whatever a model writes, its text is text.
        """
        if self.writes_unknown and UNK in tokens:
            words = (UNKNOWN if token == UNK else self.decode([token]) for token in tokens)
            return " ".join(word for word in words if word)
        kept = list(filterfalse(SPECIALS.__contains__, map(int, tokens)))
        if not self._byte_values.keys().isdisjoint(kept):
            kept = [kept[position] for positions, text in self._units(kept) if text for position in positions]
        elif self._texts is not None:
            return " ".join("".join(map(self._texts.__getitem__, kept)).split())
        text: str = self._processor.DecodeIds(kept)
        return " ".join(text.replace(SPACE, " ").split())

    @cached_property
    def _texts(self) -> list[str] | None:
        """What each piece adds to a text, if that is all there is to decoding; None where the library may do more."""
        if not keeps_text_as_it_is(self.model_bytes) or protobuf_field(self.model_bytes, 5):
            return None  # a table of characters to be changed, on the way in (field 3) or out (5)
        pieces = enumerate(self.pieces(range(self.size)))
        return ["" if self._processor.IsControl(token) else piece.replace(SPACE, " ") for token, piece in pieces]

    def pieces(self, tokens: Sequence[int]) -> list[str]:
        """How each token is written, spaces as U+2581, bytes as <0xNN>."""
        return [str(self._processor.IdToPiece(int(token))) for token in tokens]

    def words(self, tokens: Sequence[int]) -> list[list[int]]:
        """The positions of the tokens of each word, in order: one list for each of `decode(tokens).split()`.

        Specials and names of languages belong to no word, but for UNK in a closed list of words. A space alone opens
        the word that follows it.
        """
        if self.writes_unknown:
            return [[position] for position, token in enumerate(tokens) if token == UNK or token not in SPECIALS]
        words: list[list[int]] = []
        waiting: list[int] = []  # spaces, and what else is no text, before a word
        inside = False
        places = [place for place, token in enumerate(tokens) if token not in SPECIALS and not self.is_language(token)]
        for unit, text in self._units([int(tokens[place]) for place in places]):
            positions = [places[position] for position in unit]
            if not text.strip():
                inside = inside and not text
                (words[-1] if inside else waiting).extend(positions)
                continue
            if not inside or text[0].isspace():
                words.append(waiting)
                waiting = []
            words[-1].extend(positions)
            inside = not text[-1].isspace()
        if waiting and words:
            words[-1].extend(waiting)
        return words if words or not waiting else [waiting]

    def spells_every_letter(self, tokens: Sequence[int]) -> bool:
        """Whether a text has letters, and the vocabulary none of them: they are of a script that it has never seen."""
        if self._byte_values.keys().isdisjoint(tokens) or not self._has_letters:
            return False
        kept = [int(token) for token in tokens if token not in SPECIALS]
        with_letters = (place for (place, *_), text in self._units(kept) if any(map(str.isalpha, text)))
        first = next(with_letters, None)
        return first is not None and all(kept[place] in self._byte_values for place in (first, *with_letters))

    def lacks_letter(self, letter: str) -> bool:
        """Whether no piece has this letter, though pieces have others: it is spelt in bytes, or unknown."""
        if letter not in self._lacking:
            tokens = self.without_language.encode([letter])[0]
            self._lacking[letter] = self._has_letters and any(
                token == UNK or token in self._byte_values for token in tokens
            )
        return self._lacking[letter]

    @cached_property
    def _lacking(self) -> dict[str, bool]:
        return {}

    @cached_property
    def _has_letters(self) -> bool:
        """Whether some piece is more than a byte or a mark."""
        ids = (token for token in range(self.size) if token not in SPECIALS and token not in self._byte_values)
        return any(any(map(str.isalpha, piece)) for piece in self.pieces(list(ids)))

    @cached_property
    def _byte_values(self) -> dict[int, int]:
        """The tokens that are bytes, each with its value."""
        ids = ((self._processor.PieceToId(f"<0x{value:02X}>"), value) for value in range(256))
        return {token: value for token, value in ids if self._processor.IsByte(token)}

    def _units(self, tokens: Sequence[int]) -> Iterator[tuple[list[int], str]]:
        """What each piece adds to a text, with its position; bytes that spell a character are one unit."""
        position = 0
        for are_bytes, group in groupby(tokens, self._byte_values.__contains__):
            if are_bytes:
                parts = list(spelled_characters([self._byte_values[token] for token in group]))
            else:
                parts = [(1, piece) for piece in self.pieces(list(group))]
            for size, text in parts:
                yield list(range(position, position + size)), text.replace(SPACE, " ")
                position += size


@dataclass(frozen=True)
class LineEncoder:
    """Encodes a corpus line by line, where words cannot be encoded on their own."""

    tokenizer: Tokenizer

    def encode(self, texts: Sequence[str]) -> Ragged:
        """The tokens of each text."""
        return Ragged.of(self.tokenizer.encode(texts))
