"""The last product, the softmax and the smoothed cross-entropy as one, on a processor.

The scores of all tokens of a batch are by far its largest matrix. Here they are never whole: some rows at a time are
multiplied, turned into probabilities in place, then into the gradient in place,

    d loss / d z_v = p_v - (1 - e') [v is right] - e' / V        (e' as in `objective.smoothed_cross_entropy`)

and used for both gradients while they are still in the cache. What e' / V adds is the same for every token, so it is
left out of the large matrix: it takes e' times the average row of the projection from the gradient of each state, and
e' / V times the sum of the states from each row of the other; likewise the mean of all logits of a state is its product
with that average row. The gradients are ready before anyone asks for them; the backward pass only scales them.

The large products run in the type of the states. Where that is bfloat16, so are scores and probabilities, of which two
or three digits are left; everything that is summed over rows is float32 still.
"""

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

# Fewer rows fit the cache better, but the gradient of the matrix is read and written once for every so many.
_ROWS = 1024
# For products of bfloat16 the library makes a program for each new shape, and the number of real tokens is always new.
_SHAPES = 128


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
    count, empty = len(states), -len(states) % _SHAPES if states.dtype == torch.bfloat16 else 0
    if empty:
        states, gold = functional.pad(states, (0, 0, 0, empty)), functional.pad(gold, (0, empty))
    with torch.autocast(states.device.type, enabled=False):
        smoothed, plain, correct = _LinearCrossEntropy.apply(  # type: ignore[no-untyped-call]
            states, projection, gold, count, smoothing, rows_at_once, torch.is_grad_enabled()
        )
    return smoothed, plain, correct


class _LinearCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        states: Tensor,
        projection: Tensor,
        gold: Tensor,
        count: int,
        smoothing: float,
        rows_at_once: int,
        learns: bool,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Only the first `count` rows are asked about; others may follow them to fill up a shape."""
        vocabulary = projection.shape[0]
        spread = smoothing * vocabulary / (vocabulary - 1)
        precise, matrix = projection.dtype, projection.to(states.dtype)
        states_gradient = torch.empty_like(states) if learns else None
        projection_gradient = torch.zeros_like(projection) if learns else None
        average = projection.mean(0)
        scores = states.new_empty(min(rows_at_once, len(states)), vocabulary)
        sums = torch.zeros(3, dtype=torch.float64)
        for start in range(0, count, rows_at_once):
            some = states[start : start + rows_at_once]
            asked = count - start
            right = torch.arange(len(some)), gold[start : start + rows_at_once]
            logits = torch.mm(some, matrix.t(), out=scores[: len(some)])
            of_right, largest = logits[right].to(precise), logits.amax(1).to(precise)
            mean = some.to(precise) @ average
            probabilities = torch.softmax(logits, 1, out=logits)
            # The largest probability is exp(0) over the sum: its logarithm is safe where others have underflowed.
            normaliser = largest - probabilities.amax(1).to(precise).log()
            plain = normaliser - of_right
            smoothed = (1 - spread) * plain + spread * (normaliser - mean)
            sums += torch.stack([part[:asked].sum() for part in (smoothed, plain, of_right >= largest)])
            if states_gradient is not None and projection_gradient is not None:
                gradient = probabilities
                gradient[right] += spread - 1
                gradient[asked:] = 0.0
                torch.mm(gradient, matrix, out=states_gradient[start : start + rows_at_once])
                _add_product(projection_gradient, gradient.t(), some)
        if states_gradient is not None and projection_gradient is not None:
            states_gradient.sub_(average, alpha=spread)
            projection_gradient.sub_(states.sum(0, dtype=precise), alpha=spread / vocabulary)
        ctx.gradients = states_gradient, projection_gradient
        smoothed, plain, correct = sums.to(precise)
        ctx.mark_non_differentiable(plain, correct)
        return smoothed, plain, correct

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
        (states, projection), ctx.gradients = ctx.gradients, (None, None)
        assert states is not None, "the gradients are scaled in place: there is one backward pass"
        assert projection is not None
        return states.mul_(gradient), projection.mul_(gradient), None, None, None, None, None


def _add_product(total: Float[Tensor, "n m"], left: Float[Tensor, "n k"], right: Float[Tensor, "k m"]) -> None:
    """Adds it, in one go where all are of one type."""
    if total.dtype == left.dtype:
        total.addmm_(left, right)
    else:
        total.add_(torch.mm(left, right))
