"""The fast twin of attentive_cell.py: additive attention before each position of a GRU, its gradient written by hand.

    e_j = v^T tanh(W s + k_j)        alpha = softmax(e)        c = sum_j alpha_j h_j
    r, z = sigma(a + C c + U s)      s~ = tanh(a + C c + U (r * s))      s' = s and s~, mixed by z

It computes what the readable loop computes with an additive score, a soft alignment and a GRU whose reset gate comes
before the product; tests compare the two. Positions still follow one another. But autograd would launch more than forty
kernels for each position in the backward pass and add its share to the gradients of five matrices. Here it is a third
of that, and the gradient of each matrix is one product at the end.
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from saccade.layers.cells_fast import Slopes


class AttentiveCellWeights(NamedTuple):
    """The matrices of the equations: W, v; C and U with the rows of r, z and the candidate one below the other."""

    query: Float[Tensor, "inner width"]
    vector: Float[Tensor, " inner"]
    context: Float[Tensor, "gates value_width"]
    recurrent: Float[Tensor, "gates width"]


def attentive_states_fast(
    projected: Float[Tensor, "batch length gates"],
    state: Float[Tensor, "batch width"],
    prepared: Float[Tensor, "batch key inner"],
    values: Float[Tensor, "batch key value_width"],
    real: Bool[Tensor, "batch key"],
    matrices: AttentiveCellWeights,
    keeps: bool,
) -> tuple[Float[Tensor, "batch length width"], Float[Tensor, "batch length value_width"]]:
    """The state after each position, and the context found there. `keeps`: an open z keeps s, as Cho has it."""
    states: Tensor
    contexts: Tensor
    states, contexts = _Search.apply(  # type: ignore[no-untyped-call]
        projected, state, prepared, values, real, *matrices, keeps
    )
    return states, contexts


class _Search(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        projected: Tensor,
        state: Tensor,
        prepared: Tensor,
        values: Tensor,
        real: Tensor,
        query: Tensor,
        vector: Tensor,
        context: Tensor,
        recurrent: Tensor,
        keeps: bool,
    ) -> tuple[Tensor, Tensor]:
        (batch, length, _), (inner, width), key = projected.shape, query.shape, values.shape[1]
        learns = any(ctx.needs_input_grad)
        new = projected.new_empty
        # W s and the part of U s for both gates are one product.
        hears, of_candidate = torch.cat([query, recurrent[: 2 * width]]), recurrent[2 * width :]
        unseen, lowest = ~real, torch.finfo(projected.dtype).min
        hidden = new(length if learns else 1, batch, key, inner)
        weights, contexts = new(length, batch, key), new(length, batch, values.shape[2])
        gates, candidates = new(length, batch, 2 * width), new(length, batch, width)
        states = new(length + 1, batch, width)
        states[0] = state
        for position in range(length):
            before = states[position]
            heard = before @ hears.t()
            inside = torch.add(prepared, heard[:, None, :inner], out=hidden[position if learns else 0]).tanh_()
            scores = (inside @ vector).masked_fill_(unseen, lowest)
            looks = torch.softmax(scores, -1, out=weights[position])
            torch.bmm(looks.unsqueeze(1), values, out=contexts[position].unsqueeze(1))
            sums = torch.addmm(projected[:, position], contexts[position], context.t())
            opened = torch.add(sums[:, : 2 * width], heard[:, inner:], out=gates[position]).sigmoid_()
            closed = opened[:, :width] * before
            candidate = torch.addmm(sums[:, 2 * width :], closed, of_candidate.t(), out=candidates[position]).tanh_()
            old, recent = (candidate, before) if keeps else (before, candidate)
            torch.lerp(old, recent, opened[:, width:], out=states[position + 1])
        if learns:
            ctx.keeps = keeps
            saved = (values, vector, context, hears, of_candidate, hidden, weights, contexts, gates, candidates, states)
            ctx.save_for_backward(*saved)
        return states[1:].transpose(0, 1), contexts.transpose(0, 1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, to_states: Tensor, to_contexts: Tensor) -> tuple[Tensor | None, ...]:
        saved = ctx.saved_tensors
        values, vector, context, hears, of_candidate, hidden, weights, contexts, gates, candidates, states = saved
        length, batch, key, inner = hidden.shape
        width = states.shape[2]
        slopes = Slopes.of(gates, candidates, states[:-1], ctx.keeps)
        # What reaches W s, then the sums of r, of z and of the candidate, side by side.
        sums = gates.new_empty(length, batch, inner + 3 * width)
        to_scores, looked = torch.empty_like(weights), torch.empty_like(contexts)
        to_prepared = torch.zeros_like(hidden[0])
        carried = torch.zeros_like(states[0])
        for position in reversed(range(length)):
            here = sums[position]
            of_gates = here[:, inner:]
            arrived = carried + to_states[:, position]
            carried = slopes.through(position, arrived, of_candidate, of_gates)
            torch.addmm(to_contexts[:, position], of_gates, context, out=looked[position])
            alpha = weights[position]
            weighed = torch.bmm(values, looked[position].unsqueeze(2)).squeeze(2).mul_(alpha)
            torch.addcmul(weighed, alpha, weighed.sum(-1, keepdim=True), value=-1, out=to_scores[position])
            steep = to_scores[position].unsqueeze(2) * vector
            steep = torch.ops.aten.tanh_backward(steep, hidden[position])
            torch.sum(steep, 1, out=here[:, :inner])
            to_prepared += steep
            carried = torch.addmm(carried, here[:, : inner + 2 * width], hears)

        rows = sums.flatten(0, 1)
        before = states[:-1].flatten(0, 1)
        closed = (states[:-1] * gates[..., :width]).flatten(0, 1)
        to_hears = rows[:, : inner + 2 * width].t() @ before
        return (
            sums[..., inner:].transpose(0, 1),
            carried,
            to_prepared,
            torch.bmm(weights.permute(1, 2, 0), looked.transpose(0, 1)),
            None,
            to_hears[:inner],
            hidden.flatten(0, 2).t() @ to_scores.flatten(),
            rows[:, inner:].t() @ contexts.flatten(0, 1),
            torch.cat([to_hears[inner:], rows[:, inner + 2 * width :].t() @ closed]),
            None,
        )
