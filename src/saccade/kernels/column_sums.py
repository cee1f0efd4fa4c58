"""Sums of columns: the last step where instances of a kernel have summed parts of a gradient, each over some rows.

Torch's own sum takes its time over matrices of a thousand rows or so. The order of addition is always the same.
"""

import torch
import triton
import triton.language as tl
from jaxtyping import Float
from torch import Tensor


def reference(parts: Float[Tensor, "*several rows width"]) -> Float[Tensor, "*several width"]:
    """The sum over the rows of each matrix."""
    return parts.sum(-2)


def column_sums(parts: Float[Tensor, "*several rows width"]) -> Float[Tensor, "*several width"]:
    """The same by the kernel below."""
    rows, width = parts.shape[-2:]
    parts = parts.contiguous()
    sums = torch.empty(*parts.shape[:-2], width, dtype=parts.dtype, device=parts.device)
    several = sums.numel() // width
    _column_sums[(triton.cdiv(width, _COLUMNS), several)](
        parts, sums, rows, width, ROWS=min(_ROWS, triton.next_power_of_2(rows)), COLUMNS=_COLUMNS, num_warps=_WARPS
    )
    return sums


_ROWS, _COLUMNS, _WARPS = 512, 16, 8


@triton.jit
def _column_sums(parts, sums, rows, width, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    matrix = tl.program_id(1).to(tl.int64)
    inside = columns < width
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for first in range(0, rows, ROWS):
        numbers = first + tl.arange(0, ROWS)
        place = (matrix * rows + numbers)[:, None] * width + columns[None, :]
        total += tl.load(parts + place, mask=(numbers < rows)[:, None] & inside[None, :], other=0.0)
    tl.store(sums + matrix * width + columns, tl.sum(total, 0), mask=inside)
