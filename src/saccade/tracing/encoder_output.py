"""What an encoder hands to its decoder, found by looking at the tensors themselves.

A list of states grows with the source, a fixed-size vector does not: encoding a source of another length shows which it
is. A decoder that reads the vector again at every step still holds it, unchanged, after a step; one that only starts
from it has mixed it into its own state.
"""

from dataclasses import dataclass
from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.models.contract import Memory, Transducer
from saccade.sequences import Sequences, TensorRows
from saccade.special_tokens import BOS


@dataclass(frozen=True)
class EncoderOutput:
    """What the decoder gets from the encoder.

    Attributes:
        kind: "list" if it grows with the source, "vector" if not, "none" if there is nothing.
        states: the list [place, width], or the vectors [part, width]; parts of different widths are one long vector.
        numbers: how many numbers that is in all; beside a list there may be more, such as an initial state.
        stays: whether the decoder still holds a vector after one step; None for a list, which it always holds.
    """

    kind: Literal["list", "vector", "none"]
    states: Float[Tensor, "rows width"] | None
    numbers: int
    stays: bool | None


@torch.no_grad()
def encoder_output(model: Transducer[Any, Any], memory: Memory, source: list[int]) -> EncoderOutput:
    """Compares the memory of one source with that of a source of another length."""
    output = _float_tensors(memory)
    if not output:
        return EncoderOutput("none", None, 0, None)
    device = output[0].device
    other = model.encode(Sequences.of([source[1:] or 2 * source], device))
    grown = [one for one, again in zip(output, _float_tensors(other), strict=True) if one.shape != again.shape]
    begun = zip(_float_tensors(model.start(memory)), _float_tensors(model.start(other)), strict=True)
    if grown and any(one.shape != again.shape for one, again in begun):
        return EncoderOutput("list", grown[0].flatten(1), sum(one.numel() for one in output), None)
    # What grows but does not enter the initial state is only kept for the record, as a classifier's attention weights.
    output = [one for one in output if not any(one is each for each in grown)]
    numbers = sum(one.numel() for one in output)
    _, state = model.step(torch.tensor([BOS], device=device), model.start(memory))
    left = _float_tensors(state)
    stays = all(any(_same(one, kept) for kept in left) for one in output)
    widths = {one.shape[-1] for one in output}
    rows = [one.reshape(-1, one.shape[-1]) if len(widths) == 1 else one.reshape(1, -1) for one in output]
    return EncoderOutput("vector", torch.cat(rows, dim=0 if len(widths) == 1 else 1), numbers, stays)


def _float_tensors(rows: TensorRows) -> list[Tensor]:
    """The tensors of the one sentence, without lengths and masks."""
    return [tensor[0] for tensor in rows.tensors() if tensor.is_floating_point()]


def _same(one: Tensor, other: Tensor) -> bool:
    return one.numel() == other.numel() and torch.equal(one.flatten(), other.flatten())
