"""The fast twin of lstmn_tape.py: a layer of an LSTMN over a whole sequence, with its gradient written by hand.

Step by step the tape is copied whenever a slot is added, and autograd keeps every copy and every tanh(W_h h_i + ...).
Here the tape is one buffer that fills up and its gradient another, added to from the last position to the first. The
tanh is computed again in the backward pass, and the gradient of each weight is one product after the loop.
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from saccade.layers.lstm import lstm_cell


class ReaderWeights(NamedTuple):
    """The weights of a reader, except those on its input."""

    before: Float[Tensor, "width width"]
    vector: Float[Tensor, " width"]


class SourceInputs(NamedTuple):
    """What deep fusion adds: what is asked of the source and drives its gate, its reader, its gate, and its tapes."""

    asked: Float[Tensor, "batch length width"]
    driven: Float[Tensor, "batch length width"]
    reading: ReaderWeights
    gate: Float[Tensor, "width width"]
    slots: Float[Tensor, "batch source three_widths"]
    real: Bool[Tensor, "batch source"]


class TapeOutputs(NamedTuple):
    """What a whole sequence has written, and what its last position read."""

    hidden: Float[Tensor, "batch length width"]
    memory: Float[Tensor, "batch length width"]
    read: Float[Tensor, "batch width"]
    source_read: Float[Tensor, "batch width"]


def write_tape(
    asked: Float[Tensor, "batch length width"],
    driven: Float[Tensor, "batch length four_widths"],
    key: Float[Tensor, "width width"],
    reading: ReaderWeights,
    recurrent: Float[Tensor, "four_widths width"],
    source: SourceInputs | None = None,
) -> TapeOutputs:
    """All positions, from blank tapes on. The loop runs in the type of the weights, whatever gave it its inputs."""
    parts: list[Tensor | None] = [asked, driven, key, *reading, recurrent]
    parts += [None] * 7 if source is None else [source.asked, source.driven, *source.reading, *source[3:]]
    with torch.autocast(asked.device.type, enabled=False):
        floats = [part.to(key.dtype) if part is not None and part.is_floating_point() else part for part in parts]
        return TapeOutputs(*_Whole.apply(*floats))  # type: ignore[no-untyped-call]


class _Whole(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *parts: Any) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        asked, driven, key, before, vector, recurrent = parts[:6]
        source_asked, source_driven, source_before, source_vector, source_gate, source_slots, real = parts[6:]
        batch, length, width = asked.shape
        slots = asked.new_zeros(batch, length + 1, 3 * width)
        weights = asked.new_zeros(batch, length, length + 1)
        reads = asked.new_zeros(batch, length + 1, width)
        memories = torch.empty_like(asked)
        gates = torch.empty_like(driven)
        deep = source_asked is not None
        source_reads = torch.zeros_like(reads)
        source_weights: Any = asked.new_zeros(batch, length, source_slots.shape[1]) if deep else None
        source_memories: Any = torch.empty_like(asked) if deep else None
        source_gates: Any = torch.empty_like(asked) if deep else None
        for place in range(length):
            query = asked[:, place] + reads[:, place] @ before.T
            found, weights[:, place, : place + 1] = _read(query, vector, slots[:, : place + 1], None)
            reads[:, place + 1], memories[:, place] = found[:, :width], found[:, width:]
            gate = driven[:, place] + found[:, :width] @ recurrent.T
            gate[:, : 3 * width].sigmoid_()
            gate[:, 3 * width :].tanh_()
            gates[:, place] = gate
            enters, stays, leaves, candidate = gate.chunk(4, dim=-1)
            read_memory, added = found[:, width:], None
            if deep:
                query = source_asked[:, place] + source_reads[:, place] @ source_before.T
                found, source_weights[:, place] = _read(query, source_vector, source_slots, real)
                source_reads[:, place + 1], source_memories[:, place] = found[:, :width], found[:, width:]
                source_gates[:, place] = (source_driven[:, place] + found[:, :width] @ source_gate.T).sigmoid_()
                added = source_gates[:, place] * found[:, width:]
            hidden, memory = lstm_cell(enters, stays, candidate, leaves, read_memory, added)
            slots[:, place + 1] = torch.cat([hidden @ key.T, hidden, memory], dim=-1)
        ctx.save_for_backward(
            *(asked, key, before, vector, recurrent, slots, weights, reads, memories, gates),
            *(source_asked, source_before, source_vector, source_gate, source_slots, real),
            *(source_weights, source_reads, source_memories, source_gates),
        )
        hidden, memory = slots[:, 1:, width : 2 * width], slots[:, 1:, 2 * width :]
        return hidden.contiguous(), memory.contiguous(), reads[:, -1].clone(), source_reads[:, -1].clone()

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, of_hidden: Tensor, of_memory: Tensor, of_read: Tensor, of_source_read: Tensor
    ) -> tuple[Tensor | None, ...]:
        asked, key, before, vector, recurrent, slots, weights, reads, memories, gates = ctx.saved_tensors[:10]
        source_asked, source_before, source_vector, source_gate, source_slots, real = ctx.saved_tensors[10:16]
        source_weights, source_reads, source_memories, source_gates = ctx.saved_tensors[16:]
        length, width = asked.shape[1:]
        deep = source_asked is not None
        of_slots = torch.zeros_like(slots)
        of_slots[:, 1:, width : 2 * width] = of_hidden
        of_slots[:, 1:, 2 * width :] = of_memory
        of_asked, of_driven = torch.empty_like(asked), torch.empty_like(gates)
        of_vector = torch.zeros_like(vector)
        of_source_slots: Any = torch.zeros_like(source_slots) if deep else None
        of_source_asked: Any = torch.empty_like(asked) if deep else None
        of_source_driven: Any = torch.empty_like(asked) if deep else None
        of_source_vector: Any = torch.zeros_like(vector) if deep else None
        for place in range(length - 1, -1, -1):
            enters, stays, leaves, candidate = gates[:, place].chunk(4, dim=-1)
            bent = slots[:, place + 1, 2 * width :].tanh()
            hidden = of_slots[:, place + 1, width : 2 * width] + of_slots[:, place + 1, :width] @ key
            of_slots[:, place + 1, width : 2 * width] = hidden
            memory = of_slots[:, place + 1, 2 * width :] + hidden * leaves * (1 - bent * bent)
            if deep:
                gate, found = source_gates[:, place], source_memories[:, place]
                of_gate = memory * found * gate * (1 - gate)
                of_source_driven[:, place] = of_gate
                of_source_read = of_source_read + of_gate @ source_gate
                of_found = torch.cat([of_source_read, memory * gate], dim=-1)
                query = source_asked[:, place] + source_reads[:, place] @ source_before.T
                of_query = _read_back(
                    *(of_found, query, source_vector, source_slots, source_weights[:, place]),
                    *(of_source_slots, of_source_vector),
                )
                of_source_asked[:, place] = of_query
                of_source_read = of_query @ source_before
            of_driven[:, place] = torch.cat(
                [
                    memory * candidate * enters * (1 - enters),
                    memory * memories[:, place] * stays * (1 - stays),
                    hidden * bent * leaves * (1 - leaves),
                    memory * enters * (1 - candidate * candidate),
                ],
                dim=-1,
            )
            of_read = of_read + of_driven[:, place] @ recurrent
            of_found = torch.cat([of_read, memory * stays], dim=-1)
            query = asked[:, place] + reads[:, place] @ before.T
            seen = slice(0, place + 1)
            of_query = _read_back(
                *(of_found, query, vector, slots[:, seen], weights[:, place, seen], of_slots[:, seen], of_vector)
            )
            of_asked[:, place] = of_query
            of_read = of_query @ before
        shared = (
            _product(of_slots[:, 1:, :width], slots[:, 1:, width : 2 * width]),
            _product(of_asked, reads[:, :-1]),
            of_vector,
            _product(of_driven, reads[:, 1:]),
        )
        if not deep:
            return of_asked, of_driven, *shared, *[None] * 7
        return (
            *(of_asked, of_driven, *shared, of_source_asked, of_source_driven),
            _product(of_source_asked, source_reads[:, :-1]),
            of_source_vector,
            _product(of_source_driven, source_reads[:, 1:]),
            of_source_slots,
            None,
        )


def _read(query: Tensor, vector: Tensor, slots: Tensor, real: Tensor | None) -> tuple[Tensor, Tensor]:
    """What a reader finds, and with which weights."""
    width = len(vector)
    scores = torch.tanh(slots[..., :width] + query.unsqueeze(1)) @ vector
    if real is not None:
        scores = scores.masked_fill(~real, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    return (weights.unsqueeze(1) @ slots[..., width:]).squeeze(1), weights


def _read_back(
    of_found: Tensor,
    query: Tensor,
    vector: Tensor,
    slots: Tensor,
    weights: Tensor,
    of_slots: Tensor,
    of_vector: Tensor,
) -> Tensor:
    """The gradient of the query; those of the slots and of the vector are added to what is there."""
    width = len(vector)
    of_slots[..., width:].addcmul_(weights.unsqueeze(2), of_found.unsqueeze(1))
    of_weights = (slots[..., width:] @ of_found.unsqueeze(2)).squeeze(2)
    of_scores = weights * (of_weights - (weights * of_weights).sum(-1, keepdim=True))
    bent = torch.tanh(slots[..., :width] + query.unsqueeze(1))
    of_vector += torch.einsum("bs,bsw->w", of_scores, bent)
    inner = (1 - bent * bent).mul_(vector).mul_(of_scores.unsqueeze(2))
    of_slots[..., :width] += inner
    return inner.sum(1)


def _product(gradients: Tensor, inputs: Tensor) -> Tensor:
    """The gradient of W in y = x W^T, over all rows and positions."""
    return gradients.flatten(0, 1).T @ inputs.flatten(0, 1)
