"""Scores whose printed digits depend on the sentence alone, not on the sentences it was batched with.

Float32 gives the same output slightly different log-probabilities in a batch of 1 and in a batch of 64. Rounded to
three digits they are nearly always the same, but however few digits are printed, now and then a number lies so close
to the edge between two of them that the difference decides. Such an output is scored again in float64, whose own
differences are too small to decide anything: what is printed is then what float64 would have printed everywhere.
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
        costs = [max(len(outputs[index].source), len(outputs[index].target)) for index in uncertain]
        for batch in batches(costs, _BATCH_TOKENS):
            chosen = [uncertain[place] for place in batch]
            pairs = Pairs(
                Sequences.of([outputs[index].source for index in chosen], device=self._device),
                Sequences.of([outputs[index].target for index in chosen], device=self._device),
            )
            for index, row in zip(chosen, score_pairs(self._in_float64, pairs).tolist(), strict=True):
                free = outputs[index].unscored
                settled[index] = (0.0,) * free + tuple(row[free : len(outputs[index].target)])
        return settled

    def settle_hypotheses(
        self,
        sources: Sequence[Sequence[int]],
        found: Sequence[Sequence[Hypothesis]],
        search: BeamConfig | SamplingConfig,
    ) -> list[list[Hypothesis]]:
        """What a search found for each source, with settled scores; the order stays.

        An engine that does not tell the log-probability of each token has arithmetic of its own, and its scores stay.
        """
        places = [
            (row, column)
            for row, hypotheses in enumerate(found)
            for column, hypothesis in enumerate(hypotheses)
            if hypothesis.token_log_probabilities is not None
        ]
        outputs = [_scored(sources[row], found[row][column], search) for row, column in places]
        settled = [list(hypotheses) for hypotheses in found]
        for (row, column), output, tokens in zip(places, outputs, self.settle(outputs), strict=True):
            settled[row][column] = _with_tokens(found[row][column], tokens, output.penalty)
        return settled


def _scored(source: Sequence[int], hypothesis: Hypothesis, search: BeamConfig | SamplingConfig) -> ScoredTokens:
    assert hypothesis.token_log_probabilities is not None
    penalty = search.penalty(len(hypothesis.tokens)) if isinstance(search, BeamConfig) else 1.0
    return ScoredTokens(source, hypothesis.tokens, hypothesis.token_log_probabilities, penalty, search.unscored_prefix)


def _with_tokens(hypothesis: Hypothesis, tokens: tuple[float, ...], penalty: float) -> Hypothesis:
    """The hypothesis with other log-probabilities; the coverage penalty, if there is one, stays in its score."""
    if tokens is hypothesis.token_log_probabilities:
        return hypothesis
    total = math.fsum(tokens)
    score = hypothesis.score + (total - hypothesis.log_probability) / penalty
    return replace(hypothesis, token_log_probabilities=tokens, log_probability=total, score=score)
