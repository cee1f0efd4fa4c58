"""How the small translating systems of the claims learn an invented language, and how much of it they get right."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from saccade.claims.claim import Progress
from saccade.claims.learning import cross_entropy, learn
from saccade.models.contract import Transducer
from saccade.sequences import EOS, Sequences

Line = Sequence[int]
Both = tuple[Sequences, Sequences]
"""Sentences and what they become."""

Model = Transducer[Any, Any]


def pairs(lines: Sequence[Line], translated: Callable[[Line], Line]) -> Both:
    """Sentences and their translations, each ended by EOS."""
    return Sequences.of([[*line, EOS] for line in lines]), Sequences.of([[*translated(line), EOS] for line in lines])


def teach(model: Model, draw: Callable[[], Both], steps: int, progress: Progress, rate: float = 5e-3) -> None:
    """Teacher forcing on pairs drawn as they are needed; padding counts for nothing."""

    def loss() -> Tensor:
        source, target = draw()
        return cross_entropy(model.decode(target.reads, model.encode(source))[target.mask], target.tokens[target.mask])

    learn(model, loss, steps, progress, rate)


def words_right(model: Model, both: Both) -> float:
    """The share of words, the end of a sentence not counted, that are the best ones after those that precede them."""
    source, target = both
    words = target.mask & (target.tokens != EOS)
    with torch.no_grad():
        best = model.decode(target.reads, model.encode(source)).argmax(dim=-1)
    return (best == target.tokens)[words].double().mean().item()
