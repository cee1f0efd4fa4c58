"""What a score owes to length and to coverage: Wu et al. 2016 (GNMT), section 7, equation 14.

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
    """lp(Y) = ((5 + |Y|) / 6)^alpha, where |Y| counts the written tokens, EOS included.

    Every further token costs probability, so log P alone prefers short outputs. lp grows with |Y| and log P is
    negative: dividing forgives length. With alpha 0 nothing is forgiven.
    """
    return ((5 + length) / 6) ** alpha


def coverage_penalty(
    weights: Float[Tensor, "batch target source"],
    target: Bool[Tensor, "batch target"],
    source: Bool[Tensor, "batch source"],
    beta: float,
) -> Float[Tensor, " batch"]:
    """cp(X, Y) = beta * sum_i log(min(sum_j p_ij, 1)), with p_ij the attention of output j to input i.

    An input to which less than one whole unit of attention was ever paid was probably left untranslated. The masks
    are True on real tokens: padding neither pays attention nor asks for any. An input that nothing looked at costs
    the logarithm of the smallest normal number instead of ruling the output out.
    """
    received = (weights * target.unsqueeze(2)).double().sum(1)
    forgotten = received.clamp(torch.finfo(torch.float32).tiny, 1.0).log()
    return beta * forgotten.masked_fill(~source, 0.0).sum(1)
