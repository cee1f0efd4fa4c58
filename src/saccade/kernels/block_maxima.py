"""What a search must know of a row of scores before it looks closer, in one pass over the vocabulary.

    normaliser = log sum_v exp(logits_v)          so that log P(v) = logits_v - normaliser
    maxima_b   = max of logits_v over block b     the best few tokens can only be in the blocks with the best maxima

Torch reads the scores several times for the logarithm of the softmax and several times more to select from them.
"""

import torch
import triton
import triton.language as tl
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

Logits = Float[Tensor, "rows vocabulary"]
Normaliser = Float[Tensor, " rows"]
Maxima = Float[Tensor, "rows blocks"]


def reference(logits: Logits, block: int, never: tuple[int, int]) -> tuple[Normaliser, Maxima]:
    """Both by the equations; the two tokens of `never` count for the normaliser alone."""
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    possible = logits.clone()
    possible[:, list(never)] = -torch.inf
    missing = -logits.shape[1] % block
    padded = functional.pad(possible, (0, missing), value=-torch.inf)
    return logits.logsumexp(dim=1), padded.unflatten(1, (-1, block)).amax(dim=2)


def block_maxima(logits: Logits, block: int, never: tuple[int, int]) -> tuple[Normaliser, Maxima]:
    """The same by the kernel below, an instance for each row."""
    rows, vocabulary = logits.shape
    blocks = -(-vocabulary // block)
    normaliser = torch.empty(rows, dtype=torch.float32, device=logits.device)
    maxima = torch.empty(rows, blocks, dtype=torch.float32, device=logits.device)
    _block_maxima[(rows,)](
        logits, normaliser, maxima, vocabulary, blocks, logits.stride(0), *sorted(never),
        ALIGNED=8 if logits.stride(0) % 8 == 0 else 1, BLOCK=block, TOGETHER=_COLUMNS // block, num_warps=_WARPS,
    )  # fmt: skip
    return normaliser, maxima


_COLUMNS, _WARPS = 2048, 8


@triton.jit
def _block_maxima(
    logits, normaliser, maxima, vocabulary, blocks, row_stride, first_never, last_never,
    ALIGNED: tl.constexpr, BLOCK: tl.constexpr, TOGETHER: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    # The compiler knows only of multiples of 16; without a hint it would read element by element.
    row_at = logits + tl.multiple_of(row * row_stride, ALIGNED)
    # Each line of the tile keeps its own maximum and each place its own sum, so that nothing is reduced before the
    # end. In powers of two: the hardware has no other exponential.
    highest = tl.full([TOGETHER], -1e30, tl.float32)
    total = tl.zeros([TOGETHER, BLOCK], tl.float32)
    for start in range(0, blocks, TOGETHER):
        numbers = start + tl.arange(0, TOGETHER)
        columns = numbers[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
        values = tl.load(row_at + columns, mask=columns < vocabulary, other=float("-inf")).to(tl.float32)
        lines = tl.max(values, axis=1)
        higher = tl.maximum(highest, lines * 1.4426950408889634)
        total = total * tl.exp2(highest - higher)[:, None] + tl.exp2(values * 1.4426950408889634 - higher[:, None])
        highest = higher
        if start * BLOCK <= last_never:
            possible = tl.where((columns == first_never) | (columns == last_never), float("-inf"), values)
            lines = tl.max(possible, axis=1)
        tl.store(maxima + row * blocks + numbers, lines, mask=numbers < blocks)
    top = tl.max(highest, axis=0)
    whole = tl.sum(tl.sum(total, axis=1) * tl.exp2(highest - top), axis=0)
    tl.store(normaliser + row, (top + tl.log2(whole)) * 0.6931471805599453)
