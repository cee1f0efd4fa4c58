"""What an encoder hands to its decoder, measured on what it handed over.

A list grows with the source, a vector does not; which of them it is shows when another source is read. And a decoder
that may read a vector again at every word still has it, unchanged, after a word: one that may not has mixed it into
its own state.
"""

from dataclasses import dataclass
from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.models.contract import Memory, Transducer
from saccade.sequences import BOS, Rows, Sequences


@dataclass(frozen=True)
class Handover:
    """What crosses from reading to writing.

    Attributes:
        kind: "list" if it grows with the source, "vector" if not, "none" if there is nothing.
        states: the list [place, width], or the vectors [part, width]; parts of different widths are one long vector.
        numbers: how many numbers cross in all; a list may come with more, such as the state to begin with.
        stays: whether the decoder still has a vector after it has written a word; None for a list, which it always has.
    """

    kind: Literal["list", "vector", "none"]
    states: Float[Tensor, "rows width"] | None
    numbers: int
    stays: bool | None


@torch.no_grad()
def handover(model: Transducer[Any, Any], memory: Memory, source: list[int]) -> Handover:
    """Looks at what one source became, and at what a source of another length becomes."""
    crossed = _numbers_of(memory)
    if not crossed:
        return Handover("none", None, 0, None)
    device = crossed[0].device
    other = model.encode(Sequences.of([source[1:] or 2 * source], device))
    grown = [one for one, again in zip(crossed, _numbers_of(other), strict=True) if one.shape != again.shape]
    begun = zip(_numbers_of(model.start(memory)), _numbers_of(model.start(other)), strict=True)
    if grown and any(one.shape != again.shape for one, again in begun):
        return Handover("list", grown[0].flatten(1), sum(one.numel() for one in crossed), None)
    # What grows but is not begun with is only remembered, as where a classifier looked: it does not cross.
    crossed = [one for one in crossed if not any(one is each for each in grown)]
    numbers = sum(one.numel() for one in crossed)
    _, state = model.step(torch.tensor([BOS], device=device), model.start(memory))
    left = _numbers_of(state)
    stays = all(any(_same(one, kept) for kept in left) for one in crossed)
    widths = {one.shape[-1] for one in crossed}
    rows = [one.reshape(-1, one.shape[-1]) if len(widths) == 1 else one.reshape(1, -1) for one in crossed]
    return Handover("vector", torch.cat(rows, dim=0 if len(widths) == 1 else 1), numbers, stays)


def _numbers_of(rows: Rows) -> list[Tensor]:
    """The tensors of the one sentence, but those that only count or mask."""
    return [tensor[0] for tensor in rows.tensors() if tensor.is_floating_point()]


def _same(one: Tensor, other: Tensor) -> bool:
    return one.numel() == other.numel() and torch.equal(one.flatten(), other.flatten())
