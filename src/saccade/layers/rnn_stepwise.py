"""A stack of LSTM layers taken apart, for decoders that do something between one position and the next.

    i, f, g, o = W x_t + U h_{t-1} + b
    c_t = sigma(f) * c_{t-1} + sigma(i) * tanh(g)
    h_t = sigma(o) * tanh(c_t)

The numbers are those of torch's fused stack, which must know all inputs before it begins. Here a part of each input may
become known only when the position before is done. What is known is multiplied for all positions at once, and each
layer has one product left per position: of what was fed to it and its own last state, side by side.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from saccade.attention.recording import watcher
from saccade.dropout import dropout
from saccade.layers.rnn import Carry, RNNStack

Unit = tuple[Float[Tensor, "batch width"], Float[Tensor, "batch width"]]
"""h and c of one layer."""


@dataclass(frozen=True)
class LSTMLayer:
    """The matrix of one layer for [what comes from below or is fed; h_{t-1}], and its bias."""

    matrix: Float[Tensor, "inputs_and_width four_widths"]
    bias: Float[Tensor, " four_widths"]

    def totals(
        self,
        below: Float[Tensor, "batch inputs"],
        hidden: Float[Tensor, "batch width"],
        known: Float[Tensor, "#batch four_widths"] | None = None,
    ) -> Float[Tensor, "batch four_widths"]:
        """W x + U h + b, or with what is `known` of it already in place of b."""
        return torch.addmm(self.bias if known is None else known, torch.cat([below, hidden], dim=1), self.matrix)


class StepwiseLSTM:
    """The layers of `stack`, the first `known` numbers of whose inputs are known beforehand."""

    def __init__(self, stack: RNNStack, known: int) -> None:
        assert stack.kind == "lstm"
        self.stack = stack
        program = stack.program
        self.dropout, self.training = float(program.dropout), stack.training
        weights = dict(program.named_parameters())
        self.known = weights["weight_ih_l0"][:, :known]
        self.layers = []
        for number in range(stack.layers):
            inputs, recurrent = weights[f"weight_ih_l{number}"], weights[f"weight_hh_l{number}"]
            unknown = inputs[:, known:] if number == 0 else inputs
            bias = weights[f"bias_ih_l{number}"] + weights[f"bias_hh_l{number}"]
            self.layers.append(LSTMLayer(_coarse(torch.cat([unknown, recurrent], dim=1)).t(), _coarse(bias)))

    def known_totals(
        self, inputs: Float[Tensor, "batch length known"]
    ) -> tuple[Float[Tensor, "batch four_widths"], ...]:
        """For every position, what the known part of its input adds to the gates of the first layer."""
        return functional.linear(inputs.transpose(0, 1), self.known, self.layers[0].bias).unbind(0)

    def units(self, carry: Carry) -> list[Unit]:
        """The states of every layer, apart."""
        assert carry.cell is not None
        return list(zip(carry.hidden.unbind(1), carry.cell.unbind(1), strict=True))

    def advance(
        self, known: Float[Tensor, "batch four_widths"], fed: Float[Tensor, "batch fed"], units: list[Unit]
    ) -> list[Unit]:
        """The states of every layer one position on."""
        after = []
        below = fed
        for number, (layer, (hidden, cell)) in enumerate(zip(self.layers, units, strict=True)):
            totals = layer.totals(below, hidden, known if number == 0 else None)
            after.append(unit(totals, cell))
            gates = totals
            below = dropout(after[-1][0], self.dropout, self.training)
        if watch := watcher(self.stack):
            enters, stays, _, leaves = gates.chunk(4, dim=1)
            opened = torch.cat([enters, stays, leaves], dim=1).sigmoid().unsqueeze(1)
            watch(states=after[-1][0].unsqueeze(1), gates=opened, gate_names=("input", "forget", "output"))
        return after


def _coarse(weights: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """In the type of products where autocast is on: it would convert what is no parameter anew at every position."""
    kind = weights.device.type
    return weights.to(torch.get_autocast_dtype(kind)) if torch.is_autocast_enabled(kind) else weights


def unit(totals: Float[Tensor, "batch four_widths"], cell: Float[Tensor, "batch width"]) -> Unit:
    """h_t and c_t from what enters the gates, in torch's order i, f, g, o."""
    i, f, g, o = totals.chunk(4, dim=1)
    cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return o.sigmoid() * cell.tanh(), cell
