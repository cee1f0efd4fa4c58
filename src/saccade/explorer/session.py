"""The state of a running explorer: its models, and the traces made so far.

Traces are made one at a time, even when a page requests several at once: they would compete for the same CPU cores, and
what modules record while one is made belongs to that one. Whatever is here already can be had meanwhile.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from saccade.errors import InputError, did_you_mean
from saccade.explorer.cost import Clock, measured_cost, sizes_of
from saccade.explorer.remarks import remarks
from saccade.serving.translator import Translator
from saccade.tracing.cancellation import Cancellation
from saccade.tracing.model_description import describe
from saccade.tracing.options import TraceOptions
from saccade.tracing.trace import trace

KEPT = 64
"""How many traces are kept in memory, the most recently used."""
KEPT_CHARACTERS = 500_000_000
"""How many characters of numbers they may have in all; the latest is kept whatever its size."""


class Session:
    """Models by name, and their traces. Without models, as when a file is opened, nothing new can be traced."""

    def __init__(self, models: Mapping[str, Translator], clock: Callable[[], float] = time.perf_counter) -> None:
        self.models = dict(models)
        self._clock = clock
        self.measured: dict[str, Any] | None = None
        self._traces: OrderedDict[tuple[str, str, TraceOptions], dict[str, Any]] = OrderedDict()
        self._cache = threading.Lock()  # held for moments
        self._computing = threading.Lock()  # held for as long as a trace or a measurement takes

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

    def trace(
        self, name: str, text: str, options: TraceOptions, cancellation: Cancellation | None = None
    ) -> dict[str, Any]:
        """The trace of a sentence, made or from the cache.

        `seconds` is how long it took to make, `remarks` what a person should know of the translation.
        """
        model = self.model(name)
        with self._computing:
            found = self.made(name, text, options)
            if found is None:
                began = self._clock()
                found = trace(model.traceable, text, options, name, cancellation)
                found |= {"seconds": self._clock() - began, "remarks": remarks(model, text, found)}
                self._keep((name, text, options), found)
            return found

    def made(self, name: str, text: str, options: TraceOptions) -> dict[str, Any] | None:
        """The same trace if it is in the cache, and None otherwise; never waits for one that is being made."""
        key = (name, text, options)
        with self._cache:
            if key in self._traces:
                self._traces.move_to_end(key)
            return self._traces.get(key)

    def _keep(self, key: tuple[str, str, TraceOptions], made: dict[str, Any]) -> None:
        with self._cache:
            self._traces[key] = made
            held = sum(map(_characters, self._traces.values()))
            while len(self._traces) > KEPT or (held > KEPT_CHARACTERS and len(self._traces) > 1):
                held -= _characters(self._traces.popitem(last=False)[1])

    def cost(
        self, name: str, length: int | None, clock: Clock, date: str, cancellation: Cancellation | None = None
    ) -> dict[str, Any]:
        """The time of one layer as wide as this model, by kind and length; `measured` keeps it for exported pages."""
        bundle = self.model(name).bundle
        with self._computing:
            sizes = sizes_of(bundle.model, bundle.model_config)
            found = measured_cost(sizes, clock=clock, date=date, among=length, cancellation=cancellation)
            self.measured = {"model": name, **found}
            return self.measured

    def kept(self, identity: str) -> dict[str, Any]:
        """A trace in the cache, by its id."""
        with self._cache:
            traces = list(self._traces.values())
        for found in traces:
            if found["id"] == identity:
                return found
        raise InputError(f"the trace {identity[:80]!r} is not kept here any more. Ask for the sentence again.")


def _characters(made: Mapping[str, Any]) -> int:
    return sum(len(tensor["data"]) for tensor in made["tensors"].values())
