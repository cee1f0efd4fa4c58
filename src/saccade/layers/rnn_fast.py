"""The fast twin of rnn.py's training on a GPU: layer by layer, with nothing that a CUDA graph could not repeat.

torch's packed sequences need the lengths on the CPU, and cuDNN's dropout between layers draws from a generator of its
own. Here each layer is one call of the fused kernels on the whole padded batch, with torch's own dropout in between.

What is left is to stop each row at its own end. A layer's last h is looked up among its outputs. The last c of an LSTM
is not among them, so one more input, which is 1 beyond the end and 0 before it, closes the input gate and opens the
forget gate: there c_t = 1 * c_{t-1} + 0 * g, exactly.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from saccade.dropout import dropout
from saccade.layers.reversal import last

Inputs = Float[Tensor, "batch length inputs"]
States = Float[Tensor, "batch length width"]
Carried = Float[Tensor, "batch layers width"]

_CLOSED = 1e4
"""Far more than any sum that enters a gate: sigma(-1e4) is 0 and sigma(1e4) is 1, in float32 as well."""


def layer_by_layer(
    stack: nn.RNNBase,
    inputs: Inputs,
    hidden: Carried,
    cell: Carried | None,
    lengths: Int[Tensor, " batch"] | None = None,
) -> tuple[States, Carried, Carried | None]:
    """The top layer's states, and h and c of every layer after the last position: each row's own with `lengths`."""
    beyond = None
    if lengths is not None:
        beyond = torch.arange(inputs.shape[1], device=inputs.device) >= lengths.unsqueeze(1)
    states: Tensor = inputs
    after_hidden, after_cell = [], []
    for layer in range(stack.num_layers):
        if layer:
            states = dropout(states, float(stack.dropout), stack.training)
        before = hidden[:, layer].unsqueeze(0).contiguous()
        if cell is None:
            states, end = _plain_layer(stack, layer, states, before)
        else:
            states, end, kept = _lstm_layer(stack, layer, states, (before, cell[:, layer].unsqueeze(0)), beyond)
            after_cell.append(kept[0])
        after_hidden.append(end[0] if lengths is None else last(states, lengths))
    if beyond is not None:
        states = states.masked_fill(beyond.unsqueeze(-1), 0.0)
    return states, torch.stack(after_hidden, 1), torch.stack(after_cell, 1) if after_cell else None


def _plain_layer(stack: nn.RNNBase, layer: int, below: Inputs, before: Tensor) -> tuple[States, Tensor]:
    """A layer of tanh units or of torch's GRU."""
    run = torch.gru if stack.mode == "GRU" else torch.rnn_tanh
    found: tuple[Tensor, Tensor] = run(
        below, before, _in_one_piece(_weights(stack, layer)), True, 1, 0.0, stack.training, False, True
    )
    return found


def _lstm_layer(
    stack: nn.RNNBase,
    layer: int,
    below: Inputs,
    before: tuple[Tensor, Tensor],
    beyond: Bool[Tensor, "batch length"] | None,
) -> tuple[States, Tensor, Tensor]:
    """A layer of an LSTM, whose c stays as it is where `beyond` is true."""
    inputs, *rest = _weights(stack, layer)
    if beyond is not None:
        below = torch.cat([below, beyond.unsqueeze(-1).to(below.dtype)], dim=-1)
        width = stack.hidden_size
        gates = inputs.new_zeros(4, width)  # torch's order: i, f, g, o
        gates[0], gates[1] = -_CLOSED, _CLOSED
        inputs = torch.cat([inputs, gates.view(4 * width, 1)], dim=1)
    carried = (before[0], before[1].contiguous())
    found: tuple[States, Tensor, Tensor] = torch.lstm(
        below, carried, _in_one_piece([inputs, *rest]), True, 1, 0.0, stack.training, False, True
    )
    return found


def _weights(stack: nn.RNNBase, layer: int) -> list[Tensor]:
    return [getattr(stack, f"{name}_l{layer}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]


def _in_one_piece(weights: Sequence[Tensor]) -> list[Tensor]:
    """The same weights, one after another in memory, where cuDNN takes them without another copy."""
    pieces = torch.split(torch.cat([one.flatten() for one in weights]), [one.numel() for one in weights])
    return [piece.view_as(weight) for piece, weight in zip(pieces, weights, strict=True)]
