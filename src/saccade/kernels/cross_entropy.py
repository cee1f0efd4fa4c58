"""The smoothed cross-entropy of states under a vocabulary, with the logits written once and read once.

The logits of a batch are by far its largest matrix. Torch writes them, their float32 copy, their log-softmax and two
gradients. Here they are written by the matrix product; the kernel sums up each row and, while the row is still in
the cache, overwrites it by its gradient, which the two products of the backward pass read.
"""

from typing import NamedTuple

import torch
import triton
import triton.language as tl
from jaxtyping import Bool, Float, Int
from torch import Tensor

from saccade.kernels.linear import weight_gradient
from saccade.kernels.parameter_copies import cast_to


class Sums(NamedTuple):
    """Over the rows that count: the smoothed loss, the negative log-likelihood, and how many are predicted right."""

    smoothed: Float[Tensor, ""]
    plain: Float[Tensor, ""]
    correct: Float[Tensor, ""]


def linear_cross_entropy(
    states: Float[Tensor, "rows width"],
    weight: Float[Tensor, "vocabulary width"],
    gold: Int[Tensor, " rows"],
    real: Bool[Tensor, " rows"],
    share: float,
) -> Sums:
    """`training.label_smoothing.smoothed_cross_entropy` of the logits states weight^T, with e' = `share`.

    Products run in the dtype of the states.
    """
    return Sums(*_LinearCrossEntropy.apply(states, weight, gold, real, share))


class _LinearCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, states, weight, gold, real, share):
        with torch.autocast(states.device.type, enabled=False):
            states, matrix = states.contiguous(), cast_to(weight, states.dtype)
            logits = states @ matrix.T
        rows, vocabulary = logits.shape
        sums = torch.empty(3, rows, dtype=torch.float32, device=states.device)
        width = states.shape[1]
        _rows[(rows,)](
            logits, states, mean_row(matrix), gold, real, sums, rows, vocabulary, share,
            WIDTH=width, WHOLE=triton.next_power_of_2(width), ALIGNED=8 if vocabulary % 8 == 0 else 1,
            BLOCK=min(_BLOCK, triton.next_power_of_2(vocabulary)), num_warps=_WARPS,
        )  # fmt: skip
        ctx.save_for_backward(states, matrix, logits)
        smoothed, likelihood, correct = sums.sum(1)
        ctx.mark_non_differentiable(likelihood, correct)
        ctx.dtype = weight.dtype
        return smoothed, likelihood, correct

    @staticmethod
    def backward(ctx, gradient, *_):
        states, matrix, slopes = ctx.saved_tensors
        # The one number that scales the loss is applied to the small results, not to the large matrix.
        to_states = slopes @ matrix * gradient
        to_weight = weight_gradient(slopes, states, ctx.dtype) * gradient
        return to_states, to_weight, None, None, None


_BLOCK, _WARPS = 4096, 16


def mean_row(matrix: Float[Tensor, "vocabulary width"]) -> Float[Tensor, " width"]:
    """The mean of the rows, in float32."""
    ones = matrix.new_ones(1, len(matrix))
    total = torch.mm(ones, matrix, out_dtype=torch.float32) if matrix.is_cuda else ones.float() @ matrix.float()
    return total.squeeze(0) / len(matrix)


@triton.jit
def _rows(
    logits, states, centre, gold, real, sums, rows, vocabulary, spread,
    WIDTH: tl.constexpr, WHOLE: tl.constexpr, ALIGNED: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    logits += tl.multiple_of(row.to(tl.int64) * vocabulary, ALIGNED)
    full = vocabulary // BLOCK * BLOCK
    rest = full + tl.arange(0, BLOCK)
    if tl.load(real + row) == 0:
        nothing = tl.zeros((BLOCK,), logits.dtype.element_ty)
        for first in range(0, full, BLOCK):
            tl.store(logits + first + tl.arange(0, BLOCK), nothing)
        tl.store(logits + rest, nothing, mask=rest < vocabulary)
        for place in range(0, 3):
            tl.store(sums + place * rows + row, 0.0)
        return

    # Measured from the gold score instead of from the largest, which is not known yet. Only where something is so
    # much more probable that its exponential overflows is the row gone through again from the largest.
    right = tl.load(gold + row)
    score = tl.load(logits + right).to(tl.float32)
    largest = tl.load(logits + rest, mask=rest < vocabulary, other=float("-inf")).to(tl.float32)
    total = tl.exp(largest - score)
    for first in range(0, full, BLOCK):
        scores = tl.load(logits + first + tl.arange(0, BLOCK)).to(tl.float32)
        total += tl.exp(scores - score)
        largest = tl.maximum(largest, scores)
    top = tl.max(largest, 0)
    logsum = score + tl.log(tl.sum(total, 0))
    if logsum == float("inf"):
        total = tl.exp(tl.load(logits + rest, mask=rest < vocabulary, other=float("-inf")).to(tl.float32) - top)
        for first in range(0, full, BLOCK):
            total += tl.exp(tl.load(logits + first + tl.arange(0, BLOCK)).to(tl.float32) - top)
        logsum = top + tl.log(tl.sum(total, 0))

    # The mean of a row of logits is the state's product with the mean of the matrix: no need to add them up.
    columns = tl.arange(0, WHOLE)
    state = tl.load(states + row * WIDTH + columns, mask=columns < WIDTH, other=0.0).to(tl.float32)
    level = tl.sum(state * tl.load(centre + columns, mask=columns < WIDTH, other=0.0), 0)
    likelihood = logsum - score
    tl.store(sums + row, (1 - spread) * likelihood + spread * (logsum - level))
    tl.store(sums + rows + row, likelihood)
    tl.store(sums + 2 * rows + row, (score >= top).to(tl.float32))

    # All must have read the gold score before it is overwritten, and it is corrected last.
    tl.debug_barrier()
    even = spread / vocabulary
    for first in range(0, full, BLOCK):
        tokens = first + tl.arange(0, BLOCK)
        slopes = tl.exp(tl.load(logits + tokens).to(tl.float32) - logsum) - even
        tl.store(logits + tokens, slopes.to(logits.dtype.element_ty))
    scores = tl.load(logits + rest, mask=rest < vocabulary, other=float("-inf")).to(tl.float32)
    slopes = tl.exp(scores - logsum) - even
    tl.store(logits + rest, slopes.to(logits.dtype.element_ty), mask=rest < vocabulary)
    tl.debug_barrier()
    tl.store(logits + right, (tl.exp(score - logsum) - even - (1 - spread)).to(logits.dtype.element_ty))
