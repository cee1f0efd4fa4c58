"""The state of a running explorer: its models, and the traces made so far.

Traces are made one at a time, even when a page requests several at once: they would compete for the same CPU cores.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from saccade.errors import InputError, did_you_mean
from saccade.explorer.cost import Clock, measured_cost, sizes_of
from saccade.serving.translator import Translator
from saccade.tracing.model_description import describe
from saccade.tracing.options import TraceOptions
from saccade.tracing.trace import trace

KEPT = 64
"""How many traces are kept in memory, the most recently used."""


class Session:
    """Models by name, and their traces. Without models, as when a file is opened, nothing new can be traced."""

    def __init__(self, models: Mapping[str, Translator], clock: Callable[[], float] = time.perf_counter) -> None:
        self.models = dict(models)
        self._clock = clock
        self.measured: dict[str, Any] | None = None
        self._traces: OrderedDict[tuple[str, str, TraceOptions], dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def entries(self) -> list[dict[str, Any]]:
        """The description of each model, for the page."""
        return [
            describe(translator.bundle, translator.bundle.model, name, "") for name, translator in self.models.items()
        ]

    def model(self, name: str) -> Translator:
        """The model of that name."""
        if name not in self.models:
            known = ", ".join(self.models) or "none: this is an opened file"
            raise InputError(
                f"`model` must be one of those here ({known}), but is {name!r}." + did_you_mean(name, self.models)
            )
        return self.models[name]

    def trace(self, name: str, text: str, options: TraceOptions) -> dict[str, Any]:
        """The trace of a sentence, made or from the cache; `seconds` is how long it took to make."""
        model, key = self.model(name), (name, text, options)
        with self._lock:
            if key not in self._traces:
                began = self._clock()
                made = trace(model.traceable, text, options, name)
                self._traces[key] = made | {"seconds": self._clock() - began}
            self._traces.move_to_end(key)
            while len(self._traces) > KEPT:
                self._traces.popitem(last=False)
            return self._traces[key]

    def cost(self, name: str, length: int | None, clock: Clock, date: str) -> dict[str, Any]:
        """The time of one layer as wide as this model, by kind and length; `measured` keeps it for exported pages."""
        bundle = self.model(name).bundle
        with self._lock:
            sizes = sizes_of(bundle.model, bundle.model_config)
            self.measured = {"model": name, **measured_cost(sizes, clock=clock, date=date, among=length)}
            return self.measured

    def kept(self, identity: str) -> dict[str, Any]:
        """A trace in the cache, by its id."""
        for found in list(self._traces.values()):
            if found["id"] == identity:
                return found
        raise InputError(f"the trace {identity!r} is not kept here any more. Ask for the sentence again.")
