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


def plain(logits: Logits, block: int, never: tuple[int, int]) -> tuple[Normaliser, Maxima]:
    """Both by the equations; the two tokens of `never` count for the normaliser alone."""
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    possible = logits.clone()
    possible[:, list(never)] = -torch.inf
    missing = -logits.shape[1] % block
    padded = functional.pad(possible, (0, missing), value=-torch.inf)
    return logits.logsumexp(dim=1), padded.unflatten(1, (-1, block)).amax(dim=2)


def survey(logits: Logits, block: int, never: tuple[int, int]) -> tuple[Normaliser, Maxima]:
    """The same by the program below, one for each row."""
    rows, vocabulary = logits.shape
    blocks = -(-vocabulary // block)
    normaliser = torch.empty(rows, dtype=torch.float32, device=logits.device)
    maxima = torch.empty(rows, blocks, dtype=torch.float32, device=logits.device)
    _survey[(rows,)](
        logits, normaliser, maxima, vocabulary, blocks, logits.stride(0), *never,
        ALIGNED=8 if logits.stride(0) % 8 == 0 else 1, BLOCK=block, TOGETHER=_COLUMNS // block, num_warps=_WARPS,
    )  # fmt: skip
    return normaliser, maxima


_COLUMNS, _WARPS = 4096, 8


@triton.jit
def _survey(
    logits, normaliser, maxima, vocabulary, blocks, row_stride, first_never, second_never,
    ALIGNED: tl.constexpr, BLOCK: tl.constexpr, TOGETHER: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    # The compiler knows only of multiples of 16; without a hint it would read element by element.
    row_at = logits + tl.multiple_of(row * row_stride, ALIGNED)
    highest = tl.full([1], -1e30, tl.float32)
    total = tl.zeros([1], tl.float32)
    for start in range(0, blocks, TOGETHER):
        numbers = start + tl.arange(0, TOGETHER)
        columns = numbers[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
        values = tl.load(row_at + columns, mask=columns < vocabulary, other=float("-inf")).to(tl.float32)
        higher = tl.maximum(highest, tl.max(tl.max(values, axis=1), axis=0))
        total = total * tl.exp(highest - higher) + tl.sum(tl.sum(tl.exp(values - higher), axis=1), axis=0)
        highest = higher
        possible = tl.where((columns == first_never) | (columns == second_never), float("-inf"), values)
        tl.store(maxima + row * blocks + numbers, tl.max(possible, axis=1), mask=numbers < blocks)
    tl.store(normaliser + row + tl.arange(0, 1), highest + tl.log(total))
