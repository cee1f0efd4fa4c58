"""Ranking and tie-breaking of candidates, by a rule that rounding errors rarely affect.

Floating-point arithmetic gives a sentence slightly different scores in a batch of 1 and in a batch of 64, and would
order candidates of equal score by rounding noise. Search therefore never compares raw scores: it rounds them to a grid
much coarser than the noise and much finer than any difference that matters. Candidates at the same grid point keep
their order, which is fixed by rule.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

# In float32 the score of one output differs by up to 1e-5 between batches; a grid step is 1.5e-5 of a nat.
STEPS_PER_NAT = 2**16
# Extra candidates compared beyond those asked for, so that a tie at the edge usually fits at the first attempt.
MARGIN = 8


def on_grid(scores: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """The scores rounded to whole grid steps; minus infinity stays."""
    return (scores.double() * STEPS_PER_NAT).round()


def best_first(scores: Float[Tensor, "batch candidates"], count: int) -> Int[Tensor, "batch count"]:
    """The indices of the `count` best of each row; ties keep their order."""
    return on_grid(scores).sort(dim=1, descending=True, stable=True).indices[:, :count]


def shortlist(
    log_probabilities: Float[Tensor, "rows vocabulary"], totals: Float[Tensor, " rows"], count: int
) -> tuple[Int[Tensor, "rows listed"], Float[Tensor, "rows listed"]]:
    """Tokens of each row, in order of their ids, that include the `count` best extensions, and their log P.

    Sorting a whole vocabulary on the grid would cost more than the softmax. Rounding never reverses the order of two
    numbers, so `topk` on the raw numbers can go wrong only where a tie on the grid reaches across its edge: that is
    checked, and the list is made longer if need be.
    """
    vocabulary = log_probabilities.shape[1]
    count, listed = min(count, vocabulary), min(count + MARGIN, vocabulary)
    while True:
        values, tokens = log_probabilities.topk(listed, dim=1)
        if listed == vocabulary:
            break
        wanted, edge = on_grid(totals.unsqueeze(1) + values[:, [count - 1, listed - 1]]).unbind(1)
        if bool(((wanted > edge) | wanted.isneginf()).all()):
            break
        listed = min(listed * 8, vocabulary)
    tokens, order = tokens.sort(dim=1)
    # A model with damaged weights gives NaN: such a candidate counts as impossible.
    return tokens, torch.nan_to_num(values.gather(1, order).double(), nan=-torch.inf, neginf=-torch.inf)
