"""The smoothed cross-entropy of states under a vocabulary, with the logits written once and read once.

The logits of a batch are by far its largest matrix. Torch writes them, their float32 copy, their log-softmax and two
gradients. Here they are written by the matrix product; one program for each row sums it up and, while the row is still
in the cache, overwrites it by its gradient, which the two products of the backward pass read.
"""

from typing import NamedTuple

import torch
import triton
import triton.language as tl
from jaxtyping import Bool, Float, Int
from torch import Tensor


class Sums(NamedTuple):
    """Over the rows that count: the smoothed loss, the negative log-likelihood, and how many are predicted right."""

    smoothed: Float[Tensor, ""]
    plain: Float[Tensor, ""]
    correct: Float[Tensor, ""]


def plain(
    states: Float[Tensor, "rows width"],
    weight: Float[Tensor, "vocabulary width"],
    gold: Int[Tensor, " rows"],
    real: Bool[Tensor, " rows"],
    smoothing: float,
) -> Sums:
    """Cross-entropy against 1 - e on the right token and e / (V - 1) on each other one, in float32 at least."""
    logits = states @ weight.T
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    log_probabilities = logits.log_softmax(-1)
    likelihood = -log_probabilities.gather(1, gold.unsqueeze(1)).squeeze(1)
    spread = spread_of(smoothing, len(weight))
    smoothed = (1 - spread) * likelihood - spread * log_probabilities.mean(-1)
    correct = likelihood <= -log_probabilities.amax(-1)
    return Sums(smoothed[real].sum(), likelihood[real].sum().detach(), correct[real].to(smoothed.dtype).sum())


def spread_of(smoothing: float, vocabulary: int) -> float:
    """How much is spread over all tokens, the right one included, when each wrong one gets e / (V - 1)."""
    return smoothing * vocabulary / (vocabulary - 1)


def linear_cross_entropy(
    states: Float[Tensor, "rows width"],
    weight: Float[Tensor, "vocabulary width"],
    gold: Int[Tensor, " rows"],
    real: Bool[Tensor, " rows"],
    smoothing: float,
) -> Sums:
    """The same by the program below; products run in the type of the states."""
    return Sums(*_LinearCrossEntropy.apply(states, weight, gold, real, smoothing))


class _LinearCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, states, weight, gold, real, smoothing):
        with torch.autocast(states.device.type, enabled=False):
            matrix = weight.to(states.dtype)
            logits = states @ matrix.T
        rows, vocabulary = logits.shape
        sums = torch.empty(3, rows, dtype=torch.float32, device=states.device)
        _rows[(rows,)](
            logits, gold, real, sums, rows, vocabulary, spread_of(smoothing, vocabulary),
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
        to_states = slopes @ matrix * gradient.to(matrix.dtype)
        to_weight = (slopes.T @ states).to(ctx.dtype) * gradient
        return to_states, to_weight, None, None, None


_BLOCK, _WARPS = 4096, 8


@triton.jit
def _rows(logits, gold, real, sums, rows, vocabulary, spread, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    logits += row * vocabulary
    if tl.load(real + row) == 0:
        for first in range(0, vocabulary, BLOCK):
            tokens = first + tl.arange(0, BLOCK)
            nothing = tl.zeros((BLOCK,), logits.dtype.element_ty)
            tl.store(logits + tokens, nothing, mask=tokens < vocabulary)
        for place in range(0, 3):
            tl.store(sums + place * rows + row, 0.0)
        return

    largest = tl.full((BLOCK,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    straight = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, vocabulary, BLOCK):
        tokens = first + tl.arange(0, BLOCK)
        scores = tl.load(logits + tokens, mask=tokens < vocabulary, other=float("-inf")).to(tl.float32)
        before = largest
        largest = tl.maximum(before, scores)
        # Where nothing but minus infinity was seen, the difference would be no number.
        shrink = tl.where(before == float("-inf"), 0.0, tl.exp(before - largest))
        total = total * shrink + tl.where(scores == float("-inf"), 0.0, tl.exp(scores - largest))
        straight += tl.where(tokens < vocabulary, scores, 0.0)
    top = tl.max(largest, 0)
    whole = tl.sum(tl.where(largest == float("-inf"), 0.0, total * tl.exp(largest - top)), 0)
    logsum = top + tl.log(whole)
    right = tl.load(gold + row)
    score = tl.load(logits + right).to(tl.float32)
    likelihood = logsum - score
    mean = logsum - tl.sum(straight, 0) / vocabulary
    tl.store(sums + row, (1 - spread) * likelihood + spread * mean)
    tl.store(sums + rows + row, likelihood)
    tl.store(sums + 2 * rows + row, (score >= top).to(tl.float32))

    # All warps must have read the gold score before any of them overwrites it.
    tl.debug_barrier()
    even = spread / vocabulary
    for first in range(0, vocabulary, BLOCK):
        tokens = first + tl.arange(0, BLOCK)
        scores = tl.load(logits + tokens, mask=tokens < vocabulary, other=float("-inf")).to(tl.float32)
        slopes = tl.exp(scores - logsum) - even - tl.where(tokens == right, 1 - spread, 0.0)
        tl.store(logits + tokens, slopes.to(logits.dtype.element_ty), mask=tokens < vocabulary)
