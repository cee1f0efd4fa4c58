"""How probable a model finds given pairs: read, batched and scored as they come."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch

from saccade.decoding.scoring import score_pairs
from saccade.memory import memory_is_enough
from saccade.models.contract import Transducer
from saccade.sequences import Pairs, Sequences
from saccade.serving.batching import batches
from saccade.serving.source_lines import LineReader, RefusedLine, TokenPair
from saccade.serving.stable_scores import ScoredTokens, StableScores
from saccade.serving.translation import OnError, Scored

BATCH_TOKENS = 4096
"""Padded tokens of either side that are scored at once."""
SCORED_TOGETHER = 1024
"""Pairs of a window: read together, and batched by their lengths."""


@dataclass(frozen=True)
class PairScorer:
    """A model with what reads text for it."""

    model: Transducer[Any, Any]
    device: torch.device
    reader: LineReader
    stable_scores: StableScores
    unscored: int = 0
    """How many first tokens of a target cost nothing: the name of its language."""

    def stream(
        self,
        pairs: Iterable[tuple[str, str]],
        *,
        truncate: bool,
        on_error: OnError,
        stable: bool,
        batch_tokens: int,
        window: int,
        first: int = 1,
    ) -> Iterator[Scored]:
        """The score of each pair, in order, holding no more than a window of them; pairs are counted from `first`."""
        numbered = enumerate(pairs, start=first)
        while chunk := list(islice(numbered, window)):
            read = self.reader.read_pairs(chunk, truncate)
            refused = next((row for row in read if isinstance(row, RefusedLine)), None)
            if refused is not None and on_error == "stop":
                raise refused.error
            yield from self.score(read, stable=stable, batch_tokens=batch_tokens)

    def score(
        self, read: Sequence[TokenPair | RefusedLine], *, stable: bool, batch_tokens: int = BATCH_TOKENS
    ) -> list[Scored]:
        """The score of each pair that has been read for the model."""
        rows = [row for row in read if not isinstance(row, RefusedLine)]
        outputs = self._score(rows, batch_tokens)
        values = self.stable_scores.settle(outputs) if stable else [one.log_probabilities for one in outputs]
        scored = iter(
            Scored(math.fsum(tokens), tokens, truncated=row.truncated) for row, tokens in zip(rows, values, strict=True)
        )
        return [Scored(math.nan, (), one.error) if isinstance(one, RefusedLine) else next(scored) for one in read]

    def _score(self, rows: list[TokenPair], batch_tokens: int) -> list[ScoredTokens]:
        outputs: dict[int, ScoredTokens] = {}
        for batch in batches([max(len(row.source), len(row.target)) for row in rows], batch_tokens):
            together = Pairs(
                Sequences.of([rows[index].source for index in batch], device=self.device),
                Sequences.of([rows[index].target for index in batch], device=self.device),
            )
            with memory_is_enough("a batch of pairs"):
                results = score_pairs(self.model, together).tolist()
            for index, found in zip(batch, results, strict=True):
                row = rows[index]
                values = (0.0,) * self.unscored + tuple(found[self.unscored : len(row.target)])
                outputs[index] = ScoredTokens(row.source, row.target, values, unscored=self.unscored)
        return [outputs[index] for index in range(len(rows))]
