"""The state of a running explorer: its models, and the traces made so far.

Traces are made one at a time, even when a page requests several at once: they would compete for the same CPU cores, and
what modules record while one is made belongs to that one. Whatever is here already can be had meanwhile.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from saccade.cancellation import Cancellation
from saccade.data.language_identification import identifier
from saccade.decoding.searcher import frozen_copy
from saccade.errors import InputError, did_you_mean
from saccade.explorer.cost import Clock, measured_cost, sizes_of
from saccade.explorer.remarks import remarks
from saccade.memory import ran_out_of_memory
from saccade.models.contract import Transducer
from saccade.serving.translator import Translator
from saccade.tracing.model_description import describe
from saccade.tracing.options import TraceOptions
from saccade.tracing.trace import SentenceTrace

KEPT = 64
"""How many traces are kept in memory, the most recently used."""
KEPT_CHARACTERS = 500_000_000
"""How many characters of numbers they may have in all; the latest is kept whatever its size."""
KEPT_BYTES = 500_000_000
"""How many bytes the numbers may have of which further traces of the same sentences are made without a pass."""


class Session:
    """Models by name, and their traces. Without models, as when a file is opened, nothing new can be traced."""

    def __init__(self, models: Mapping[str, Translator], clock: Callable[[], float] = time.perf_counter) -> None:
        self.models = dict(models)
        self._clock = clock
        self.measured: dict[str, Any] | None = None
        self._traces: OrderedDict[_Key, dict[str, Any]] = OrderedDict()
        self._sentences: OrderedDict[_Key, _Sentence] = OrderedDict()  # by options that ask for nothing in particular
        self._searched: dict[str, Transducer[Any, Any]] = {}
        self._cache = threading.Lock()  # held for moments
        self._computing = threading.Lock()  # held for as long as a trace or a measurement takes

    def prepare(self) -> None:
        """Does what sentences would wait for: copies to search with, and the model that tells languages apart.

        A model of which there is no room for a copy searches itself: it finds the same, more slowly.
        """
        for name, model in self.models.items():
            with self._computing:  # a copy made during a trace would record with it
                try:
                    self._searched[name] = frozen_copy(model.traceable.model, None)
                except (MemoryError, RuntimeError) as error:
                    if not ran_out_of_memory(error):
                        raise
        if any(model.task == "translation" for model in self.models.values()):
            with suppress(OSError, MemoryError):  # the remark is left out where there is no room to unpack it
                identifier()

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

        The sentence is searched and passed through the model once; another detail is taken from what that left.
        `seconds` is how long the search and the passes took, `remarks` what a person should know of the translation.
        """
        model = self.model(name)
        with self._computing:
            found = self.made(name, text, options)
            if found is not None:
                return found
            sentence = self._sentence(name, text, options)
            if sentence is None:
                began = self._clock()
                searched = self._searched.get(name)
                followed = SentenceTrace(model.traceable, text, options, name, cancellation, searched)
                sentence = _Sentence(followed, self._clock() - began)
            found = sentence.document(options, cancellation)
            if sentence.remarks is None:
                sentence.remarks = found["remarks"] = remarks(model, text, found)
            self._keep((name, text, options), found, sentence)
            return found

    def made(self, name: str, text: str, options: TraceOptions) -> dict[str, Any] | None:
        """The same trace if no pass is needed for it, and None otherwise; never waits for one that is being made."""
        key = (name, text, options)
        with self._cache:
            if key in self._traces:
                self._traces.move_to_end(key)
                return self._traces[key]
        sentence = self._sentence(name, text, options)
        if sentence is None or sentence.remarks is None or not sentence.trace.holds(options.detail):
            return None
        found = sentence.document(options)
        self._keep(key, found, sentence)
        return found

    def _sentence(self, name: str, text: str, options: TraceOptions) -> "_Sentence | None":
        with self._cache:
            return self._sentences.get((name, text, _any_detail(options)))

    def _keep(self, key: "_Key", made: dict[str, Any], sentence: "_Sentence") -> None:
        name, text, options = key
        with self._cache:
            self._traces[key] = made
            held = sum(map(_characters, self._traces.values()))
            while len(self._traces) > KEPT or (held > KEPT_CHARACTERS and len(self._traces) > 1):
                held -= _characters(self._traces.popitem(last=False)[1])
            of_sentence = name, text, _any_detail(options)
            self._sentences[of_sentence] = sentence
            self._sentences.move_to_end(of_sentence)
            held = sum(one.trace.tensors.size for one in self._sentences.values())
            while len(self._sentences) > KEPT or (held > KEPT_BYTES and len(self._sentences) > 1):
                held -= self._sentences.popitem(last=False)[1].trace.tensors.size

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


_Key = tuple[str, str, TraceOptions]


@dataclass
class _Sentence:
    """A sentence that was passed through a model: how long that took, and what there is to say of it."""

    trace: SentenceTrace
    seconds: float
    remarks: list[str] | None = None

    def document(self, options: TraceOptions, cancellation: Cancellation | None = None) -> dict[str, Any]:
        """What these options ask for."""
        made = self.trace.document(options.detail, cancellation)
        return made | {"seconds": self.seconds, "remarks": self.remarks}


def _any_detail(options: TraceOptions) -> TraceOptions:
    return replace(options, detail=())


def _characters(made: Mapping[str, Any]) -> int:
    return sum(len(tensor["data"]) for tensor in made["tensors"].values())
