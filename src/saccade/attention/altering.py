"""Running a model with other attention weights than its own, without changing the model.

    with altering(model, ["decoder.layers.5.cross_attention"], permuted):
        model.decode(target.reads, memory)

The function is given the weights of one call, batch first and keys last, and returns those to use instead. The outputs
then follow from them, in this attention and in everything after it. While weights are altered, the model is recorded
too, so that attention takes the path that has weights.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from saccade.attention.recording import recording

Alter = Callable[[Tensor], Tensor]
_altering: ContextVar[tuple[Collection[nn.Module], Alter] | None] = ContextVar("altering", default=None)


@contextmanager
def altering(model: nn.Module, names: Collection[str], alter: Alter) -> Iterator[None]:
    """Inside the block, the attentions of these names use the weights that `alter` makes of theirs."""
    token = _altering.set(({model.get_submodule(name) for name in names}, alter))
    try:
        with recording(model):
            yield
    finally:
        _altering.reset(token)


def altered(module: nn.Module, weights: Float[Tensor, "batch *between key"]) -> Float[Tensor, "batch *between key"]:
    """The weights that this attention is to use: the very same, unless somebody alters them."""
    if torch.compiler.is_compiling():
        return weights
    asked = _altering.get()
    return asked[1](weights) if asked is not None and module in asked[0] else weights
