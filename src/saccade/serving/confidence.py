"""How sure a model is of an output and of each of its words: the probabilities of its tokens, calibrated.

They are those of the model itself (`stable_scores.py`), whichever engine has found the output.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from saccade.data.tokenizer import Tokenizer
from saccade.decoding.hypothesis import Hypothesis
from saccade.quality.calibration import Calibration
from saccade.serving.restored_spans import restored_words
from saccade.serving.source_lines import Restored


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
    words = tokenizer.words(hypothesis.tokens)
    texts = [tokenizer.decode([hypothesis.tokens[place] for place in word]) for word in words]
    values = [
        (text, calibration.word(_mean([tokens[place] for own in made_of for place in words[own]])))
        for text, made_of in restored_words(texts, restored)
    ]
    return Confidence(calibration.sentence(_mean(tokens)), tuple(values))


def joined(pieces: Sequence[Confidence | None]) -> Confidence | None:
    """Of a text of several sentences: as sure as of the least sure of them."""
    known = [piece for piece in pieces if piece is not None]
    if not known or len(known) < len(pieces):
        return None
    return Confidence(min(piece.sentence for piece in known), tuple(word for piece in known for word in piece.words))


def _mean(log_probabilities: Sequence[float]) -> float:
    """The geometric mean of the probabilities."""
    return math.exp(min(math.fsum(log_probabilities) / len(log_probabilities), 0.0))
