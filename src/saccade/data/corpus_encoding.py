"""The second pass over a corpus: chunks of text to chunks of tokens, once or several times at random.

Training reads tokens from files and goes on at any batch of them, so subword sampling happens here, and noise with it:
every copy is made with seeds of (seed, copy, chunk, what for), and is read like any other file. Pair i of one copy is
pair i of all.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Bool, Int64

from saccade.data.corpus_report import CorpusReport
from saccade.data.corpus_words import ChunkOfWords
from saccade.data.noise import TextNoise
from saccade.data.parallel_text import TOO_LONG, TextPair
from saccade.data.ragged import Ragged
from saccade.data.tokenizer import LineEncoder, SampledEncoder, Tokenizer
from saccade.data.word_cache import WordEncoder

CHUNK = 20_000  # enough for threads to share, little enough to hold many copies of
_SIDES, _NOISE, _CLEAN_SIDES = (0, 1), 2, (3, 4)  # what a seed is for


@dataclass(frozen=True)
class Augmentation:
    """Several copies of the text: each with noise of its own, and cut anew.

    `sampling` says how far from the best segmentation (`Tokenizer.sampled_encoder`); 0 is always the best.
    """

    sampling: float
    copies: int
    seed: int
    noise: TextNoise | None = None

    def noisy(self, pairs: Sequence[TextPair], copy: int, chunk: int) -> tuple[list[TextPair], dict[int, str]]:
        """The pairs of a copy, and which kind of noise some of them got."""
        if self.noise is None:
            return list(pairs), {}
        return self.noise.changed(pairs, random.Random(_seed(self.seed, copy, chunk, _NOISE)))


@dataclass(frozen=True)
class Chunk:
    """Pairs that keep to the maximum length: their text, if it was there, and (source, target) tokens for each copy.

    `noise` counts the pairs of all copies that have each kind of noise.
    """

    texts: list[TextPair]
    copies: list[tuple[Ragged, Ragged]]
    noise: Counter[str]

    @property
    def pairs(self) -> int:
        """How many there are."""
        return len(self.copies[0][0])


@dataclass(frozen=True)
class ChunkOfText:
    """What is to be encoded together: pairs, and the number of their chunk, from which random copies are seeded."""

    number: int
    texts: list[TextPair]
    augmentation: Augmentation | None


@dataclass(frozen=True)
class EncodedCopy:
    """The tokens of both sides of a chunk, and which kind of noise is in some of its pairs."""

    sides: tuple[Ragged, Ragged]
    noise: dict[int, str]


@runtime_checkable
class ChunkWorkers(Protocol):
    """Several that encode chunks at the same time (`corpus_workers.py`)."""

    def in_order(
        self, chunks: Iterable["ReadChunk"], work: Callable[["ReadChunk"], ChunkOfText]
    ) -> Iterator[tuple["ReadChunk", list[EncodedCopy]]]:
        """Each chunk with its copies."""


@dataclass(frozen=True)
class ReadChunk:
    """Numbered pairs, and what was counted while they were read."""

    number: int
    lines: list[tuple[int, str, str]]
    read: CorpusReport


def numbered_chunks(pairs: Iterable[tuple[int, str, str]], report: CorpusReport) -> Iterator[ReadChunk]:
    """All pairs, and with each chunk what `report` has counted meanwhile; what comes after the last stays there."""
    remaining = iter(pairs)
    for number in count():
        lines = list(islice(remaining, CHUNK))
        if not lines:
            return
        yield ReadChunk(number, lines, report.take())


@dataclass(frozen=True)
class PairEncoder:
    """Both sides' tokenizers, and the longest sequence, with EOS, that is let through.

    `as_symbols` turns a target into what its tokenizer reads: trees are kept as text and written as symbols.
    """

    source: Tokenizer
    target: Tokenizer
    maximum_length: int
    as_symbols: Callable[[str], str] = str

    def encode(
        self,
        pairs: Iterable[tuple[int, str, str]],
        report: CorpusReport,
        name: str,
        augmentation: Augmentation | None = None,
        workers: ChunkWorkers | None = None,
    ) -> Iterator[Chunk]:
        """Numbered pairs to tokens; a pair too long in any copy is too long in all, and taken out of the report.

        One that noise makes too long is left without noise instead. With `workers`, text is read ahead of them; what is
        counted meanwhile joins the report in its turn, so that all is as if nobody had read ahead.
        """
        total = report.take()
        chunks = numbered_chunks(pairs, report)
        encoded: Iterator[tuple[ReadChunk, list[EncodedCopy]]]
        if workers is None:
            encoded = ((chunk, self.encode_chunk(self._work(chunk, augmentation))) for chunk in chunks)
        else:
            encoded = workers.in_order(chunks, lambda chunk: self._work(chunk, augmentation))
        for chunk, copies in encoded:
            total.add(chunk.read)
            kept = self._let_through(copies, [line[0] for line in chunk.lines], total, name)
            yield _chunk(copies, kept, [chunk.lines[row][1:] for row in np.flatnonzero(kept).tolist()])
        total.add(report.take())
        report.add(total)

    def encode_words(self, chunks: Iterable[ChunkOfWords], report: CorpusReport, name: str) -> Iterator[Chunk]:
        """The same for pairs of which only the words are left, where `cuts_words_apart`; their text is left out.

        `report` has counted what comes after the last of them.
        """
        after = report.take()
        source, target = self._encoders
        assert isinstance(source, WordEncoder)
        assert isinstance(target, WordEncoder)
        for chunk in chunks:
            report.add(chunk.read)
            copies = [EncodedCopy((source.encode_words(chunk.sides[0]), target.encode_words(chunk.sides[1])), {})]
            yield _chunk(copies, self._let_through(copies, chunk.lines, report, name), [])
        report.add(after)

    @property
    def cuts_words_apart(self) -> bool:
        """Whether the tokens of both sides are those of their words, one after another."""
        return self.source.cuts_words_apart and self.target.cuts_words_apart

    def encode_chunk(self, work: ChunkOfText) -> list[EncodedCopy]:
        """Its copies: a pure function of the work and the tokenizers."""
        if work.augmentation is None:
            return [EncodedCopy(self._best(work.texts), {})]
        return [
            self._copy(work.texts, work.augmentation, copy, work.number) for copy in range(work.augmentation.copies)
        ]

    def _let_through(
        self,
        copies: list[EncodedCopy],
        lines: Sequence[int] | Int64[np.ndarray, " rows"],
        report: CorpusReport,
        name: str,
    ) -> Bool[np.ndarray, " rows"]:
        """Which pairs are short enough in all copies; the others are taken out of the report."""
        kept: Bool[np.ndarray, " rows"]
        kept = np.max([side.lengths for one in copies for side in one.sides], axis=0) < self.maximum_length
        for row in np.flatnonzero(~kept).tolist():
            report.take_back(TOO_LONG, f"{name}:{lines[row]}")
        return kept

    def _work(self, chunk: ReadChunk, augmentation: Augmentation | None) -> ChunkOfText:
        texts = [(source, self.as_symbols(target)) for _, source, target in chunk.lines]
        return ChunkOfText(chunk.number, texts, augmentation)

    @cached_property
    def _encoders(self) -> tuple[WordEncoder | LineEncoder, WordEncoder | LineEncoder]:
        source = self.source.encoder()
        return source, source if self.target is self.source else self.target.encoder()

    @cached_property
    def _samplers(self) -> dict[float, tuple[SampledEncoder, SampledEncoder]]:
        """By their strength, once they were needed."""
        return {}

    def _sampled_encoders(self, strength: float) -> tuple[SampledEncoder, SampledEncoder]:
        if strength not in self._samplers:
            source = self.source.sampled_encoder(strength)
            same = self.target is self.source
            self._samplers[strength] = source, source if same else self.target.sampled_encoder(strength)
        return self._samplers[strength]

    def _copy(self, texts: list[TextPair], augmentation: Augmentation, copy: int, chunk: int) -> EncodedCopy:
        noisy, kinds = augmentation.noisy(texts, copy, chunk)
        source, target = self._cut(noisy, augmentation, copy, chunk, _SIDES)
        longest = np.maximum(source.lengths, target.lengths)
        too_long = {place: texts[place] for place in kinds if longest[place] >= self.maximum_length}
        if too_long:
            clean = self._cut(list(too_long.values()), augmentation, copy, chunk, _CLEAN_SIDES)
            source, target = (
                _with_rows(side, too_long, rows) for side, rows in zip((source, target), clean, strict=True)
            )
        return EncodedCopy((source, target), {place: kind for place, kind in kinds.items() if place not in too_long})

    def _cut(
        self, texts: list[TextPair], augmentation: Augmentation, copy: int, chunk: int, places: tuple[int, int]
    ) -> tuple[Ragged, Ragged]:
        if not augmentation.sampling:
            return self._best(texts)
        seeds = [_seed(augmentation.seed, copy, chunk, place) for place in places]
        source, target = self._sampled_encoders(augmentation.sampling)
        return source([pair[0] for pair in texts], seeds[0]), target([pair[1] for pair in texts], seeds[1])

    def _best(self, texts: list[TextPair]) -> tuple[Ragged, Ragged]:
        source, target = self._encoders
        return source.encode([pair[0] for pair in texts]), target.encode([pair[1] for pair in texts])


def _chunk(copies: list[EncodedCopy], kept: Bool[np.ndarray, " rows"], texts: list[TextPair]) -> Chunk:
    return Chunk(
        texts,
        [(one.sides[0].select(kept), one.sides[1].select(kept)) for one in copies],
        Counter(kind for one in copies for place, kind in one.noise.items() if kept[place]),
    )


def _with_rows(side: Ragged, places: Iterable[int], rows: Ragged) -> Ragged:
    """The same with other rows in these places."""
    result = list(side)
    for place, row in zip(places, rows, strict=True):
        result[place] = row
    return Ragged.of(result)


def _seed(*parts: int) -> int:
    return int(np.random.SeedSequence(parts).generate_state(1)[0])
