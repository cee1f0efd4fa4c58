"""Which input tokens an output came from, for any model that attends."""

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.decoding.hypothesis import Hypothesis
from saccade.models.contract import Transducer
from saccade.sequences import Sequences


@torch.inference_mode()
def alignments(
    model: Transducer[Any, Any], source: Sequences, hypotheses: Sequence[Hypothesis]
) -> list[Float[Tensor, "_ _"]]:
    """For one hypothesis per source, how much each of its tokens looked at each source token, without padding."""
    assert not model.training, "dropout would change the weights: call model.eval() first"
    if not hypotheses:
        return []
    target = Sequences.of([hypothesis.tokens for hypothesis in hypotheses], source.tokens.device)
    weights = model.align(target, model.encode(source))
    lengths = zip(target.lengths.tolist(), source.lengths.tolist(), strict=True)
    return [row[:written, :read] for row, (written, read) in zip(weights, lengths, strict=True)]


def links(weights: Float[Tensor, "target source"]) -> list[tuple[int, int]]:
    """(source position, target position) for every target position: where it looked most, the first of equals."""
    if not weights.numel():
        return []
    return [(row.index(max(row)), position) for position, row in enumerate(weights.tolist())]
