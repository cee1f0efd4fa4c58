"""The output projection, the softmax and the smoothed cross-entropy as one operation, on a CPU.

The logits of all tokens of a batch are by far its largest matrix. Here they are computed for some rows at a time,
turned into probabilities in place, then into the gradient in place,

    d loss / d z_v = p_v - (1 - e') [v is right] - e' / V        (e' as in `label_smoothing`)

and used for both gradients while they are still in the cache. The term e' / V is the same for every token, so it is
left out of the large matrix: it subtracts e' times the mean row of the projection from the gradient of each state, and
e' / V times the sum of the states from each row of the projection's gradient. Likewise the mean of all logits of a
state is its product with that mean row. The gradients are computed in the forward pass; backward only scales them.

The large products run in the dtype of the states. Where that is bfloat16, logits and probabilities keep two or three
digits; everything that is summed over rows is float32 still.
"""

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

from saccade.training.label_smoothing import Loss

# Fewer rows fit the cache better, but the gradient of the projection is read and written once for every so many.
_ROWS_AT_ONCE = 1024
# oneDNN compiles a kernel for each new shape of a product in bfloat16, and the number of real tokens is always new.
# Only the last rows of a batch are affected, so this can be finer than what batches themselves are filled up to.
_ROWS_MULTIPLE = 128


def linear_cross_entropy(
    states: Float[Tensor, "rows width"],
    projection: Float[Tensor, "vocabulary width"],
    gold: Int[Tensor, " rows"],
    real: Bool[Tensor, " rows"],
    share: float,
    rows_at_once: int = _ROWS_AT_ONCE,
) -> Loss:
    """The loss summed over the real rows, for logits = states projection^T and e' = `share`."""
    if not bool(real.all()):
        states, gold = states[real], gold[real]
    count, empty = len(states), -len(states) % _ROWS_MULTIPLE if states.dtype == torch.bfloat16 else 0
    if empty:
        states, gold = functional.pad(states, (0, 0, 0, empty)), functional.pad(gold, (0, empty))
    with torch.autocast(states.device.type, enabled=False):
        smoothed, plain, correct = _LinearCrossEntropy.apply(  # type: ignore[no-untyped-call]
            states, projection, gold, count, share, rows_at_once, torch.is_grad_enabled()
        )
    return Loss(smoothed, plain, correct)


class _LinearCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        states: Tensor,
        projection: Tensor,
        gold: Tensor,
        count: int,
        share: float,
        rows_at_once: int,
        with_gradients: bool,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Only the first `count` rows are counted; rows after them fill up the shape."""
        vocabulary = projection.shape[0]
        accumulated, matrix = projection.dtype, projection.to(states.dtype)
        states_gradient = torch.empty_like(states) if with_gradients else None
        projection_gradient = torch.zeros_like(projection) if with_gradients else None
        mean_row = projection.mean(0)
        buffer = states.new_empty(min(rows_at_once, len(states)), vocabulary)
        sums = torch.zeros(3, dtype=torch.float64)
        for start in range(0, count, rows_at_once):
            some = states[start : start + rows_at_once]
            counted = count - start
            right = torch.arange(len(some)), gold[start : start + rows_at_once]
            logits = torch.mm(some, matrix.t(), out=buffer[: len(some)])
            of_right, largest = logits[right].to(accumulated), logits.amax(1).to(accumulated)
            mean_logit = some.to(accumulated) @ mean_row
            probabilities = torch.softmax(logits, 1, out=logits)
            # The largest probability is exp(0) over the sum: its logarithm is safe where others have underflowed.
            log_normalizer = largest - probabilities.amax(1).to(accumulated).log()
            plain = log_normalizer - of_right
            smoothed = (1 - share) * plain + share * (log_normalizer - mean_logit)
            sums += torch.stack([part[:counted].sum() for part in (smoothed, plain, of_right >= largest)])
            if states_gradient is not None and projection_gradient is not None:
                gradient = probabilities
                gradient[right] += share - 1
                gradient[counted:] = 0.0
                torch.mm(gradient, matrix, out=states_gradient[start : start + rows_at_once])
                _add_product(projection_gradient, gradient.t(), some)
        if states_gradient is not None and projection_gradient is not None:
            states_gradient.sub_(mean_row, alpha=share)
            projection_gradient.sub_(states.sum(0, dtype=accumulated), alpha=share / vocabulary)
        ctx.gradients = states_gradient, projection_gradient
        smoothed, plain, correct = sums.to(accumulated)
        ctx.mark_non_differentiable(plain, correct)
        return smoothed, plain, correct

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
        (states, projection), ctx.gradients = ctx.gradients, (None, None)
        assert states is not None, "the gradients are scaled in place, so there is one backward pass"
        assert projection is not None
        return states.mul_(gradient), projection.mul_(gradient), None, None, None, None, None


def _add_product(total: Float[Tensor, "n m"], left: Float[Tensor, "n k"], right: Float[Tensor, "k m"]) -> None:
    """Total += left right, in one operation where all have one dtype."""
    if total.dtype == left.dtype:
        total.addmm_(left, right)
    else:
        total.add_(torch.mm(left, right))
