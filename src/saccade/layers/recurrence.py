"""A gated recurrence over all positions, with its gradient worked out by hand.

    r, z = sigma(a_r + U_r h, a_z + U_z h)      h~ = tanh(a + U (r * h))      h' = z * h + (1 - z) * h~    (Cho)
                                                                       or     h' = (1 - z) * h + z * h~    (Bahdanau)

Left to autograd, every position would add its own share to the gradient of U, one product and one sum as large as U
each. Here the shares of all positions are one product at the end, and gates are overwritten in place. What it computes
is what `layers/gated.py` computes position by position; tests hold one against the other.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable


def reset_before_states(
    projected: Float[Tensor, "cells batch length gates"],
    state: Float[Tensor, "cells batch width"],
    recurrent: Float[Tensor, "cells gates width"],
    keeps: bool,
) -> Float[Tensor, "cells batch length width"]:
    """The state after each position. `keeps`: an open update gate keeps the old state, as Cho has it."""
    states: Tensor = _ResetBefore.apply(projected, state, recurrent, keeps)  # type: ignore[no-untyped-call]
    return states


class _ResetBefore(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, projected: Tensor, state: Tensor, recurrent: Tensor, keeps: bool) -> Tensor:
        cells, batch, length, _ = projected.shape
        width = state.shape[-1]
        of_gates = recurrent[:, : 2 * width].transpose(1, 2)
        of_candidate = recurrent[:, 2 * width :].transpose(1, 2)
        gates = projected.new_empty(length, cells, batch, 2 * width)
        candidates = projected.new_empty(length, cells, batch, width)
        states = projected.new_empty(length + 1, cells, batch, width)
        states[0] = state
        for position in range(length):
            before, inputs = states[position], projected[:, :, position]
            opened = torch.baddbmm(inputs[..., : 2 * width], before, of_gates, out=gates[position]).sigmoid_()
            reset, update = opened[..., :width], opened[..., width:]
            candidate = torch.baddbmm(
                inputs[..., 2 * width :], reset * before, of_candidate, out=candidates[position]
            ).tanh_()
            old, new = (candidate, before) if keeps else (before, candidate)
            torch.lerp(old, new, update, out=states[position + 1])
        ctx.keeps = keeps
        ctx.save_for_backward(recurrent, gates, candidates, states)
        return states[1:].permute(1, 2, 0, 3)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        recurrent, gates, candidates, states = ctx.saved_tensors
        length, cells, batch, width = candidates.shape
        of_gates, of_candidate = recurrent[:, : 2 * width], recurrent[:, 2 * width :]
        resets, updates = gates[..., :width], gates[..., width:]
        # What does not wait for the gradient of a later position is computed for all positions at once.
        difference = states[:-1] - candidates if ctx.keeps else candidates - states[:-1]
        to_update = difference * updates * (1 - updates)
        to_candidate = (1 - updates if ctx.keeps else updates) * (1 - candidates.square())
        to_reset = states[:-1] * resets * (1 - resets)
        to_before = updates if ctx.keeps else 1 - updates

        sums = gates.new_empty(length, cells, batch, 3 * width)
        carried = torch.zeros_like(states[0])
        for position in reversed(range(length)):
            here, arrived = sums[position], carried + gradient[:, :, position]
            torch.mul(arrived, to_update[position], out=here[..., width : 2 * width])
            torch.mul(arrived, to_candidate[position], out=here[..., 2 * width :])
            closed = torch.bmm(here[..., 2 * width :], of_candidate)
            torch.mul(closed, to_reset[position], out=here[..., :width])
            carried = torch.addcmul(arrived * to_before[position], closed, resets[position])
            carried = torch.baddbmm(carried, here[..., : 2 * width], of_gates)

        by_cell = sums.transpose(0, 1).flatten(1, 2)
        before = states[:-1].transpose(0, 1).flatten(1, 2)
        closed_before = (states[:-1] * resets).transpose(0, 1).flatten(1, 2)
        to_recurrent = torch.cat(
            [
                torch.bmm(by_cell[..., : 2 * width].transpose(1, 2), before),
                torch.bmm(by_cell[..., 2 * width :].transpose(1, 2), closed_before),
            ],
            dim=1,
        )
        return sums.permute(1, 2, 0, 3), carried, to_recurrent, None
