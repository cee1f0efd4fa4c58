"""Scores whose printed digits depend on the sentence alone, not on the sentences it was batched with.

Float32 gives the same output slightly different log-probabilities in a batch of 1 and in a batch of 64. Rounded to
three digits they are nearly always the same, but however few digits are printed, now and then a number lies so close
to the edge between two of them that the difference decides. Such an output is scored again in float64, whose own
differences are too small to decide anything: what is printed is then what float64 would have printed everywhere.

CTranslate2 does not tell the probability of each token, and has an arithmetic of its own. What it has found is scored
by the model itself: all positions at once, which is a small part of a search. The order of the outputs stays its own.
"""

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch

from saccade.decoding.beam import BeamConfig
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.sampling import SamplingConfig
from saccade.decoding.scoring import score_pairs
from saccade.models.contract import Transducer
from saccade.sequences import Pairs, Sequences
from saccade.serving.batching import batches

DIGITS = 3
"""How many digits after the point are printed."""
# Three times the largest difference to float64 that was measured, on 400 sentences with the shipped model: 1.6e-5.
NOISE = 5e-5
_BATCH_TOKENS = 2048


@dataclass(frozen=True)
class ScoredTokens:
    """An output, its input (both as the model reads them, EOS included) and its log-probabilities in float32."""

    source: Sequence[int]
    target: Sequence[int]
    log_probabilities: tuple[float, ...]
    penalty: float = 1.0
    """What the sum is divided by before it is printed."""
    unscored: int = 0
    """How many first tokens of the output cost nothing."""

    @property
    def cost(self) -> int:
        """The positions it takes in a batch."""
        return max(len(self.source), len(self.target))

    @property
    def uncertain(self) -> bool:
        """Whether a number that will be printed lies so close to an edge that float32 cannot tell the side."""
        total = math.fsum(self.log_probabilities)
        return any(map(_near_an_edge, (*self.log_probabilities, total, total / self.penalty)))


def rounded(value: float) -> float:
    """As it is printed."""
    return round(value, DIGITS)


def _near_an_edge(value: float) -> bool:
    place = value * 10**DIGITS
    return math.isfinite(place) and abs(place - math.floor(place) - 0.5) <= NOISE * 10**DIGITS


class StableScores:
    """Scores outputs again in float64 where rounding needs it; the copy of the model is made when first used."""

    def __init__(self, model: Transducer[Any, Any], device: torch.device) -> None:
        self._model = model
        self._device = device

    @cached_property
    def _in_float64(self) -> Transducer[Any, Any]:
        return copy.deepcopy(self._model).double()

    def settle(self, outputs: Sequence[ScoredTokens]) -> list[tuple[float, ...]]:
        """The log-probabilities of each output's tokens, from float64 where float32 leaves a digit uncertain."""
        settled = [output.log_probabilities for output in outputs]
        uncertain = [index for index, output in enumerate(outputs) if output.uncertain]
        for batch in batches([outputs[index].cost for index in uncertain], _BATCH_TOKENS):
            chosen = [uncertain[place] for place in batch]
            rows = self._rows(self._in_float64, [outputs[index] for index in chosen])
            for index, row in zip(chosen, rows, strict=True):
                settled[index] = row
        return settled

    def settle_hypotheses(
        self,
        sources: Sequence[Sequence[int]],
        found: Sequence[Sequence[Hypothesis]],
        search: BeamConfig | SamplingConfig,
    ) -> list[list[Hypothesis]]:
        """What a search found for each source, with settled scores; the order stays."""
        each = [(sources[row], hypothesis) for row, hypotheses in enumerate(found) for hypothesis in hypotheses]
        outputs = self._scored(each, search)
        settled = (
            _with_tokens(hypothesis, tokens, output.penalty)
            for (_, hypothesis), output, tokens in zip(each, outputs, self.settle(outputs), strict=True)
        )
        return [[next(settled) for _ in hypotheses] for hypotheses in found]

    def _scored(
        self, found: Sequence[tuple[Sequence[int], Hypothesis]], search: BeamConfig | SamplingConfig
    ) -> list[ScoredTokens]:
        """Each output with its source; where its engine was silent, with what the model says."""
        scored = [
            ScoredTokens(
                source,
                one.tokens,
                one.token_log_probabilities or (),
                search.penalty(len(one.tokens)) if isinstance(search, BeamConfig) else 1.0,
                search.unscored_prefix,
            )
            for source, one in found
        ]
        silent = [place for place, (_, one) in enumerate(found) if one.token_log_probabilities is None]
        for batch in batches([scored[place].cost for place in silent], _BATCH_TOKENS):
            chosen = [silent[number] for number in batch]
            rows = self._rows(self._model, [scored[place] for place in chosen])
            for place, row in zip(chosen, rows, strict=True):
                scored[place] = replace(scored[place], log_probabilities=row)
        return scored

    def _rows(self, model: Transducer[Any, Any], outputs: Sequence[ScoredTokens]) -> list[tuple[float, ...]]:
        """The log-probabilities of the tokens of each output."""
        pairs = Pairs(
            Sequences.of([one.source for one in outputs], device=self._device),
            Sequences.of([one.target for one in outputs], device=self._device),
        )
        return [
            (0.0,) * one.unscored + tuple(row[one.unscored : len(one.target)])
            for row, one in zip(score_pairs(model, pairs).tolist(), outputs, strict=True)
        ]


def _with_tokens(hypothesis: Hypothesis, tokens: tuple[float, ...], penalty: float) -> Hypothesis:
    """The hypothesis with other log-probabilities; the coverage penalty, if there is one, stays in its score."""
    if tokens is hypothesis.token_log_probabilities:
        return hypothesis
    total = math.fsum(tokens)
    score = hypothesis.score + (total - hypothesis.log_probability) / penalty
    return replace(hypothesis, token_log_probabilities=tokens, log_probability=total, score=score)
