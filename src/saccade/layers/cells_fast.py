"""The fast twin of cells.py: a GRU over all positions, with its gradient written by hand.

    r, z = sigma(a_r + U_r h, a_z + U_z h)      h~ = tanh(a + U (r * h))      h' = z * h + (1 - z) * h~    (Cho)
                                                                       or     h' = (1 - z) * h + z * h~    (Bahdanau)

With autograd every position would add its own share to the gradient of U, one product and one sum as large as U each.
Here the shares of all positions are one product at the end, and gates are overwritten in place. Tests compare it with
the readable cells, which run position by position.
"""

from typing import Any, NamedTuple

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
    states: Tensor = _ResetBeforeGRU.apply(projected, state, recurrent, keeps)  # type: ignore[no-untyped-call]
    return states


class Slopes(NamedTuple):
    """How much each sum of each position moves its new state: what does not wait for the gradient of later positions.

    It is computed for all positions at once. `before` says how much of the old state is in the new one.
    """

    update: Float[Tensor, "length *rows width"]
    candidate: Float[Tensor, "length *rows width"]
    reset: Float[Tensor, "length *rows width"]
    before: Float[Tensor, "length *rows width"]
    resets: Float[Tensor, "length *rows width"]

    @classmethod
    def of(
        cls,
        gates: Float[Tensor, "length *rows both"],
        candidates: Float[Tensor, "length *rows width"],
        states: Float[Tensor, "length *rows width"],
        keeps: bool,
    ) -> "Slopes":
        """From the gates r and z, the candidates, and the states before each position."""
        resets, updates = gates.chunk(2, dim=-1)
        difference, passed = (states - candidates, updates) if keeps else (candidates - states, 1 - updates)
        return cls(
            update=difference * updates * (1 - updates),
            candidate=(1 - passed) * (1 - candidates.square()),
            reset=states * resets * (1 - resets),
            before=passed,
            resets=resets,
        )

    def through(
        self, position: int, arrived: Tensor, of_candidate: Tensor, sums: Float[Tensor, "*rows gates"]
    ) -> Tensor:
        """Takes what arrived at a new state back to its sums, which are filled, and to the old state.

        Left to do is what the old state gave to the two gates.
        """
        width = arrived.shape[-1]
        torch.mul(arrived, self.update[position], out=sums[..., width : 2 * width])
        torch.mul(arrived, self.candidate[position], out=sums[..., 2 * width :])
        closed = sums[..., 2 * width :] @ of_candidate
        torch.mul(closed, self.reset[position], out=sums[..., :width])
        return torch.addcmul(arrived * self.before[position], closed, self.resets[position])


class _ResetBeforeGRU(torch.autograd.Function):
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
        slopes = Slopes.of(gates, candidates, states[:-1], ctx.keeps)
        sums = gates.new_empty(length, cells, batch, 3 * width)
        carried = torch.zeros_like(states[0])
        for position in reversed(range(length)):
            here, arrived = sums[position], carried + gradient[:, :, position]
            carried = slopes.through(position, arrived, of_candidate, here)
            carried = torch.baddbmm(carried, here[..., : 2 * width], of_gates)

        by_cell = sums.transpose(0, 1).flatten(1, 2)
        before = states[:-1].transpose(0, 1).flatten(1, 2)
        closed = (states[:-1] * slopes.resets).transpose(0, 1).flatten(1, 2)
        to_recurrent = torch.cat(
            [
                torch.bmm(by_cell[..., : 2 * width].transpose(1, 2), before),
                torch.bmm(by_cell[..., 2 * width :].transpose(1, 2), closed),
            ],
            dim=1,
        )
        return sums.permute(1, 2, 0, 3), carried, to_recurrent, None
