"""A stack of LSTM layers one position at a time, for decoders that compute something between two positions.

    i, f, g, o = W x_t + U h_{t-1} + b
    c_t = sigma(f) * c_{t-1} + sigma(i) * tanh(g)
    h_t = sigma(o) * tanh(c_t)

The results are those of torch's fused stack, which needs all inputs in advance. Here a part of each input may depend on
the position before, as with input feeding (Luong et al. 2015, section 3.3). The known part is multiplied for all
positions at once, and one product per layer and position is left: of the fed part and the last state, concatenated.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from saccade.attention.recording import watcher
from saccade.dropout import dropout
from saccade.layers.lstm import lstm_cell
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
    """The layers of `stack`, whose inputs are known in advance in their first `known` numbers."""

    def __init__(self, stack: RNNStack, known: int) -> None:
        assert stack.kind == "lstm"
        self.stack = stack
        torch_stack = stack.program
        self.dropout, self.training = float(torch_stack.dropout), stack.training
        weights = dict(torch_stack.named_parameters())
        self.known = weights["weight_ih_l0"][:, :known]
        self.layers = []
        for number in range(stack.layers):
            inputs, recurrent = weights[f"weight_ih_l{number}"], weights[f"weight_hh_l{number}"]
            unknown = inputs[:, known:] if number == 0 else inputs
            bias = weights[f"bias_ih_l{number}"] + weights[f"bias_hh_l{number}"]
            self.layers.append(
                LSTMLayer(_in_autocast_dtype(torch.cat([unknown, recurrent], dim=1)).t(), _in_autocast_dtype(bias))
            )

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


def _in_autocast_dtype(weights: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """In the type that autocast multiplies in, converted once: autocast would convert it again at every position."""
    kind = weights.device.type
    return weights.to(torch.get_autocast_dtype(kind)) if torch.is_autocast_enabled(kind) else weights


def unit(totals: Float[Tensor, "batch four_widths"], cell: Float[Tensor, "batch width"]) -> Unit:
    """h_t and c_t from what enters the gates, in torch's order i, f, g, o."""
    i, f, g, o = totals.chunk(4, dim=1)
    return lstm_cell(i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid(), cell)
