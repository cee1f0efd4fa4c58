"""Attention within short sentences that lie one after another in a row.

Kernels made for long texts work on tiles of 128 positions and leave most of each empty on a sentence of 27. Here an
instance of the kernel takes one sentence and one head, in three launches. Sentences that fit a small tile are computed
by small instances, many at a time, without a loop, everything read once forward and back. Those that fit a larger tile
take larger instances. The rest loops over tiles. Each launch skips the sentences of the others, so nothing is sorted.
"""

import math
from collections.abc import Sequence

import torch
import triton
import triton.language as tl
from jaxtyping import Float, Int
from torch import Tensor

from saccade.kernels.random_bits import draw_seed, is_kept, keep_mask, threshold_of

Queries = Float[Tensor, "heads slots key_width"]
Keys = Float[Tensor, "heads key_slots key_width"]
Values = Float[Tensor, "heads key_slots value_width"]
Context = Float[Tensor, "heads slots value_width"]
Heads = Float[Tensor, "_ _ _"]
Offsets = Int[Tensor, " one_more_than_sentences"]


def reference(
    query: Queries,
    keys: Keys,
    values: Values,
    query_offsets: Offsets,
    key_offsets: Offsets,
    causal: bool,
    dropout: float,
    seed: Int[Tensor, "2"],
) -> Context:
    """softmax(Q K^T / sqrt(d_k)) V sentence by sentence; what belongs to no sentence becomes zero."""
    heads, slots, width = query.shape
    context = query.new_zeros(heads, slots, values.shape[2])
    for sentence in range(len(query_offsets) - 1):
        own = slice(*query_offsets[sentence : sentence + 2].tolist())
        theirs = slice(*key_offsets[sentence : sentence + 2].tolist())
        scores = query[:, own] @ keys[:, theirs].transpose(1, 2) / math.sqrt(width)
        rows = torch.arange(scores.shape[1], device=query.device).unsqueeze(1)
        columns = torch.arange(scores.shape[2], device=query.device)
        if causal:
            scores = scores.masked_fill(columns > rows, -torch.inf)
        weights = scores.softmax(-1)
        if dropout:
            head = torch.arange(heads, device=query.device).view(-1, 1, 1)
            numbers = ((rows + own.start) * heads + head) * _STRIDE + columns
            weights = weights * keep_mask(seed, numbers, dropout) / (1 - dropout)
        context[:, own] = weights @ values[:, theirs]
    return context


# Numbers of weights, for dropout: a row of this many for each query and head. Longer sentences begin to share them.
_STRIDE = 4096


def varlen_attention(
    query: Queries,
    keys: Keys,
    values: Values,
    query_offsets: Offsets,
    key_offsets: Offsets,
    causal: bool = False,
    dropout: float = 0.0,
) -> Context:
    """The same by the kernels below. A head may be any view whose last axis is dense."""
    seed = draw_seed(query.device) if dropout else query_offsets
    result: Tensor = _VarlenAttention.apply(query, keys, values, query_offsets, key_offsets, causal, dropout, seed)
    return result


class _VarlenAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, keys, values, query_offsets, key_offsets, causal, dropout, seed):
        heads, slots, key_width = query.shape
        value_width = values.shape[2]
        # Slots before heads, so that joining the heads afterwards moves nothing.
        context = query.new_empty(slots, heads, value_width).transpose(0, 1)
        logsum = torch.empty(heads, slots, dtype=torch.float32, device=query.device)
        for launch in _launches(_FORWARD, query, values):
            _attention_forward[(len(query_offsets), heads)](
                query, keys, values, context, logsum, query_offsets, key_offsets, seed,
                query.stride(1), query.stride(0), keys.stride(1), keys.stride(0), values.stride(1), values.stride(0),
                context.stride(1), context.stride(0), len(query_offsets) - 1, slots, heads, 1 / math.sqrt(key_width),
                threshold_of(dropout), 1 / (1 - dropout),
                **_sizes(key_width, value_width), CAUSAL=causal, DROPOUT=dropout > 0, **launch,
            )  # fmt: skip
        ctx.save_for_backward(query, keys, values, context, logsum, query_offsets, key_offsets, seed)
        ctx.causal, ctx.dropout = causal, dropout
        return context

    @staticmethod
    def backward(ctx, gradient):
        query, keys, values, context, logsum, query_offsets, key_offsets, seed = ctx.saved_tensors
        heads, slots, key_width = query.shape
        value_width = values.shape[2]
        # Side by side where they came from one product, so that its own backward pass finds one matrix.
        by_query, by_keys, by_values = adjacent_gradients(query, keys, values)
        gradient = gradient if gradient.stride(2) == 1 else gradient.contiguous()
        for launch in _launches(_BACKWARD, query, values):
            _attention_backward[(len(query_offsets), heads)](
                query, keys, values, context, gradient, logsum, by_query, by_keys, by_values,
                query_offsets, key_offsets, seed,
                query.stride(1), query.stride(0), keys.stride(1), keys.stride(0), values.stride(1), values.stride(0),
                context.stride(1), context.stride(0), gradient.stride(1), gradient.stride(0),
                by_query.stride(1), by_query.stride(0), by_keys.stride(1), by_keys.stride(0),
                by_values.stride(1), by_values.stride(0),
                len(query_offsets) - 1, slots, keys.shape[1], heads, 1 / math.sqrt(key_width),
                threshold_of(ctx.dropout), 1 / (1 - ctx.dropout),
                **_sizes(key_width, value_width), CAUSAL=ctx.causal, DROPOUT=ctx.dropout > 0, **launch,
            )  # fmt: skip
        return by_query, by_keys, by_values, None, None, None, None, None


def adjacent_gradients(query: Queries, keys: Keys, values: Values) -> tuple[Queries, Keys, Values]:
    """Room for the gradients of these three, in one matrix [slots, all columns] for those that lie in one.

    Queries, keys and values of self-attention come from one product, keys and values of the source from another.
    """
    if query.untyped_storage().data_ptr() == keys.untyped_storage().data_ptr():
        first, second, third = _room(query, keys, values)
        return first, second, third
    (first,) = _room(query)
    second, third = _room(keys, values)
    return first, second, third


def _room(*parts: Heads) -> list[Heads]:
    widths = [part.shape[0] * part.shape[2] for part in parts]
    joined = parts[0].new_empty(parts[0].shape[1], sum(widths))
    return [
        piece.view(part.shape[1], part.shape[0], part.shape[2]).transpose(0, 1)
        for piece, part in zip(joined.split(widths, dim=1), parts, strict=True)
    ]


Launch = dict[str, int]

# Sentences longer than ABOVE that fit one tile of BLOCK; last, those that fit none.
_FORWARD: tuple[Launch, ...] = (
    {"ABOVE": -1, "BLOCK": 32, "FITS": True, "num_warps": 1},
    {"ABOVE": 32, "BLOCK": 64, "FITS": True, "num_warps": 4},
    {"ABOVE": 64, "BLOCK": 64, "FITS": False, "num_warps": 4},
)
_BACKWARD: tuple[Launch, ...] = (
    {"ABOVE": -1, "BLOCK": 32, "FITS": True, "num_warps": 2},
    {"ABOVE": 32, "BLOCK": 64, "FITS": True, "num_warps": 4},
    {"ABOVE": 64, "BLOCK": 64, "FITS": False, "num_warps": 4},
)


# Rows of keys and values that are held at a time, in bytes: more of them do not fit the shared memory of a GPU, and in
# float32, where there is a loop over them, take minutes to compile.
_TILE_BYTES = 64 * 256 * 2
_SMALLEST_BLOCK = 16
"""Products of tiles need so many rows."""


def heads_fit(query: Queries, values: Values) -> bool:
    """Whether the kernels can compute heads of these widths: up to 512 numbers in bfloat16, 256 in float32."""
    return _largest_block(query, values) >= _SMALLEST_BLOCK


def _largest_block(query: Queries, values: Values) -> int:
    rows = _TILE_BYTES // ((_whole(query.shape[2]) + _whole(values.shape[2])) * query.element_size())
    return 1 << rows.bit_length() - 1  # a power of two, as every tile has


def _launches(usual: Sequence[Launch], query: Queries, values: Values) -> Sequence[Launch]:
    """The usual ones, or for wide heads two with smaller tiles."""
    block = _largest_block(query, values)
    if block >= max(launch["BLOCK"] for launch in usual):
        return usual
    return (
        {"ABOVE": -1, "BLOCK": block, "FITS": True, "num_warps": 4},
        {"ABOVE": block, "BLOCK": block, "FITS": False, "num_warps": 4},
    )


def _sizes(key_width: int, value_width: int) -> dict[str, int]:
    return {
        "KEY_WIDTH": key_width,
        "VALUE_WIDTH": value_width,
        "WHOLE_KEY": _whole(key_width),
        "WHOLE_VALUE": _whole(value_width),
    }


def _whole(width: int) -> int:
    return max(16, int(triton.next_power_of_2(width)))


@triton.jit
def _tile(pointer, stride, rows, count, WIDTH: tl.constexpr, WHOLE: tl.constexpr):
    columns = tl.arange(0, WHOLE)
    inside = (rows < count)[:, None] & (columns < WIDTH)[None, :]
    return tl.load(pointer + rows[:, None] * stride + columns[None, :], mask=inside, other=0.0)


@triton.jit
def _put(pointer, stride, rows, count, tile, WIDTH: tl.constexpr, WHOLE: tl.constexpr):
    columns = tl.arange(0, WHOLE)
    inside = (rows < count)[:, None] & (columns < WIDTH)[None, :]
    tl.store(pointer + rows[:, None] * stride + columns[None, :], tile.to(pointer.dtype.element_ty), mask=inside)


@triton.jit
def _clear(pointer, stride, start, slots, WIDTH: tl.constexpr, WHOLE: tl.constexpr, BLOCK: tl.constexpr):
    nothing = tl.zeros((BLOCK, WHOLE), tl.float32)
    for first in range(start, slots, BLOCK):
        _put(pointer, stride, first + tl.arange(0, BLOCK), slots, nothing, WIDTH, WHOLE)


@triton.jit
def _scores(query, keys, rows, columns, count, scale, CAUSAL: tl.constexpr):
    # In powers of two: the hardware has no other exponential.
    scores = tl.dot(query, tl.trans(keys), input_precision="ieee") * (scale * 1.4426950408889634)
    seen = (columns < count)[None, :]
    if CAUSAL:
        seen = seen & (columns[None, :] <= rows[:, None])
    return tl.where(seen, scores, float("-inf"))


@triton.jit
def _kept(seed, rows, columns, head, heads, threshold):
    return is_kept(seed, (rows * heads + head)[:, None] * 4096 + columns[None, :], threshold)


@triton.jit
def _attention_forward(
    query_pointer, keys_pointer, values_pointer, context_pointer, logsum_pointer, query_offsets, key_offsets, seed,
    query_row, query_head, keys_row, keys_head, values_row, values_head, context_row, context_head,
    sentences, slots, heads, scale, threshold, rise,
    KEY_WIDTH: tl.constexpr, VALUE_WIDTH: tl.constexpr, WHOLE_KEY: tl.constexpr, WHOLE_VALUE: tl.constexpr,
    CAUSAL: tl.constexpr, DROPOUT: tl.constexpr, ABOVE: tl.constexpr, BLOCK: tl.constexpr, FITS: tl.constexpr,
):  # fmt: skip
    sentence, head = tl.program_id(0), tl.program_id(1)
    start = tl.load(query_offsets + sentence).to(tl.int64)
    context_pointer += head * context_head
    if sentence == sentences:
        if ABOVE < 0:
            _clear(context_pointer, context_row, start, slots, VALUE_WIDTH, WHOLE_VALUE, BLOCK)
        return
    count = (tl.load(query_offsets + sentence + 1) - start).to(tl.int32)
    key_start = tl.load(key_offsets + sentence).to(tl.int64)
    key_count = (tl.load(key_offsets + sentence + 1) - key_start).to(tl.int32)
    longer = max(count, key_count)
    if (longer <= ABOVE) | (longer == 0):
        return
    if FITS:  # noqa: SIM102 - decided by the compiler, the other by the GPU
        if longer > BLOCK:
            return
    query_pointer += start * query_row + head * query_head
    keys_pointer += key_start * keys_row + head * keys_head
    values_pointer += key_start * values_row + head * values_head
    context_pointer += start * context_row
    logsum_pointer += head * slots + start

    for first in range(0, BLOCK if FITS else count, BLOCK):
        rows = first + tl.arange(0, BLOCK)
        query = _tile(query_pointer, query_row, rows, count, KEY_WIDTH, WHOLE_KEY)
        largest = tl.full((BLOCK,), float("-inf"), tl.float32)
        total = tl.zeros((BLOCK,), tl.float32)
        mixture = tl.zeros((BLOCK, WHOLE_VALUE), tl.float32)
        end = key_count
        if CAUSAL:
            end = min(key_count, first + BLOCK)
        for left in range(0, BLOCK if FITS else end, BLOCK):
            columns = left + tl.arange(0, BLOCK)
            keys = _tile(keys_pointer, keys_row, columns, key_count, KEY_WIDTH, WHOLE_KEY)
            values = _tile(values_pointer, values_row, columns, key_count, VALUE_WIDTH, WHOLE_VALUE)
            scores = _scores(query, keys, rows, columns, key_count, scale, CAUSAL)
            before = largest
            largest = tl.maximum(before, tl.max(scores, 1))
            weights = tl.exp2(scores - largest[:, None])
            shrink = tl.exp2(before - largest)
            total = total * shrink + tl.sum(weights, 1)
            if DROPOUT:
                numbers = (start + rows).to(tl.int32)
                weights = tl.where(_kept(seed, numbers, columns, head, heads, threshold), weights * rise, 0.0)
            mixture = mixture * shrink[:, None] + tl.dot(weights.to(values.dtype), values, input_precision="ieee")
        _put(context_pointer, context_row, rows, count, mixture / total[:, None], VALUE_WIDTH, WHOLE_VALUE)
        tl.store(logsum_pointer + rows, largest + tl.log2(total), mask=rows < count)


@triton.jit
def _weights_and_slopes(
    query, keys, values, gradient, logsum, inner, rows, columns, key_count, scale,
    seed, numbers, head, heads, threshold, rise, CAUSAL: tl.constexpr, DROPOUT: tl.constexpr,
):  # fmt: skip
    """The weights as they were used, and the gradient of the scores."""
    weights = tl.exp2(_scores(query, keys, rows, columns, key_count, scale, CAUSAL) - logsum[:, None])
    slopes = tl.dot(gradient, tl.trans(values), input_precision="ieee")
    used = weights
    if DROPOUT:
        stay = _kept(seed, numbers, columns, head, heads, threshold)
        used = tl.where(stay, weights * rise, 0.0)
        slopes = tl.where(stay, slopes * rise, 0.0)
    return used, weights * (slopes - inner[:, None]) * scale


@triton.jit
def _attention_backward(
    query_pointer, keys_pointer, values_pointer, context_pointer, gradient_pointer, logsum_pointer,
    by_query, by_keys, by_values, query_offsets, key_offsets, seed,
    query_row, query_head, keys_row, keys_head, values_row, values_head, context_row, context_head,
    gradient_row, gradient_head, by_query_row, by_query_head, by_keys_row, by_keys_head, by_values_row, by_values_head,
    sentences, slots, key_slots, heads, scale, threshold, rise,
    KEY_WIDTH: tl.constexpr, VALUE_WIDTH: tl.constexpr, WHOLE_KEY: tl.constexpr, WHOLE_VALUE: tl.constexpr,
    CAUSAL: tl.constexpr, DROPOUT: tl.constexpr, ABOVE: tl.constexpr, BLOCK: tl.constexpr, FITS: tl.constexpr,
):  # fmt: skip
    sentence, head = tl.program_id(0), tl.program_id(1)
    start = tl.load(query_offsets + sentence).to(tl.int64)
    key_start = tl.load(key_offsets + sentence).to(tl.int64)
    by_query += head * by_query_head
    by_keys += head * by_keys_head
    by_values += head * by_values_head
    if sentence == sentences:
        if ABOVE < 0:
            _clear(by_query, by_query_row, start, slots, KEY_WIDTH, WHOLE_KEY, BLOCK)
            _clear(by_keys, by_keys_row, key_start, key_slots, KEY_WIDTH, WHOLE_KEY, BLOCK)
            _clear(by_values, by_values_row, key_start, key_slots, VALUE_WIDTH, WHOLE_VALUE, BLOCK)
        return
    count = (tl.load(query_offsets + sentence + 1) - start).to(tl.int32)
    key_count = (tl.load(key_offsets + sentence + 1) - key_start).to(tl.int32)
    longer = max(count, key_count)
    if (longer <= ABOVE) | (longer == 0):
        return
    if FITS:  # noqa: SIM102 - decided by the compiler, the other by the GPU
        if longer > BLOCK:
            return
    query_pointer += start * query_row + head * query_head
    keys_pointer += key_start * keys_row + head * keys_head
    values_pointer += key_start * values_row + head * values_head
    context_pointer += start * context_row + head * context_head
    gradient_pointer += start * gradient_row + head * gradient_head
    logsum_pointer += head * slots + start
    by_query += start * by_query_row
    by_keys += key_start * by_keys_row
    by_values += key_start * by_values_row

    for left in range(0, BLOCK if FITS else key_count, BLOCK):
        columns = left + tl.arange(0, BLOCK)
        keys = _tile(keys_pointer, keys_row, columns, key_count, KEY_WIDTH, WHOLE_KEY)
        values = _tile(values_pointer, values_row, columns, key_count, VALUE_WIDTH, WHOLE_VALUE)
        to_keys = tl.zeros((BLOCK, WHOLE_KEY), tl.float32)
        to_values = tl.zeros((BLOCK, WHOLE_VALUE), tl.float32)
        begin = 0
        if CAUSAL:
            begin = left
        for first in range(begin, begin + BLOCK if FITS else count, BLOCK):
            rows = first + tl.arange(0, BLOCK)
            query = _tile(query_pointer, query_row, rows, count, KEY_WIDTH, WHOLE_KEY)
            gradient = _tile(gradient_pointer, gradient_row, rows, count, VALUE_WIDTH, WHOLE_VALUE)
            context = _tile(context_pointer, context_row, rows, count, VALUE_WIDTH, WHOLE_VALUE)
            # An absent row's weights must vanish, as it would add to the keys it sees.
            logsum = tl.load(logsum_pointer + rows, mask=rows < count, other=float("inf"))
            inner = tl.sum(gradient.to(tl.float32) * context.to(tl.float32), 1)
            used, slopes = _weights_and_slopes(
                query, keys, values, gradient, logsum, inner, rows, columns, key_count, scale,
                seed, (start + rows).to(tl.int32), head, heads, threshold, rise, CAUSAL, DROPOUT,
            )  # fmt: skip
            to_values += tl.dot(tl.trans(used).to(gradient.dtype), gradient, input_precision="ieee")
            to_keys += tl.dot(tl.trans(slopes).to(query.dtype), query, input_precision="ieee")
            if FITS:
                to_query = tl.dot(slopes.to(keys.dtype), keys, input_precision="ieee")
                _put(by_query, by_query_row, rows, count, to_query, KEY_WIDTH, WHOLE_KEY)
        _put(by_keys, by_keys_row, columns, key_count, to_keys, KEY_WIDTH, WHOLE_KEY)
        _put(by_values, by_values_row, columns, key_count, to_values, VALUE_WIDTH, WHOLE_VALUE)

    if not FITS:
        for first in range(0, count, BLOCK):
            rows = first + tl.arange(0, BLOCK)
            query = _tile(query_pointer, query_row, rows, count, KEY_WIDTH, WHOLE_KEY)
            gradient = _tile(gradient_pointer, gradient_row, rows, count, VALUE_WIDTH, WHOLE_VALUE)
            context = _tile(context_pointer, context_row, rows, count, VALUE_WIDTH, WHOLE_VALUE)
            logsum = tl.load(logsum_pointer + rows, mask=rows < count, other=float("inf"))
            inner = tl.sum(gradient.to(tl.float32) * context.to(tl.float32), 1)
            to_query = tl.zeros((BLOCK, WHOLE_KEY), tl.float32)
            end = key_count
            if CAUSAL:
                end = min(key_count, first + BLOCK)
            for left in range(0, end, BLOCK):
                columns = left + tl.arange(0, BLOCK)
                keys = _tile(keys_pointer, keys_row, columns, key_count, KEY_WIDTH, WHOLE_KEY)
                values = _tile(values_pointer, values_row, columns, key_count, VALUE_WIDTH, WHOLE_VALUE)
                _, slopes = _weights_and_slopes(
                    query, keys, values, gradient, logsum, inner, rows, columns, key_count, scale,
                    seed, (start + rows).to(tl.int32), head, heads, threshold, rise, CAUSAL, DROPOUT,
                )  # fmt: skip
                to_query += tl.dot(slopes.to(keys.dtype), keys, input_precision="ieee")
            _put(by_query, by_query_row, rows, count, to_query, KEY_WIDTH, WHOLE_KEY)
