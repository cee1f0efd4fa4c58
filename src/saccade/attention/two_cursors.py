"""Two cursors, one in each sentence, and dynamic programming over all their ways: what Bahdanau tried first.

What is on record is one sentence: a cursor moves through the source and another through the target, and their
trajectories are marginalised out by dynamic programming, which is Graves's transducer (2012). So this file is that
model, with one decision at a time. With i the place of the source cursor and t the number of words written:

    write   with probability w_ti, word y_t, with probability p(y_t | t, i); the target cursor moves on
    move    with probability 1 - w_ti, and the source cursor moves on; on the last source word it can only write

    reach_t,1 = left_t-1,1        reach_t,i = left_t-1,i + reach_t,i-1 (1 - w_t,i-1)
    left_t,i = reach_t,i w_ti p(y_t | t, i)        p(y_1 .. y_T) = sum_i left_T,i

The source cursor never goes back, so what is written in another order cannot be followed; and p(y_t | t, i) is wanted
for every pair of places, a vocabulary each: T S V numbers where attention has T V.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional

IMPOSSIBLE = -1e4
"""A logarithm whose power is zero in any precision, and whose sums stay finite."""


class Trajectories(NamedTuple):
    """What all ways of the two cursors add up to."""

    log_likelihood: Float[Tensor, "batch target"]
    """log p(y_t | y_<t)."""
    weights: Float[Tensor, "batch target source"]
    """Where the source cursor stands when the next word is written, given the words before it: each row sums to one."""


def trajectories(
    scores: Float[Tensor, "batch target source"],
    log_emissions: Float[Tensor, "batch target source"],
    real: Bool[Tensor, "batch source"],
) -> Trajectories:
    """Sums over all ways; w = sigma(`scores`), and `log_emissions` are log p(y_t | t, i) of the right words."""
    last = real & ~functional.pad(real, (0, 1))[:, 1:]
    write = functional.logsigmoid(scores).masked_fill(last.unsqueeze(1), 0.0)
    move = functional.logsigmoid(-scores).masked_fill((last | ~real).unsqueeze(1), IMPOSSIBLE)
    left = torch.full_like(scores[:, 0], IMPOSSIBLE)
    left[:, 0] = 0.0
    log_likelihood, weights = [], []
    for t in range(scores.shape[1]):
        written = _reached(left, move[:, t]) + write[:, t]
        weights.append(written.exp().masked_fill(~real, 0.0))
        left = (written + log_emissions[:, t]).masked_fill(~real, IMPOSSIBLE)
        log_likelihood.append(left.logsumexp(-1))
        # From here on given y_1 .. y_t: of a long target all that is left would sink below what is impossible.
        left = left - log_likelihood[-1].unsqueeze(1)
    return Trajectories(torch.stack(log_likelihood, dim=1), torch.stack(weights, dim=1))


def _reached(left: Float[Tensor, "batch source"], move: Float[Tensor, "batch source"]) -> Float[Tensor, "batch source"]:
    """The logarithm of reach: where the source cursor comes to from each place, with nothing written on the way.

    reach_i = sum_{k <= i} left_k prod_{k <= l < i} move_l. Taken one source place after another it would be a loop
    inside a loop; instead all pairs k <= i are summed at once.
    """
    passed = functional.pad(move.cumsum(-1), (1, 0))[:, :-1]
    ways = left.unsqueeze(1) + passed.unsqueeze(2) - passed.unsqueeze(1)
    backward = torch.ones_like(ways, dtype=torch.bool).triu(1)
    return ways.masked_fill(backward, IMPOSSIBLE).logsumexp(-1)
