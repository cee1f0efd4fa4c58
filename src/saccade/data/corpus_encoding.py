"""The second pass over a corpus: chunks of text to chunks of tokens, once or several times at random.

The library's random generator cannot be set back to a batch in the middle of training, so subword sampling happens
here, and noise with it: every copy is made with seeds of (seed, copy, chunk, what for), and training reads it like any
other file. Pair i of one copy is pair i of all.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from saccade.data.noise import TextNoise, TextPair
from saccade.data.parallel_text import TOO_LONG, CorpusReport
from saccade.data.ragged import Ragged
from saccade.data.tokenizer import LineEncoder, Tokenizer
from saccade.data.word_cache import WordEncoder

CHUNK = 20_000  # enough for threads to share, little enough to hold many copies of
_SIDES, _NOISE, _CLEAN_SIDES = (0, 1), 2, (3, 4)  # what a seed is for


@dataclass(frozen=True)
class Augmentation:
    """Several copies of the text: each with noise of its own, and cut anew.

    `sampling` says how far from the best segmentation (`Tokenizer.encode_sampled`); 0 is always the best.
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
    """Pairs that keep to the maximum length: their text, and (source, target) tokens for each copy.

    `noise` counts the pairs of all copies that have each kind of noise.
    """

    texts: list[TextPair]
    copies: list[tuple[Ragged, Ragged]]
    noise: Counter[str]


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
    ) -> Iterator[Chunk]:
        """Numbered pairs to tokens; a pair too long in any copy is too long in all, and taken out of the report.

        One that noise makes too long is left without noise instead.
        """
        remaining = iter(pairs)
        number = 0
        while lines := list(islice(remaining, CHUNK)):
            texts = [(source, self.as_symbols(target)) for _, source, target in lines]
            if augmentation is None:
                copies, noise = [self._best(texts)], [dict[int, str]()]
            else:
                made = [self._copy(texts, augmentation, copy, number) for copy in range(augmentation.copies)]
                copies, noise = [copy for copy, _ in made], [kinds for _, kinds in made]
            number += 1
            longest = np.max([side.lengths for copy in copies for side in copy], axis=0)
            kept = longest < self.maximum_length
            for row in np.flatnonzero(~kept).tolist():
                report.take_back(TOO_LONG, f"{name}:{lines[row][0]}")
            yield Chunk(
                [lines[row][1:] for row in np.flatnonzero(kept).tolist()],
                [(source.select(kept), target.select(kept)) for source, target in copies],
                Counter(kind for kinds in noise for place, kind in kinds.items() if kept[place]),
            )

    @cached_property
    def _encoders(self) -> tuple[WordEncoder | LineEncoder, WordEncoder | LineEncoder]:
        source = self.source.encoder()
        return source, source if self.target is self.source else self.target.encoder()

    def _copy(
        self, texts: list[TextPair], augmentation: Augmentation, copy: int, chunk: int
    ) -> tuple[tuple[Ragged, Ragged], dict[int, str]]:
        """The tokens of one copy, and which kind of noise is in some of its pairs."""
        noisy, kinds = augmentation.noisy(texts, copy, chunk)
        source, target = self._cut(noisy, augmentation, copy, chunk, _SIDES)
        longest = np.maximum(source.lengths, target.lengths)
        too_long = {place: texts[place] for place in kinds if longest[place] >= self.maximum_length}
        if too_long:
            clean = self._cut(list(too_long.values()), augmentation, copy, chunk, _CLEAN_SIDES)
            source, target = (
                _with_rows(side, too_long, rows) for side, rows in zip((source, target), clean, strict=True)
            )
        return (source, target), {place: kind for place, kind in kinds.items() if place not in too_long}

    def _cut(
        self, texts: list[TextPair], augmentation: Augmentation, copy: int, chunk: int, places: tuple[int, int]
    ) -> tuple[Ragged, Ragged]:
        if not augmentation.sampling:
            return self._best(texts)

        def sampled(tokenizer: Tokenizer, side: int) -> Ragged:
            seed = _seed(augmentation.seed, copy, chunk, places[side])
            lines = [pair[side] for pair in texts]
            return Ragged.of(tokenizer.encode_sampled(lines, strength=augmentation.sampling, seed=seed))

        return sampled(self.source, 0), sampled(self.target, 1)

    def _best(self, texts: list[TextPair]) -> tuple[Ragged, Ragged]:
        source, target = self._encoders
        return source.encode([pair[0] for pair in texts]), target.encode([pair[1] for pair in texts])


def _with_rows(side: Ragged, places: Iterable[int], rows: Ragged) -> Ragged:
    """The same with other rows in these places."""
    result = list(side)
    for place, row in zip(places, rows, strict=True):
        result[place] = row
    return Ragged.of(result)


def _seed(*parts: int) -> int:
    return int(np.random.SeedSequence(parts).generate_state(1)[0])
