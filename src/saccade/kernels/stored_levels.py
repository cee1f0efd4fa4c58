"""Weights that are bytes times a scale for each row, as models are stored, found again among floats.

A search with few rows waits for its weights to arrive from memory, and bytes arrive four times as soon. Multiplied by
their scales they are the floats again, to the last bit.
"""

import torch
from jaxtyping import Float, Int8
from torch import Tensor

HIGHEST = 127
_AT_ONCE = 1 << 16
"""So many numbers, and all that is made of them, stay in a core's cache."""


def stored_levels(
    rows: Float[Tensor, "rows inner"],
) -> tuple[Int8[Tensor, "rows inner"], Float[Tensor, " rows"]] | None:
    """The levels and scales whose products these rows are, to the last bit; None where there are none for all rows.

    The largest number of a row is its highest level. Divided by that level it may round to a neighbour of the scale
    that it was multiplied by.
    """
    if not rows.numel():
        return None
    levels, scales = torch.empty_like(rows, dtype=torch.int8), rows.new_empty(len(rows))
    step = -(-_AT_ONCE // rows.shape[1])
    for start in range(0, len(rows), step):
        found = _found(rows[start : start + step])
        if found is None:
            return None
        levels[start : start + step], scales[start : start + step] = found
    return levels, scales


def _found(rows: Tensor) -> tuple[Tensor, Tensor] | None:
    highest = rows.abs().amax(dim=1)
    if not highest.isfinite().all():
        return None
    scales = torch.where(highest > 0, highest / HIGHEST, 1.0)
    levels = (rows / scales.unsqueeze(1)).round_()
    other = (levels * scales.unsqueeze(1)).sub_(rows).abs_().amax(dim=1).nonzero().squeeze(1)
    for direction in (0.0, torch.inf):
        if len(other):
            near = scales[other].nextafter(torch.tensor(direction))
            exact = (levels[other] * near.unsqueeze(1) == rows[other]).all(dim=1)
            scales[other[exact]] = near[exact]
            other = other[~exact]
    # A scale that is no more than a few of the smallest floats is so rough that levels may lie beyond the highest.
    if len(other) or levels.abs().max() > HIGHEST:
        return None
    return levels.to(torch.int8), scales
