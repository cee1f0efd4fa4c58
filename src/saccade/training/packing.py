"""Padded batches without their padding."""

from dataclasses import replace

from jaxtyping import Int
from torch import Tensor
from torch.nn import functional

from saccade.sequences import PAD, Packed, Packing, Pairs, Sequences

# Beyond this the weights of attention, which the packed way keeps, weigh more than the padding it saves.
_LONGEST = 256


def unpadded(pairs: Pairs, multiple: int = 1) -> Pairs:
    """The same pairs with the sentences of each side one after another; long ones stay as they are.

    Each side has a multiple of so many slots.
    """
    source, target = pairs.source, pairs.target
    if not isinstance(source, Sequences) or not isinstance(target, Sequences):
        return pairs
    if max(source.tokens.shape[1], target.tokens.shape[1]) > _LONGEST:
        return pairs
    return replace(pairs, source=packed(source, multiple), target=packed(target, multiple))


def packed(sequences: Sequences, multiple: int = 1) -> Packed:
    """The real tokens of padded rows, one row after another; only what fills up the last `multiple` is empty."""
    real = sequences.mask
    sentence, position = real.nonzero().unbind(1)
    offsets = functional.pad(sequences.lengths.cumsum(0), (1, 0))
    empty = -len(sentence) % multiple

    def row(slots: Int[Tensor, " tokens"], nothing: int) -> Int[Tensor, "1 slots"]:
        return functional.pad(slots, (0, empty), value=nothing).unsqueeze(0)

    return Packed(row(sequences.tokens[real], PAD), row(position, 0), Packing(offsets, row(sentence, -1)))
