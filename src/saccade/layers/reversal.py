"""The order of positions inside padded rows: turning each row around, and finding where each ends."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from saccade.sequences import Sequences


def flipped(
    states: Float[Tensor, "batch length width"], lengths: Int[Tensor, " batch"]
) -> Float[Tensor, "batch length width"]:
    """Every row from its own last position to its first; what stands on padding stays where it is.

    A recurrence that runs backwards is one that runs forwards on this. Turned around as a whole, a short row would
    begin with its padding.
    """
    return states.gather(1, backwards(lengths, states.shape[1]).unsqueeze(-1).expand_as(states))


def backwards(lengths: Int[Tensor, " batch"], length: int) -> Int[Tensor, "batch length"]:
    """The places of each row from its own last to its first; those of padding stay."""
    positions = torch.arange(length, device=lengths.device)
    turned = lengths.unsqueeze(1) - 1 - positions
    return torch.where(turned < 0, positions, turned)


def last(states: Float[Tensor, "batch length width"], lengths: Int[Tensor, " batch"]) -> Float[Tensor, "batch width"]:
    """The state at the last real position of each row."""
    return states[torch.arange(len(states), device=states.device), lengths - 1]


def words_reversed(sequences: Sequences) -> Sequences:
    """The words of every row from last to first; the EOS that ends the row still ends it.

    Sutskever et al. 2014, section 3.3: c b a EOS is read instead of a b c EOS, so that the first word of the source is
    read shortly before the first word of the target is written.
    """
    positions = sequences.positions
    turned = sequences.lengths.unsqueeze(1) - 2 - positions
    places = torch.where(turned < 0, positions, turned)
    return Sequences(sequences.tokens.gather(1, places), sequences.lengths)


def order_of_reading(sequences: Sequences) -> Int[Tensor, "batch length"]:
    """The places of the tokens in the order in which `words_reversed` hands them out."""
    places = torch.arange(sequences.tokens.shape[1], device=sequences.tokens.device).repeat(len(sequences), 1)
    return words_reversed(Sequences(places, sequences.lengths)).tokens
