"""Padded batches without their padding."""

from dataclasses import replace

import torch

from saccade.sequences import Packed, Packing, Pairs, Sequences

# Beyond this the weights of attention, which the packed way keeps, weigh more than the padding it saves.
_LONGEST = 256


def unpadded(pairs: Pairs) -> Pairs:
    """The same pairs with the sentences of each side one after another; long ones stay as they are."""
    source, target = pairs.source, pairs.target
    if not isinstance(source, Sequences) or not isinstance(target, Sequences):
        return pairs
    if max(source.tokens.shape[1], target.tokens.shape[1]) > _LONGEST:
        return pairs
    return replace(pairs, source=packed(source), target=packed(target))


def packed(sequences: Sequences) -> Packed:
    """The real tokens of padded rows, one row after another; no slot is empty."""
    real = sequences.mask
    sentence, position = real.nonzero().unbind(1)
    offsets = torch.nn.functional.pad(sequences.lengths.cumsum(0), (1, 0))
    packing = Packing(offsets, sentence.unsqueeze(0))
    return Packed(sequences.tokens[real].unsqueeze(0), position.unsqueeze(0), packing)
