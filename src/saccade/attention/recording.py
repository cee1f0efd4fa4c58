"""Look at every attention weight of a model without asking the model for it.

    with recording(model) as record:
        model.decode(target.reads, model.encode(source))
    record["decoder.layers.5.cross_attention"]      # a list: one tensor for each call, in order

While somebody looks, attention takes its explicit path; outputs stay what they are. The record lives in a context
variable, not on the model, so that two threads may use one model and only one of them be watched.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch
from torch import Tensor, nn

Record = dict[str, list[Tensor]]

_watched: ContextVar[tuple[dict[nn.Module, str], Record] | None] = ContextVar("watched", default=None)


@contextmanager
def recording(model: nn.Module) -> Iterator[Record]:
    """Collects, by module name, the weights of every attention that runs inside the block."""
    record: Record = {}
    token = _watched.set(({module: name for name, module in model.named_modules()}, record))
    try:
        yield record
    finally:
        _watched.reset(token)


def watched(module: nn.Module) -> bool:
    """Whether somebody looks at the model this module belongs to."""
    looking = _watched.get()
    return looking is not None and module in looking[0]


def watcher(module: nn.Module) -> Callable[[Tensor], None] | None:
    """Where `module` must hand its weights now, or None when nobody looks."""
    if torch.compiler.is_compiling():
        return None
    watched = _watched.get()
    if watched is None or module not in watched[0]:
        return None
    names, record = watched
    return lambda weights: record.setdefault(names[module], []).append(weights.detach())
