"""What the products of bytes in `cpu_int8.hpp` compute, said in torch.

    a_i = max_j |x_ij| / 127        q_ij = round(x_ij / a_i)        y_ik = (sum_j q_ij r_kj) a_i s_k + b_k

q and a are the levels and scales of the states, r and s those of the weights, each row by itself. The sums are whole
numbers.
"""

import torch
from jaxtyping import Float, Int8
from torch import Tensor

HIGHEST = 127


def quantise(rows: Float[Tensor, "rows inner"]) -> tuple[Int8[Tensor, "rows inner"], Float[Tensor, " rows"]]:
    """The levels of each row, and what a level of it stands for.

    Weights that are stored as levels, and were read as float32, are given the same levels again. A row of zeros has the
    scale 1, and one with numbers that are not finite has no levels and the scale NaN.
    """
    highest = rows.abs().amax(dim=1) if rows.shape[1] else rows.new_zeros(len(rows))
    inverse = torch.where(highest > 0, HIGHEST / highest, 1.0)
    # The library multiplies and adds with a single rounding. In double precision that product is exact.
    levels = (rows.double() * inverse.double().unsqueeze(1)).round()
    sound = highest.isfinite()
    scales = torch.where(highest > 0, highest / HIGHEST, 1.0).masked_fill(~sound, torch.nan)
    return levels.masked_fill(~sound.unsqueeze(1), 0.0).to(torch.int8), scales


def reference(
    states: Float[Tensor, "rows inner"], weight: Float[Tensor, "outer inner"], bias: Float[Tensor, " outer"] | None
) -> Float[Tensor, "rows outer"]:
    """The product of these states and weights by their levels."""
    (levels, own), (weight_levels, scales) = quantise(states), quantise(weight)
    sums = levels.double() @ weight_levels.double().T  # whole numbers far below 2^53
    product = sums.float() * (own.unsqueeze(1) * scales)
    return product if bias is None else product + bias
