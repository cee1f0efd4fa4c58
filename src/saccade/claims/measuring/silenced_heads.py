"""One head of a Transformer's encoder at a time is silenced: what is lost without it?"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from saccade.models.transformer import Encoder


@contextmanager
def silenced(encoder: Encoder, layer: int, head: int, heads: int) -> Iterator[None]:
    """Nothing of what this head of the self-attention brings is passed on."""
    output = encoder.get_parameter(f"layers.{layer}.self_attention.output.weight")
    share = output.shape[1] // heads
    columns = slice(head * share, (head + 1) * share)
    with torch.no_grad():
        kept = output[:, columns].clone()
        output[:, columns] = 0.0
        try:
            yield
        finally:
            output[:, columns] = kept
