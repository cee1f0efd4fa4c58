"""Which candidate is better, by a rule that rounding errors rarely reach.

Float arithmetic gives the same sentence slightly other numbers in a batch of one and in a batch of sixty-four. Two
candidates that are equal in truth would then be ordered by noise. Search therefore never compares raw scores: it
compares them on a grid far wider than the noise and far finer than any difference that matters, and candidates at
the same grid point keep the order in which they stand, which is itself given by rule.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

# Scores of one output differ by up to 1e-5 between batches, in float32; this step is 1.5e-5 of a nat.
STEPS_PER_NAT = 2**16
# Candidates looked at beyond those asked for, so that ties at the edge are usually seen whole at the first attempt.
MARGIN = 8


def on_grid(scores: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """The scores as whole numbers of grid steps; minus infinity stays."""
    return (scores.double() * STEPS_PER_NAT).round()


def best_first(scores: Float[Tensor, "batch candidates"], count: int) -> Int[Tensor, "batch count"]:
    """The places of the `count` best of each row; of equal ones the first comes first."""
    return on_grid(scores).sort(dim=1, descending=True, stable=True).indices[:, :count]


def shortlist(
    log_probabilities: Float[Tensor, "rows vocabulary"], totals: Float[Tensor, " rows"], count: int
) -> tuple[Int[Tensor, "rows listed"], Float[Tensor, "rows listed"]]:
    """Tokens of each row, in order of their ids, among which are the `count` best continuations of its total.

    With them come their own log-probabilities. Sorting a whole vocabulary on the grid would cost more than the
    softmax. Rounding keeps the order of unequal numbers, so the fast selection on raw numbers can go wrong only
    where a tie on the grid reaches across its edge: that is checked, and then the list is made longer.
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
    # A model whose weights are damaged answers NaN: such a continuation counts as impossible.
    return tokens, torch.nan_to_num(values.gather(1, order).double(), nan=-torch.inf, neginf=-torch.inf)
