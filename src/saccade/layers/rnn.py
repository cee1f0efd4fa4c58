"""Stacks of recurrent layers by torch's fused kernels, with states whose first axis is the batch.

    tanh   h_t = tanh(W x_t + U h_{t-1} + b)
    lstm   i, f, o = sigma(W x_t + U h_{t-1} + b), g = tanh(...);  c_t = f * c_{t-1} + i * g;  h_t = o * tanh(c_t)
    gru    torch's form, in which the reset gate multiplies U h + b after the product; neither Cho's nor Bahdanau's

The forms of the papers that torch does not have are in layers/cells.py.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from saccade.attention.recording import watcher
from saccade.layers.lstm import lstm_cell
from saccade.layers.rnn_fast import layer_by_layer
from saccade.layers.tf32 import without_tf32
from saccade.sequences import TensorRows

RNNKind = Literal["tanh", "lstm", "gru"]
_TORCH_STACKS: dict[RNNKind, Callable[..., nn.RNNBase]] = {"tanh": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}


@dataclass(frozen=True)
class Carry(TensorRows):
    """What a stack carries from one position to the next: h of every layer, and c where its cells have one."""

    hidden: Float[Tensor, "batch layers width"]
    cell: Float[Tensor, "batch layers width"] | None = None


class RNNStack(nn.Module):
    """A stack of recurrent layers. `read` is for sequences known as a whole, a call for those being written."""

    def __init__(
        self,
        kind: RNNKind,
        input_width: int,
        width: int,
        layers: int = 1,
        dropout: float = 0.0,
        both_directions: bool = False,
    ) -> None:
        super().__init__()
        self.width, self.layers, self.kind = width, layers, kind
        between = dropout if layers > 1 else 0.0  # torch drops between layers only, and complains where there is one
        # Saved models know it by this name.
        self.program = _TORCH_STACKS[kind](
            input_width, width, layers, batch_first=True, dropout=between, bidirectional=both_directions
        )

    def initial_state(self, like: Float[Tensor, "batch *any"]) -> Carry:
        """The state before the first position: zeros, for as many rows as `like` has."""
        hidden = like.new_zeros(len(like), self.layers, self.width)
        return Carry(hidden, torch.zeros_like(hidden) if self.kind == "lstm" else None)

    def read(
        self, inputs: Float[Tensor, "batch length input_width"], lengths: Int[Tensor, " batch"]
    ) -> tuple[Float[Tensor, "batch length outputs"], Carry]:
        """The top layer's states (zero on padding), and every layer's state after each row's own last position.

        With both directions the states of the backward layers follow those of the forward ones, by layer.
        """
        inputs = self._in_weight_dtype(inputs)
        if self._layer_by_layer(inputs):
            return self._fast(inputs, self.initial_state(inputs), lengths)
        together = pack_padded_sequence(inputs, lengths.cpu(), batch_first=True, enforce_sorted=False)
        with self._precise(inputs.device):
            packed, carried = self.program(together)
        outputs, _ = pad_packed_sequence(packed, batch_first=True, total_length=inputs.shape[1])
        if watch := watcher(self):
            watch(states=outputs, rest=lambda: self._gates(inputs, None))
        return outputs, _carry(carried)

    def forward(
        self, inputs: Float[Tensor, "batch length input_width"], carry: Carry
    ) -> tuple[Float[Tensor, "batch length width"], Carry]:
        """The top layer's states at further positions, one or many, and what is carried on from there."""
        inputs = self._in_weight_dtype(inputs)
        if self._layer_by_layer(inputs):
            return self._fast(inputs, carry, None)
        hidden = self._in_weight_dtype(carry.hidden).transpose(0, 1).contiguous()
        with self._precise(inputs.device):
            if carry.cell is None:
                outputs, carried = self.program(inputs, hidden)
            else:
                cell = self._in_weight_dtype(carry.cell).transpose(0, 1).contiguous()
                outputs, carried = self.program(inputs, (hidden, cell))
        if watch := watcher(self):
            watch(states=outputs, rest=lambda: self._gates(inputs, carry))
        return outputs, _carry(carried)

    @torch.no_grad()
    def _gates(self, inputs: Float[Tensor, "batch length input_width"], carry: Carry | None) -> dict[str, Any]:
        """The gates of the top layer, computed again: torch's fused kernels do not return them."""
        if self.kind == "tanh" or self.program.bidirectional:
            return {"gate_names": ()}
        weights = dict(self.program.named_parameters())
        states = inputs
        gates: list[Tensor] = []
        for layer in range(self.layers):
            w, u, b, c = (weights[f"{name}_l{layer}"] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
            nothing = inputs.new_zeros(len(inputs), self.width)
            hidden = nothing if carry is None else self._in_weight_dtype(carry.hidden[:, layer])
            cell = nothing if carry is None or carry.cell is None else self._in_weight_dtype(carry.cell[:, layer])
            below, gates = [], []
            for position in states.unbind(1):
                driven, heard = functional.linear(position, w, b), functional.linear(hidden, u, c)
                if self.kind == "lstm":
                    enters, stays, candidate, leaves = (driven + heard).chunk(4, dim=-1)
                    opened = torch.cat([enters, stays, leaves], dim=-1).sigmoid()
                    enters, stays, leaves = opened.chunk(3, dim=-1)
                    hidden, cell = lstm_cell(enters, stays, candidate.tanh(), leaves, cell)
                else:
                    opened = (driven + heard)[:, : 2 * self.width].sigmoid()
                    reset, update = opened.chunk(2, dim=-1)
                    candidate = (driven[:, 2 * self.width :] + reset * heard[:, 2 * self.width :]).tanh()
                    hidden = torch.lerp(candidate, hidden, update)
                below.append(hidden)
                gates.append(opened)
            states = torch.stack(below, dim=1)
        names = ("input", "forget", "output") if self.kind == "lstm" else ("reset", "update")
        return {"gates": torch.stack(gates, dim=1), "gate_names": names}

    def _layer_by_layer(self, inputs: Float[Tensor, "batch length input_width"]) -> bool:
        """Whether this is a step on a GPU, which may be captured into a CUDA graph."""
        return self.training and inputs.is_cuda and not self.program.bidirectional and watcher(self) is None

    def _fast(
        self, inputs: Float[Tensor, "batch length input_width"], carry: Carry, lengths: Int[Tensor, " batch"] | None
    ) -> tuple[Float[Tensor, "batch length width"], Carry]:
        hidden = self._in_weight_dtype(carry.hidden)
        cell = None if carry.cell is None else self._in_weight_dtype(carry.cell)
        with self._precise(inputs.device):
            outputs, hidden, cell = layer_by_layer(self.program, inputs, hidden, cell, lengths)
        return outputs, Carry(hidden, cell)

    def _in_weight_dtype(self, states: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """In the type of the weights, also under autocast."""
        return states.to(next(self.program.parameters()).dtype)

    @contextmanager
    def _precise(self, device: torch.device) -> Iterator[None]:
        """The precision of the weights: without autocast, and in evaluation mode without TF32.

        cuDNN's recurrences run in float16 wherever autocast is on, bfloat16 or not, and there the small gradients of a
        mean over many tokens are lost.
        """
        with torch.autocast(device.type, enabled=False), nullcontext() if self.training else without_tf32():
            yield

    if TYPE_CHECKING:
        __call__ = forward


def _carry(carried: Tensor | tuple[Tensor, Tensor]) -> Carry:
    if isinstance(carried, tuple):
        hidden, cell = carried
        return Carry(hidden.transpose(0, 1), cell.transpose(0, 1))
    return Carry(carried.transpose(0, 1))
