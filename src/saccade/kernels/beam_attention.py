"""Attention of a few queries over the keys of their sentence, as a search has it at every step.

    context = softmax(Q K^T / sqrt(d_k) + bias) V

The hypotheses of a sentence are the queries, so the keys are read once for all of them. How many keys there are so far
is read from the GPU's own memory: the CPU need not know it, so that a step can be replayed as a CUDA graph. The keys
and values of the step itself are written into the cache by the same kernel.
"""

import math

import torch
import triton
import triton.language as tl
from jaxtyping import Float, Int
from torch import Tensor

Queries = Float[Tensor, "sentences heads size key_width"]
Keys = Float[Tensor, "sentences heads places key_width"]
Values = Float[Tensor, "sentences heads places value_width"]
Bias = Float[Tensor, "sentences #size places"]
Used = Int[Tensor, " sentences"]
Context = Float[Tensor, "sentences heads size value_width"]


def reference(queries: Queries, keys: Keys, values: Values, bias: Bias, used: Used | None = None) -> Context:
    """The equation, for the first `used` places of each sentence; without that, for all."""
    used = torch.full((len(keys),), keys.shape[2], device=keys.device) if used is None else used
    beyond = torch.arange(keys.shape[2], device=keys.device) >= used.view(-1, 1, 1, 1)
    scores = queries @ keys.transpose(2, 3) / math.sqrt(queries.shape[3]) + bias.unsqueeze(1)
    weights = scores.masked_fill(beyond, -torch.inf).softmax(dim=3)
    return weights @ values.masked_fill(beyond.transpose(2, 3), 0.0)


def beam_attention(
    queries: Queries,
    keys: Keys,
    values: Values,
    bias: Bias,
    used: Used | None = None,
    new: tuple[Queries, Context] | None = None,
) -> Context:
    """The same by the kernel below, one instance for each sentence and head; it has no backward pass.

    `new` are a key and a value of each query, which are first written to the last of the used places.
    """
    sentences, heads, size, key_width = queries.shape
    value_width = values.shape[3]
    assert new is None or used is not None, "there must be a last place"
    # Joined over the heads in memory, so that the caller's transposition back costs nothing.
    context = values.new_empty(sentences, size, heads, value_width).transpose(1, 2)
    new_keys, new_values = (queries, context) if new is None else new
    bias = bias.expand(sentences, size, bias.shape[2])
    _attend[(sentences, heads)](
        queries, keys, values, bias, used, context, new_keys, new_values, keys.shape[2],
        *queries.stride(), *keys.stride(), *values.stride(), *bias.stride(), *context.stride(),
        *new_keys.stride(), *new_values.stride(), 1 / math.sqrt(key_width),
        ALL=used is None, NEW=new is not None, SIZE=size, QUERIES=max(16, triton.next_power_of_2(size)),
        KEY_WIDTH=key_width, WHOLE_KEY=max(16, triton.next_power_of_2(key_width)),
        VALUE_WIDTH=value_width, WHOLE_VALUE=max(16, triton.next_power_of_2(value_width)),
        **(_SOURCE if used is None else _WRITTEN),
    )  # fmt: skip
    return context


# Small instances, many at a time.
_SOURCE, _WRITTEN = {"PLACES": 32, "num_warps": 1}, {"PLACES": 16, "num_warps": 1}


@triton.jit
def _attend(
    queries, keys, values, bias, used, context, new_keys, new_values, places_in_all,
    query_sentence, query_head, query_row, query_column,
    key_sentence, key_head, key_row, key_column,
    value_sentence, value_head, value_row, value_column,
    bias_sentence, bias_row, bias_column,
    context_sentence, context_head, context_row, context_column,
    new_key_sentence, new_key_head, new_key_row, new_key_column,
    new_value_sentence, new_value_head, new_value_row, new_value_column,
    scale,
    ALL: tl.constexpr, NEW: tl.constexpr, SIZE: tl.constexpr, QUERIES: tl.constexpr, PLACES: tl.constexpr,
    KEY_WIDTH: tl.constexpr, WHOLE_KEY: tl.constexpr, VALUE_WIDTH: tl.constexpr, WHOLE_VALUE: tl.constexpr,
):  # fmt: skip
    sentence = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    rows = tl.arange(0, QUERIES)
    inside_rows = rows < SIZE
    key_columns, value_columns = tl.arange(0, WHOLE_KEY), tl.arange(0, WHOLE_VALUE)
    inside_keys, inside_values = key_columns < KEY_WIDTH, value_columns < VALUE_WIDTH

    query_at = queries + sentence * query_sentence + head * query_head
    query = tl.load(
        query_at + rows[:, None] * query_row + key_columns[None, :] * query_column,
        mask=inside_rows[:, None] & inside_keys[None, :],
        other=0.0,
    )
    key_at = keys + sentence * key_sentence + head * key_head
    value_at = values + sentence * value_sentence + head * value_head
    bias_at = bias + sentence * bias_sentence

    length = places_in_all if ALL else tl.load(used + sentence)
    if NEW:
        now = length - SIZE + rows
        inside_new = inside_rows[:, None] & inside_keys[None, :]
        new_at = new_keys + sentence * new_key_sentence + head * new_key_head
        new = tl.load(new_at + rows[:, None] * new_key_row + key_columns[None, :] * new_key_column, mask=inside_new)
        tl.store(key_at + now[:, None] * key_row + key_columns[None, :] * key_column, new, mask=inside_new)
        inside_new = inside_rows[:, None] & inside_values[None, :]
        new_at = new_values + sentence * new_value_sentence + head * new_value_head
        new = tl.load(
            new_at + rows[:, None] * new_value_row + value_columns[None, :] * new_value_column, mask=inside_new
        )
        tl.store(value_at + now[:, None] * value_row + value_columns[None, :] * value_column, new, mask=inside_new)
        # All writes must be done before the first read.
        tl.debug_barrier()
    # Smaller than any score, yet a number: the difference of two infinities is none.
    highest = tl.full([QUERIES], -1e30, tl.float32)
    total = tl.zeros([QUERIES], tl.float32)
    mixture = tl.zeros([QUERIES, WHOLE_VALUE], tl.float32)
    for start in range(0, length, PLACES):
        places = start + tl.arange(0, PLACES)
        inside = places < length
        seen = tl.load(
            bias_at + rows[:, None] * bias_row + places[None, :] * bias_column,
            mask=inside_rows[:, None] & inside[None, :],
            other=float("-inf"),
        ).to(tl.float32)
        key = tl.load(
            key_at + places[None, :] * key_row + key_columns[:, None] * key_column,
            mask=inside[None, :] & inside_keys[:, None],
            other=0.0,
        )
        scores = tl.dot(query, key, input_precision="ieee").to(tl.float32) * scale + seen
        higher = tl.maximum(highest, tl.max(scores, axis=1))
        weights = tl.exp(scores - higher[:, None])
        correction = tl.exp(highest - higher)
        total = total * correction + tl.sum(weights, axis=1)
        value = tl.load(
            value_at + places[:, None] * value_row + value_columns[None, :] * value_column,
            mask=inside[:, None] & inside_values[None, :],
            other=0.0,
        )
        mixture = mixture * correction[:, None] + tl.dot(weights.to(value.dtype), value, input_precision="ieee").to(
            tl.float32
        )
        highest = higher
    mixture = mixture / tl.where(total > 0, total, 1.0)[:, None]
    tl.store(
        context
        + sentence * context_sentence
        + head * context_head
        + rows[:, None] * context_row
        + value_columns[None, :] * context_column,
        mixture.to(context.dtype.element_ty),
        mask=inside_rows[:, None] & inside_values[None, :],
    )
