"""Parameters in the type of the products, made of all of them at once: one launch instead of a hundred small ones."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import torch
from torch import Tensor

_copies: ContextVar[Mapping[int, Tensor]] = ContextVar("copies", default={})  # noqa: B039 - it is never changed


def coarse(parameter: Tensor, precision: torch.dtype) -> Tensor:
    """A parameter in this type: one of the copies at hand, or one made here."""
    kept = _copies.get().get(id(parameter))
    return kept if kept is not None and kept.dtype == precision else parameter.to(precision)


@contextmanager
def copies_at_hand(parameters: Sequence[Tensor], copies: Sequence[Tensor]) -> Iterator[None]:
    """Inside the block these copies stand for the parameters, made of all of them at once instead of one by one."""
    token = _copies.set({id(parameter): copy for parameter, copy in zip(parameters, copies, strict=True)})
    try:
        yield
    finally:
        _copies.reset(token)
