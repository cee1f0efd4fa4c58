"""Length penalty and coverage penalty: Wu et al. 2016 (GNMT), section 7, equation 14.

s(Y, X) = log P(Y | X) / lp(Y) + cp(X, Y)
"""

from typing import overload

import torch
from jaxtyping import Bool, Float
from torch import Tensor


@overload
def length_penalty(length: int, alpha: float) -> float: ...
@overload
def length_penalty(length: Float[Tensor, "*shape"], alpha: float) -> Float[Tensor, "*shape"]: ...
def length_penalty(length: int | Float[Tensor, "*shape"], alpha: float) -> float | Float[Tensor, "*shape"]:
    """lp(Y) = ((5 + |Y|) / 6)^alpha, where |Y| counts the tokens of the output, EOS included.

    Every further token lowers log P, so log P alone prefers short outputs. lp grows with |Y| and log P is negative:
    dividing by lp compensates for length. Alpha 0 means no compensation.
    """
    return ((5 + length) / 6) ** alpha


def coverage_penalty(
    weights: Float[Tensor, "batch target source"],
    target: Bool[Tensor, "batch target"],
    source: Bool[Tensor, "batch source"],
    beta: float,
) -> Float[Tensor, " batch"]:
    """cp(X, Y) = beta * sum_i log(min(sum_j p_ij, 1)), with p_ij the attention of output j to input i.

    An input that received less than one unit of attention in total was probably left untranslated. The masks are True
    on real tokens; padding neither gives nor receives attention. An input without any attention costs the logarithm
    of the smallest normal number rather than minus infinity.
    """
    received = (weights * target.unsqueeze(2)).double().sum(1)
    uncovered = received.clamp(torch.finfo(torch.float32).tiny, 1.0).log()
    return beta * uncovered.masked_fill(~source, 0.0).sum(1)
