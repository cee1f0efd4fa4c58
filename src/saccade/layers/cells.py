"""Recurrent units as their papers define them, each with one matrix product for the inputs of all positions.

    tanh           h' = tanh(W x + U h)
    gru-cho        r, z = sigma(W. x + U. h);   h~ = tanh(W x + U (r * h));   h' = z * h + (1 - z) * h~
    gru-bahdanau   the same, but h' = (1 - z) * h + z * h~: the update gate lets in what Cho's keeps out
    gru-torch      h~ = tanh(W x + r * (U h + b)), and the rest as Cho has it: torch.nn.GRU
    lstm           i, f, o = sigma(.), g = tanh(.) of W x + U h;   c' = f * c + i * g;   h' = o * tanh(c')

A decoder's unit may also hear a context c, as C c beside W x; Cho's decoder has it inside the reset gate, together
with the state: h~ = tanh(W x + r * (U h + C c)). Biases, which the papers leave out of their equations, are
added to W x.

A recurrence hands its rounding on from position to position, so it is computed in the precision of the parameters,
also where autocast has the products around it in bfloat16. Recurrent matrices start orthogonal: in both papers they
are the left singular vectors of a matrix of Gaussian noise. Everything else starts as small noise, biases at zero.
"""

from typing import ClassVar, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from saccade.attention.recording import watched, watcher
from saccade.layers.cells_fast import reset_before_states
from saccade.layers.initialisation import init_orthogonal
from saccade.layers.lstm import lstm_cell
from saccade.layers.reversal import backwards, flipped

CellName = Literal["tanh", "gru-cho", "gru-bahdanau", "gru-torch", "lstm"]


class Cell(nn.Module):
    """A recurrent unit. What it carries is one tensor, whose first `width` numbers are h.

    `read` takes the positions of sequences that are known, `step` one position of sequences that are being written.
    Both want inputs, and the context where there is one, already projected: that does not depend on the state.
    """

    gates: ClassVar[int]
    """How many vectors of `width` numbers the inputs are projected to."""
    carries: ClassVar[int] = 1
    """How many vectors of `width` numbers are carried."""
    resets_before: ClassVar[bool] = False
    """Whether it is a GRU whose reset gate comes before the product, for which there are fast twins."""
    update_keeps: ClassVar[bool] = False
    """Whether an open update gate keeps the old state, as Cho has it, or lets the new one in."""

    def __init__(self, input_width: int, width: int, context_width: int = 0, deviation: float = 0.01) -> None:
        super().__init__()
        self.width = width
        self.inputs = nn.Linear(input_width, self.gates * width)
        self.recurrent = nn.Parameter(torch.empty(self.gates * width, width))
        self.context = nn.Linear(context_width, self.gates * width, bias=False) if context_width else None
        for block in self.recurrent.detach().chunk(self.gates):
            init_orthogonal(block)
        nn.init.normal_(self.inputs.weight, std=deviation)
        nn.init.zeros_(self.inputs.bias)
        if self.context is not None:
            nn.init.normal_(self.context.weight, std=deviation)

    def project(self, inputs: Float[Tensor, "*rows input_width"]) -> Float[Tensor, "*rows gates"]:
        """W x + b, for every gate."""
        projected: Tensor = self.inputs(inputs).to(self.recurrent.dtype)
        return projected

    def project_context(self, context: Float[Tensor, "*rows context_width"]) -> Float[Tensor, "*rows gates"]:
        """C c, for every gate."""
        assert self.context is not None
        projected: Tensor = self.context(context).to(self.recurrent.dtype)
        return projected

    def initial_state(self, like: Float[Tensor, "batch *any"]) -> Float[Tensor, "batch carried"]:
        """The state before the first position: zeros, for as many rows as `like` has."""
        return self.recurrent.new_zeros(len(like), self.carries * self.width)

    def state_from_hidden(self, hidden: Float[Tensor, "batch width"]) -> Float[Tensor, "batch carried"]:
        """The state whose h is given; whatever else is carried is zero."""
        return nn.functional.pad(hidden, (0, (self.carries - 1) * self.width)) if self.carries > 1 else hidden

    def hidden(self, state: Float[Tensor, "*rows carried"]) -> Float[Tensor, "*rows width"]:
        """The part of the state that others see."""
        return state[..., : self.width]

    def step(
        self,
        projected: Float[Tensor, "batch gates"],
        state: Float[Tensor, "batch carried"],
        context: Float[Tensor, "batch gates"] | None = None,
    ) -> Float[Tensor, "batch carried"]:
        """The state after one more position."""
        raise NotImplementedError

    def read(
        self,
        projected: Float[Tensor, "batch length gates"],
        state: Float[Tensor, "batch carried"],
        context: Float[Tensor, "batch gates"] | None = None,
    ) -> Float[Tensor, "batch length carried"]:
        """The state after each position; the context is the same at all of them."""
        states = []
        with torch.autocast(projected.device.type, enabled=False):
            for position in projected.unbind(1):
                state = self.step(position, state, context)
                states.append(state)
        return torch.stack(states, dim=1)


class TanhCell(Cell):
    """h_t = tanh(W x_t + U h_{t-1} + C c)."""

    gates = 1

    def step(
        self,
        projected: Float[Tensor, "batch gates"],
        state: Float[Tensor, "batch carried"],
        context: Float[Tensor, "batch gates"] | None = None,
    ) -> Float[Tensor, "batch carried"]:
        """The state after one more position."""
        after = torch.addmm(_plus(projected, context), state, self.recurrent.t()).tanh()
        _trace(self, after)
        return after


class LSTMCell(Cell):
    """The LSTM without peepholes; h and c are carried side by side."""

    gates = 4
    carries = 2

    def step(
        self,
        projected: Float[Tensor, "batch gates"],
        state: Float[Tensor, "batch carried"],
        context: Float[Tensor, "batch gates"] | None = None,
    ) -> Float[Tensor, "batch carried"]:
        """The state after one more position."""
        hidden, cell = state.chunk(2, dim=-1)
        sums = torch.addmm(_plus(projected, context), hidden, self.recurrent.t())
        input_, forget, output = sums[:, : 3 * self.width].sigmoid().chunk(3, dim=-1)
        hidden, cell = lstm_cell(input_, forget, sums[:, 3 * self.width :].tanh(), output, cell)
        _trace(self, hidden, input=input_, forget=forget, output=output)
        return torch.cat([hidden, cell], dim=-1)


class ResetBeforeGRU(Cell):
    """The reset gate closes the state before it is multiplied: U (r * h). Gates are in the order r, z, candidate."""

    gates = 3
    resets_before = True

    def step(
        self,
        projected: Float[Tensor, "batch gates"],
        state: Float[Tensor, "batch carried"],
        context: Float[Tensor, "batch gates"] | None = None,
    ) -> Float[Tensor, "batch carried"]:
        """The state after one more position."""
        both = 2 * self.width
        projected = _plus(projected, context)
        gates = torch.addmm(projected[:, :both], state, self.recurrent[:both].t()).sigmoid()
        reset, update = gates.chunk(2, dim=-1)
        candidate = torch.addmm(projected[:, both:], reset * state, self.recurrent[both:].t()).tanh()
        old, new = (candidate, state) if self.update_keeps else (state, candidate)
        after = torch.lerp(old, new, update)
        _trace(self, after, reset=reset, update=update)
        return after

    def read(
        self,
        projected: Float[Tensor, "batch length gates"],
        state: Float[Tensor, "batch carried"],
        context: Float[Tensor, "batch gates"] | None = None,
    ) -> Float[Tensor, "batch length carried"]:
        """The state after each position, by the fast twin unless the model is being recorded."""
        if watched(self):
            return super().read(projected, state, context)
        if context is not None:
            projected = projected + context.unsqueeze(1)
        return _read_fast((self,), projected.unsqueeze(0), state.unsqueeze(0))[0]


class ChoGRU(ResetBeforeGRU):
    """h_t = z * h_{t-1} + (1 - z) * h~: Cho et al. 2014, equations 5 to 8."""

    update_keeps = True


class BahdanauGRU(ResetBeforeGRU):
    """h_t = (1 - z) * h_{t-1} + z * h~: Bahdanau et al. 2015, appendix A.1.1."""


class ResetAfterGRU(Cell):
    """The reset gate closes what was made of the state, and of the context: h~ = tanh(W x + r * (U h + C c)).

    This is the unit of Cho's decoder. All of U h is one product.
    """

    gates = 3

    def step(
        self,
        projected: Float[Tensor, "batch gates"],
        state: Float[Tensor, "batch carried"],
        context: Float[Tensor, "batch gates"] | None = None,
    ) -> Float[Tensor, "batch carried"]:
        """The state after one more position."""
        both = 2 * self.width
        heard = torch.mm(state, self.recurrent.t()) if context is None else context.addmm(state, self.recurrent.t())
        reset, update = (projected[:, :both] + heard[:, :both]).sigmoid().chunk(2, dim=-1)
        candidate = torch.addcmul(projected[:, both:], reset, self.inside(heard[:, both:])).tanh()
        after = torch.lerp(candidate, state, update)
        _trace(self, after, reset=reset, update=update)
        return after

    def inside(self, heard: Float[Tensor, "batch width"]) -> Float[Tensor, "batch width"]:
        """What the reset gate multiplies."""
        return heard


class TorchGRU(ResetAfterGRU):
    """torch.nn.GRU's unit: inside the reset gate is a bias as well."""

    def __init__(self, input_width: int, width: int, context_width: int = 0, deviation: float = 0.01) -> None:
        super().__init__(input_width, width, context_width, deviation)
        self.inner_bias = nn.Parameter(torch.zeros(width))

    def inside(self, heard: Float[Tensor, "batch width"]) -> Float[Tensor, "batch width"]:
        """What the reset gate multiplies: U h + b."""
        return heard + self.inner_bias


ENCODER_CELLS: dict[CellName, type[Cell]] = {
    "tanh": TanhCell,
    "gru-cho": ChoGRU,
    "gru-bahdanau": BahdanauGRU,
    "gru-torch": TorchGRU,
    "lstm": LSTMCell,
}
"""The unit of each name for an encoder."""
DECODER_CELLS: dict[CellName, type[Cell]] = {**ENCODER_CELLS, "gru-cho": ResetAfterGRU}
"""The unit of each name for a decoder that hears a context."""


def read_both_ways(
    forward: Cell,
    backward: Cell,
    inputs: Float[Tensor, "batch length input_width"],
    lengths: Int[Tensor, " batch"],
) -> tuple[Float[Tensor, "batch length width"], Float[Tensor, "batch length width"]]:
    """The h of each position of one unit that reads from left to right and of one that reads from right to left.

    Each row is turned around within its own length. What stands on padding is of no meaning.
    """
    ahead, back = forward.project(inputs), flipped(backward.project(inputs), lengths)
    together = forward.resets_before and backward.resets_before and not watched(forward)
    if together:
        projected = torch.stack([ahead, back])
        left, right = _read_fast((forward, backward), projected, forward.initial_state(inputs).expand(2, -1, -1))
    else:
        left, right = (
            cell.hidden(cell.read(projected, cell.initial_state(inputs)))
            for cell, projected in ((forward, ahead), (backward, back))
        )
    if watch := watcher(backward):
        watch(order=backwards(lengths, inputs.shape[1]))
    return left, flipped(right, lengths)


def _read_fast(
    cells: tuple[Cell, ...],
    projected: Float[Tensor, "cells batch length gates"],
    state: Float[Tensor, "cells batch width"],
) -> Float[Tensor, "cells batch length width"]:
    """All positions of several units of one kind side by side, as many products as one of them needs."""
    recurrent = torch.stack([cell.recurrent for cell in cells])
    with torch.autocast(projected.device.type, enabled=False):
        return reset_before_states(projected, state, recurrent, cells[0].update_keeps)


def _trace(cell: Cell, hidden: Float[Tensor, "batch width"], **gates: Float[Tensor, "batch width"]) -> None:
    """Hands the state and the gates of one position to a trace, if there is one."""
    if watch := watcher(cell):
        watch(
            states=hidden.unsqueeze(1),
            gates=torch.cat(list(gates.values()), dim=-1).unsqueeze(1) if gates else None,
            gate_names=tuple(gates),
        )


def _plus(projected: Tensor, context: Tensor | None) -> Tensor:
    return projected if context is None else projected + context
