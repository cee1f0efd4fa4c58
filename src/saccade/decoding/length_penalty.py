"""Length penalty and coverage penalty: Wu et al. 2016 (GNMT), section 7, equation 14; and the power of the length.

s(Y, X) = log P(Y | X) / lp(Y) + cp(X, Y)
"""

from typing import Literal, overload

import torch
from jaxtyping import Bool, Float
from torch import Tensor

LengthRule = Literal["gnmt", "power"]


@overload
def length_penalty(length: int, alpha: float, rule: LengthRule = "gnmt") -> float: ...
@overload
def length_penalty(
    length: Float[Tensor, "*shape"], alpha: float, rule: LengthRule = "gnmt"
) -> Float[Tensor, "*shape"]: ...
def length_penalty(
    length: int | Float[Tensor, "*shape"], alpha: float, rule: LengthRule = "gnmt"
) -> float | Float[Tensor, "*shape"]:
    """lp(Y) = ((5 + |Y|) / 6)^alpha, or by the rule "power" |Y|^alpha; |Y| counts the output's tokens, EOS included.

    Every further token lowers log P, so log P alone prefers short outputs. lp grows with |Y| and log P is negative:
    dividing by lp compensates for length. Alpha 0 means no compensation. The power with alpha 1, the mean log P of a
    token, is what Marian and Hugging Face's models are used with.
    """
    if rule == "power":
        return length**alpha
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
