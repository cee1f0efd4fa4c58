"""Low-precision copies of all parameters, refreshed at once: one launch a step instead of a hundred small ones."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

import torch
from jaxtyping import Float
from torch import Tensor

Matrix = Float[Tensor, "_ width"]

_active: ContextVar[Mapping[int, Tensor]] = ContextVar("copies", default=MappingProxyType({}))  # noqa: B039 - read only

# Products read 16 bytes at a time, and better from places that are multiples of that.
_ALIGNED = 8


class ParameterCopies:
    """Copies of parameters, one after another in memory in the order of the parameters."""

    def __init__(self, parameters: Sequence[Tensor], precision: torch.dtype) -> None:
        self.parameters = list(parameters)
        sizes = [-(-parameter.numel() // _ALIGNED) * _ALIGNED for parameter in self.parameters]
        room = torch.empty(sum(sizes), dtype=precision, device=self.parameters[0].device)
        self.copies = [
            piece[: parameter.numel()].view(parameter.shape)
            for piece, parameter in zip(room.split(sizes), self.parameters, strict=True)
        ]

    @torch.no_grad()
    def refresh(self) -> None:
        """Copies the parameters as they are now."""
        torch._foreach_copy_(self.copies, self.parameters)

    @contextmanager
    def active(self) -> Iterator[None]:
        """Inside the block the copies are used wherever an operation needs a parameter in their type."""
        pairs = zip(self.parameters, self.copies, strict=True)
        token = _active.set({id(parameter): copy for parameter, copy in pairs})
        try:
            yield
        finally:
            _active.reset(token)


def cast_to(parameter: Tensor, precision: torch.dtype) -> Tensor:
    """A parameter in this type: the active copy, or one made here."""
    copy = _active.get().get(id(parameter))
    return copy if copy is not None and copy.dtype == precision else parameter.to(precision)


def stacked_as(parameters: Sequence[Matrix], precision: torch.dtype) -> Matrix:
    """Matrices one below the other in this type; nothing is moved where their copies already lie so."""
    copies = [_active.get().get(id(parameter)) for parameter in parameters]
    found = [copy for copy in copies if copy is not None and copy.dtype == precision]
    if len(found) < len(parameters):
        return torch.cat(tuple(parameters)).to(precision)
    first, place = found[0], found[0].storage_offset()
    for copy in found:
        if copy.storage_offset() != place:
            return torch.cat(found)
        place += copy.numel()
    return first.as_strided((sum(len(copy) for copy in found), first.shape[1]), (first.shape[1], 1))
