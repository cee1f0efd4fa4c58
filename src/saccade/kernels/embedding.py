"""Dropout(E[token] sqrt(d) + P[position]) in one pass, from tokens to what the first layer reads."""

import torch
import triton
import triton.language as tl
from jaxtyping import Float, Int
from torch import Tensor

from saccade.kernels.linear import product_dtype
from saccade.kernels.random_bits import draw_seed, is_kept, keep_mask, threshold_of

Table = Float[Tensor, "entries width"]
Places = Float[Tensor, "positions width"]
Tokens = Int[Tensor, "batch length"]


def reference(
    weight: Table,
    tokens: Tokens,
    places: Places,
    positions: Int[Tensor, "#batch length"],
    scale: float,
    dropout: float,
    seed: Int[Tensor, "2"],
) -> Float[Tensor, "batch length width"]:
    """The scaled vector of each token plus that of its place, with dropout; elements are numbered row by row."""
    states = weight[tokens] * scale + places[positions]
    if dropout:
        numbers = torch.arange(states.numel(), device=states.device).view(states.shape)
        states = states * keep_mask(seed, numbers, dropout) / (1 - dropout)
    return states


def embed(
    weight: Table,
    tokens: Tokens,
    places: Places,
    positions: Int[Tensor, "#batch length"],
    scale: float,
    dropout: float,
) -> Float[Tensor, "batch length width"]:
    """The same by the kernel below, stored in the type of the products to come; `places` get no gradient."""
    seed = draw_seed(weight.device) if dropout else tokens
    positions = positions.expand(tokens.shape)
    precision = product_dtype(weight)
    result: Tensor = _Embed.apply(weight, tokens, places, positions, scale, dropout, precision, seed)
    return result


class _Embed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, weight, tokens, places, positions, scale, dropout, precision, seed):
        width = weight.shape[1]
        states = torch.empty(*tokens.shape, width, dtype=precision, device=weight.device)
        rows = tokens.numel()
        _embed_forward[(triton.cdiv(rows, _ROWS),)](
            weight, tokens.contiguous(), places, positions.contiguous(), states, seed,
            rows, scale, threshold_of(dropout), 1 / (1 - dropout),
            WIDTH=width, WHOLE=triton.next_power_of_2(width), ROWS=_ROWS, DROPOUT=dropout > 0, num_warps=4,
        )  # fmt: skip
        ctx.save_for_backward(tokens, seed)
        ctx.entries, ctx.scale, ctx.dropout, ctx.dtype = len(weight), scale, dropout, weight.dtype
        return states

    @staticmethod
    def backward(ctx, gradient):
        tokens, seed = ctx.saved_tensors
        gradient = gradient.contiguous()
        slopes = torch.empty_like(gradient, dtype=ctx.dtype)
        count = gradient.numel()
        _embed_backward[(triton.cdiv(count, _BLOCK),)](
            gradient, slopes, seed, count, ctx.scale, threshold_of(ctx.dropout), 1 / (1 - ctx.dropout),
            BLOCK=_BLOCK, DROPOUT=ctx.dropout > 0, num_warps=4,
        )  # fmt: skip
        # Torch sorts the tokens before it adds, so that the sum does not depend on who comes first.
        to_weight = torch.ops.aten.embedding_dense_backward(slopes, tokens, ctx.entries, -1, False)
        return to_weight, None, None, None, None, None, None, None


_ROWS, _BLOCK = 4, 2048


@triton.jit
def _embed_forward(
    weight_pointer, tokens_pointer, places_pointer, positions_pointer, states_pointer, seed,
    count, scale, threshold, rise,
    WIDTH: tl.constexpr, WHOLE: tl.constexpr, ROWS: tl.constexpr, DROPOUT: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, WHOLE)
    inside = (rows < count)[:, None] & (columns < WIDTH)[None, :]
    tokens = tl.load(tokens_pointer + rows, mask=rows < count, other=0)
    positions = tl.load(positions_pointer + rows, mask=rows < count, other=0)
    vectors = tl.load(weight_pointer + tokens[:, None] * WIDTH + columns[None, :], mask=inside, other=0.0)
    places = tl.load(places_pointer + positions[:, None] * WIDTH + columns[None, :], mask=inside, other=0.0)
    states = vectors.to(tl.float32) * scale + places.to(tl.float32)
    numbers = rows[:, None] * WIDTH + columns[None, :]
    if DROPOUT:
        states = tl.where(is_kept(seed, numbers, threshold), states * rise, 0.0)
    tl.store(states_pointer + numbers, states.to(states_pointer.dtype.element_ty), mask=inside)


@triton.jit
def _embed_backward(
    gradient_pointer, slopes_pointer, seed, count, scale, threshold, rise,
    BLOCK: tl.constexpr, DROPOUT: tl.constexpr,
):  # fmt: skip
    numbers = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    slopes = tl.load(gradient_pointer + numbers, mask=numbers < count, other=0.0).to(tl.float32) * scale
    if DROPOUT:
        slopes = tl.where(is_kept(seed, numbers, threshold), slopes * rise, 0.0)
    tl.store(slopes_pointer + numbers, slopes.to(slopes_pointer.dtype.element_ty), mask=numbers < count)
