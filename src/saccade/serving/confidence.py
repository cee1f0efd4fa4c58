"""How sure a model is of an output and of each of its words: the probabilities of its tokens, calibrated.

CTranslate2 does not tell the probability of each token, and has another arithmetic than the model was calibrated with.
What it has found is scored by the model itself: all positions at once, which is a small part of a search.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from saccade.data.tokenizer import Tokenizer
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.scoring import score_pairs
from saccade.models.contract import Transducer
from saccade.quality.calibration import Calibration
from saccade.sequences import Pairs, Sequences
from saccade.serving.batching import batches
from saccade.serving.kept_spans import restore
from saccade.serving.source_lines import Restored

_BATCH_TOKENS = 2048


@dataclass(frozen=True)
class Confidence:
    """That of an output, and that of each word; spans that were put into the text afterwards have none."""

    sentence: float
    words: tuple[tuple[str, float], ...]

    def to_json(self) -> dict[str, Any]:
        """As part of a JSON object."""
        words = [{"word": word, "confidence": round(value, 3)} for word, value in self.words]
        return {"confidence": round(self.sentence, 3), "words": words}


def confidence_of(
    hypothesis: Hypothesis, tokenizer: Tokenizer, calibration: Calibration, restored: Sequence[Restored]
) -> Confidence | None:
    """None where there are no tokens."""
    tokens = hypothesis.token_log_probabilities
    if not tokens:
        return None
    written = [one for one in restored if one.written]
    words = []
    for places in tokenizer.words(hypothesis.tokens):
        text = restore(tokenizer.decode([hypothesis.tokens[place] for place in places]), written)
        words.append((text, calibration.word(_mean([tokens[place] for place in places]))))
    return Confidence(calibration.sentence(_mean(tokens)), tuple(words))


def with_token_probabilities(
    model: Transducer[Any, Any], device: torch.device, found: Sequence[tuple[Sequence[int], Hypothesis]]
) -> list[Hypothesis]:
    """The hypotheses, each given with its source; those whose engine was silent, with the model's own probabilities."""
    hypotheses = [hypothesis for _, hypothesis in found]
    unknown = [place for place, one in enumerate(hypotheses) if one.token_log_probabilities is None and one.tokens]
    costs = [max(len(found[place][0]), len(hypotheses[place].tokens)) for place in unknown]
    for batch in batches(costs, _BATCH_TOKENS):
        places = [unknown[number] for number in batch]
        pairs = Pairs(
            Sequences.of([found[place][0] for place in places], device=device),
            Sequences.of([hypotheses[place].tokens for place in places], device=device),
        )
        for place, row in zip(places, score_pairs(model, pairs).tolist(), strict=True):
            tokens = tuple(row[: len(hypotheses[place].tokens)])
            hypotheses[place] = replace(hypotheses[place], token_log_probabilities=tokens)
    return hypotheses


def joined(pieces: Sequence[Confidence | None]) -> Confidence | None:
    """Of a text of several sentences: as sure as of the least sure of them."""
    known = [piece for piece in pieces if piece is not None]
    if not known or len(known) < len(pieces):
        return None
    return Confidence(min(piece.sentence for piece in known), tuple(word for piece in known for word in piece.words))


def _mean(log_probabilities: Sequence[float]) -> float:
    """The geometric mean of the probabilities."""
    return math.exp(min(math.fsum(log_probabilities) / len(log_probabilities), 0.0))
