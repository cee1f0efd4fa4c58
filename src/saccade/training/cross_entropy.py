"""The last product, the softmax and the smoothed cross-entropy as one, on a processor.

The scores of all tokens of a batch are by far its largest matrix. Here they are never whole: some rows at a time are
multiplied, turned into probabilities in place, then into the gradient in place,

    d loss / d z_v = p_v - (1 - e') [v is right] - e' / V        (e' as in `objective.smoothed_cross_entropy`)

and used for both gradients while they are still in the cache. What e' / V adds is the same for every token, so it is
left out of the large matrix: it takes e' times the average row of the projection from the gradient of each state, and
e' / V times the sum of the states from each row of the other; likewise the mean of all logits of a state is its product
with that average row. The gradients are ready before anyone asks for them; the backward pass only scales them.
"""

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable

# Fewer rows fit the cache better, but the gradient of the matrix is read and written once for every so many.
_ROWS = 1024


def linear_cross_entropy(
    states: Float[Tensor, "rows width"],
    projection: Float[Tensor, "vocabulary width"],
    gold: Int[Tensor, " rows"],
    real: Bool[Tensor, " rows"],
    smoothing: float,
    rows_at_once: int = _ROWS,
) -> tuple[Float[Tensor, ""], Float[Tensor, ""], Float[Tensor, ""]]:
    """The sums of `objective.Loss` over the real rows, for logits = states projection^T."""
    if not bool(real.all()):
        states, gold = states[real], gold[real]
    smoothed, plain, correct = _LinearCrossEntropy.apply(  # type: ignore[no-untyped-call]
        states, projection, gold, smoothing, rows_at_once, torch.is_grad_enabled()
    )
    return smoothed, plain, correct


class _LinearCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, states: Tensor, projection: Tensor, gold: Tensor, smoothing: float, rows_at_once: int, learns: bool
    ) -> tuple[Tensor, Tensor, Tensor]:
        vocabulary = projection.shape[0]
        spread = smoothing * vocabulary / (vocabulary - 1)
        states_gradient = torch.empty_like(states) if learns else None
        projection_gradient = torch.zeros_like(projection) if learns else None
        average = projection.mean(0)
        scores = states.new_empty(min(rows_at_once, len(states)), vocabulary)
        sums = torch.zeros(3, dtype=torch.float64)
        for start in range(0, len(states), rows_at_once):
            some = states[start : start + rows_at_once]
            right = gold[start : start + rows_at_once].unsqueeze(1)
            logits = torch.mm(some, projection.t(), out=scores[: len(some)])
            of_right, largest = logits.gather(1, right), logits.amax(1, keepdim=True)
            mean = (some @ average).unsqueeze(1)
            probabilities = torch.softmax(logits, 1, out=logits)
            # The largest probability is exp(0) over the sum: its logarithm is safe where others have underflowed.
            normaliser = largest - probabilities.amax(1, keepdim=True).log()
            plain = normaliser - of_right
            smoothed = (1 - spread) * plain + spread * (normaliser - mean)
            sums += torch.stack([smoothed.sum(), plain.sum(), (of_right >= largest).sum()])
            if states_gradient is not None and projection_gradient is not None:
                gradient = probabilities.scatter_add_(1, right, torch.full_like(of_right, spread - 1))
                torch.mm(gradient, projection, out=states_gradient[start : start + rows_at_once])
                projection_gradient.addmm_(gradient.t(), some)
        if states_gradient is not None and projection_gradient is not None:
            states_gradient.sub_(average, alpha=spread)
            projection_gradient.sub_(states.sum(0), alpha=spread / vocabulary)
        ctx.gradients = states_gradient, projection_gradient
        smoothed, plain, correct = sums.to(states.dtype)
        ctx.mark_non_differentiable(plain, correct)
        return smoothed, plain, correct

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
        (states, projection), ctx.gradients = ctx.gradients, (None, None)
        assert states is not None, "the gradients are scaled in place: there is one backward pass"
        assert projection is not None
        return states.mul_(gradient), projection.mul_(gradient), None, None, None, None
