"""Attention whose scores are given: what the worked examples of textbooks print, through saccade's own attention."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.attention.attend import explicit
from saccade.attention.masks import Visibility


def attend_by(
    scores: Float[Tensor, "query key"], values: Float[Tensor, "key width"], causal: bool = False
) -> tuple[Float[Tensor, "query key"], Float[Tensor, "query width"]]:
    """The weights and contexts of queries that meet keys with exactly these scores.

    Keys are the unit vectors e_1 ... e_n, so query_i . e_j picks the j-th component of query_i. Equation 1 divides by
    the root of the key width, which is n here, so the queries are that much longer.
    """
    keys = torch.eye(scores.shape[1], dtype=scores.dtype)
    query = scores * math.sqrt(scores.shape[1])
    context, weights = explicit(query[None, None], keys[None, None], values[None, None], Visibility(causal=causal))
    return weights[0, 0], context[0, 0]
