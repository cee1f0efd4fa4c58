"""The second pass over a corpus: chunks of text to chunks of tokens, once or several times at random.

The library's random generator cannot be set back to a batch in the middle of training, so subword sampling happens
here: every copy is cut with seeds made of (seed, copy, chunk, side), and a copy is as reproducible as any other file.
Pair i of one copy is pair i of all.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from saccade.data.parallel_text import TOO_LONG, CorpusReport
from saccade.data.ragged import Ragged
from saccade.data.tokenizer import LineEncoder, Tokenizer
from saccade.data.word_cache import WordEncoder

CHUNK = 20_000  # enough for threads to share, little enough to hold many copies of


@dataclass(frozen=True)
class SubwordSampling:
    """How often to cut the text anew, and how far from the best segmentation; see `Tokenizer.encode_sampled`."""

    strength: float
    copies: int
    seed: int


@dataclass(frozen=True)
class Chunk:
    """Pairs that keep to the maximum length: their text, and (source, target) tokens for each copy."""

    texts: list[tuple[str, str]]
    copies: list[tuple[Ragged, Ragged]]


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
        sampling: SubwordSampling | None = None,
    ) -> Iterator[Chunk]:
        """Numbered pairs to tokens; a pair too long in any copy is too long in all, and taken out of the report."""
        remaining = iter(pairs)
        number = 0
        while lines := list(islice(remaining, CHUNK)):
            targets = [self.as_symbols(pair[2]) for pair in lines]
            copies = self._copies([pair[1] for pair in lines], targets, sampling, number)
            number += 1
            longest = np.max([side.lengths for copy in copies for side in copy], axis=0)
            kept = longest < self.maximum_length
            for row in np.flatnonzero(~kept).tolist():
                report.take_back(TOO_LONG, f"{name}:{lines[row][0]}")
            yield Chunk(
                [lines[row][1:] for row in np.flatnonzero(kept).tolist()],
                [(source.select(kept), target.select(kept)) for source, target in copies],
            )

    @cached_property
    def _encoders(self) -> tuple[WordEncoder | LineEncoder, WordEncoder | LineEncoder]:
        source = self.source.encoder()
        return source, source if self.target is self.source else self.target.encoder()

    def _copies(
        self, sources: list[str], targets: list[str], sampling: SubwordSampling | None, chunk: int
    ) -> list[tuple[Ragged, Ragged]]:
        if sampling is None:
            source, target = self._encoders
            return [(source.encode(sources), target.encode(targets))]

        def sampled(tokenizer: Tokenizer, texts: list[str], *place: int) -> Ragged:
            seed = _seed(sampling.seed, *place)
            return Ragged.of(tokenizer.encode_sampled(texts, strength=sampling.strength, seed=seed))

        return [
            (sampled(self.source, sources, copy, chunk, 0), sampled(self.target, targets, copy, chunk, 1))
            for copy in range(sampling.copies)
        ]


def _seed(*parts: int) -> int:
    return int(np.random.SeedSequence(parts).generate_state(1)[0])
