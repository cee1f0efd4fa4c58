"""The order of positions inside padded rows: turning each row around, and finding where each ends."""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def flipped(
    states: Float[Tensor, "batch length width"], lengths: Int[Tensor, " batch"]
) -> Float[Tensor, "batch length width"]:
    """Every row from its own last position to its first; what stands on padding stays where it is.

    A recurrence that runs backwards is one that runs forwards on this. Turned around as a whole, a short row would
    begin with its padding.
    """
    positions = torch.arange(states.shape[1], device=states.device)
    turned = lengths.unsqueeze(1) - 1 - positions
    return states.gather(1, torch.where(turned < 0, positions, turned).unsqueeze(-1).expand_as(states))


def last(states: Float[Tensor, "batch length width"], lengths: Int[Tensor, " batch"]) -> Float[Tensor, "batch width"]:
    """The state at the last real position of each row."""
    return states[torch.arange(len(states), device=states.device), lengths - 1]
