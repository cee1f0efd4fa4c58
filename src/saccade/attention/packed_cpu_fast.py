"""What `packed_cpu.py` computes, by one compiled operation: each sentence by itself, nothing gathered or padded."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from saccade.dropout import dropout_mask
from saccade.kernels.varlen_attention_cpu import Dropped, Sentences, backward, forward
from saccade.sequences import Packing


def packed_attention_fast(
    query: Float[Tensor, "1 heads query key_width"],
    keys: Float[Tensor, "1 heads key key_width"],
    values: Float[Tensor, "1 heads key value_width"],
    packings: tuple[Packing, Packing],
    causal: bool,
    window: int | None,
    dropout: float,
) -> Float[Tensor, "1 heads query value_width"]:
    """Equation 1 for each sentence of a packed row; the packings are those of queries and of keys."""
    of_queries, of_keys = (packing.offsets.long().contiguous() for packing in packings)
    sentences = Sentences(of_queries, of_keys, causal, window)
    row = query[0], keys[0], values[0]
    context: Tensor = _PackedAttention.apply(*row, sentences, dropout, torch.is_grad_enabled())  # type: ignore[no-untyped-call]
    return context.unsqueeze(0)


class _PackedAttention(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        keys: Tensor,
        values: Tensor,
        sentences: Sentences,
        dropout: float,
        with_gradients: bool,
    ) -> Float[Tensor, "heads query value_width"]:
        query, keys, values = (_dense(each) for each in (query, keys, values))
        # Sentences are short, so the weights are smaller than the queries, and are kept for the backward pass.
        weights = query.new_empty(len(query) * sentences.weights) if with_gradients or dropout else None
        ctx.dropped = Dropped(*dropout_mask(weights, dropout)) if weights is not None and dropout else None
        ctx.sentences = sentences
        ctx.save_for_backward(query, keys, values, weights)
        return forward(query, keys, values, sentences, weights, ctx.dropped)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        query, keys, values, weights = ctx.saved_tensors
        made = backward(_dense(gradient), query, keys, values, ctx.sentences, weights, ctx.dropped)
        return *made, None, None, None


def _dense(tensor: Float[Tensor, "heads slots width"]) -> Float[Tensor, "heads slots width"]:
    return tensor if tensor.stride(2) == 1 else tensor.contiguous()
