"""Recording every attention weight of a model, or tracing all it computes, without changing the model.

    with recording(model) as record:
        model.decode(target.reads, model.encode(source))
    record["decoder.layers.5.cross_attention"]      # a list: one tensor for each call, in order

    with tracing(model) as told:
        model.encode(source)
    told[0].name, told[0].what["weights"]           # everything modules report, in the order in which they ran

A module that has something to report asks `watcher(self)` for a function and hands it named values:

    attention       weights, query, keys, values, context, and the mask (True: may be seen); scores, unless they are
                    the plain products of query and key; the factor `scale` on scores; names of score and alignment
    feed-forward    hidden, out
    a residual sum  before, update, sum, normalised: what came in, what a sub-layer made of it, their sum, its norm
    what a first layer reads    token, position, sum
    recurrent       states, gates and their names; the `order` of reading, where it is not that of the source
    convolution     kernel, and how many positions `before` the present one it sees

together with the parameters it used. Values that take time to compute are handed over as `rest`, a function that
returns more named values and is only called by a trace.

While a model is recorded, attention takes its explicit path; outputs stay the same. The recording is kept in a context
variable, not on the model, so that two threads may use one model and only one of them record.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

Record = dict[str, list[Tensor]]


@dataclass(frozen=True)
class Told:
    """What a module reported in one call: its name in the model, and named values."""

    name: str
    what: dict[str, Any]


Watch = Callable[..., None]
"""Where a module hands what it computed, as named values."""
_Keep = Callable[[str, dict[str, Any]], None]
_watched: ContextVar[tuple[dict[nn.Module, str], _Keep] | None] = ContextVar("watched", default=None)


@contextmanager
def recording(model: nn.Module) -> Iterator[Record]:
    """Collects, by module name, the weights of every attention that runs inside the block."""
    record: Record = {}

    def keep(name: str, what: dict[str, Any]) -> None:
        if "weights" in what:
            record.setdefault(name, []).append(what["weights"].detach())

    with _watching(model, keep):
        yield record


@contextmanager
def tracing(model: nn.Module, only: Collection[str] | None = None) -> Iterator[list[Told]]:
    """Collects copies of all that modules report inside the block, in order; or of the values of these names alone."""
    told: list[Told] = []

    def keep(name: str, what: dict[str, Any]) -> None:
        rest = what.pop("rest", dict)
        told.append(
            Told(
                name,
                {
                    key: _copy(value) if isinstance(value, Tensor) else value
                    for key, value in (what | rest()).items()
                    if value is not None and (only is None or key in only)
                },
            )
        )

    with _watching(model, keep):
        yield told


def _copy(value: Tensor) -> Tensor:
    """A copy, safe from later writes into the same memory; parameters do not change during a trace."""
    parameter = isinstance(value, nn.Parameter) or isinstance(value._base, nn.Parameter)
    return value.detach() if parameter else value.detach().clone()


@contextmanager
def _watching(model: nn.Module, keep: _Keep) -> Iterator[None]:
    token = _watched.set(({module: name for name, module in model.named_modules()}, keep))
    try:
        yield
    finally:
        _watched.reset(token)


def watched(module: nn.Module) -> bool:
    """Whether the model this module belongs to is being recorded."""
    looking = _watched.get()
    return looking is not None and module in looking[0]


def watcher(module: nn.Module) -> Watch | None:
    """The function to which `module` reports what it computes, or None when nothing is recorded."""
    if torch.compiler.is_compiling():
        return None
    looking = _watched.get()
    if looking is None or module not in looking[0]:
        return None
    names, keep = looking

    def watch(**what: Any) -> None:
        keep(names[module], what)

    return watch
