"""The models of a server, by name and by language pair.

A model may be replaced while it is in use: requests that have begun with the old one end with it.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial

from saccade.errors import InputError, did_you_mean
from saccade.server.admission import Departure
from saccade.server.metrics import Metrics
from saccade.server.request_batching import RequestBatcher
from saccade.serving.batching import default_batch_tokens
from saccade.serving.bundle import numbered, short_name
from saccade.serving.source_lines import Line, RefusedLine, TokenPair
from saccade.serving.translation import Scored, Translation
from saccade.serving.translation_options import TranslateSettings, TranslationOptions
from saccade.serving.translator import Translator


class ServedModel:
    """A translator behind a worker that searches for all requests; `settings` are how it translates."""

    def __init__(self, name: str, translator: Translator, batcher: RequestBatcher, settings: TranslateSettings) -> None:
        self.name = name
        self.settings = settings
        self.translator = translator
        self.batcher = batcher
        self.source, self.target = translator.bundle.source_language, translator.bundle.target_language
        self.users = 0
        self.replaced = False

    def warm_up(self) -> None:
        """Searches once, so that no request waits for what is made when it is first needed."""
        if self.translator.task == "translation":
            self.for_client(Departure()).translate_batch(["a"], **self.settings)

    def for_client(self, departure: Departure) -> Translator:
        """The translator as one request uses it: its lines are searched with those of other requests."""
        return self.translator.through(partial(self._search, departure))

    def score(self, pairs: Sequence[tuple[str, str]], departure: Departure) -> list[Scored]:
        """How probable the model finds each target given its source, in digits that depend on the pair alone."""
        scorer = self.translator.pairs
        read = scorer.reader.read_pairs(list(enumerate(pairs, start=1)), truncate=False)
        costs = [max(len(one.source), len(one.target)) if isinstance(one, TokenPair) else 1 for one in read]
        return self.batcher.submit(read, costs, "score", partial(scorer.score, stable=True), departure)

    def _search(
        self, departure: Departure, lines: Sequence[Line | RefusedLine], options: TranslationOptions
    ) -> Iterator[Translation]:
        def run(some: list[Line | RefusedLine]) -> list[Translation]:
            return list(self.translator.search_lines(some, options))

        costs = [line.input.cost if isinstance(line, Line) else 1 for line in lines]
        return iter(self.batcher.submit(lines, costs, ("search", options), run, departure))


class ServedModels:
    """All models of a server; `settings` are how they translate where a request does not say otherwise."""

    def __init__(
        self,
        translators: Mapping[str, Translator],
        batch_tokens: int | None = None,
        settings: TranslateSettings | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        self.metrics = metrics or Metrics()
        self._batch_tokens = batch_tokens
        self._settings: TranslateSettings = settings or {}
        self._lock = threading.Lock()
        # While one thread captures a CUDA graph, no other may use the GPU.
        on_gpu = any(translator.device.type == "cuda" for translator in translators.values())
        self.computing: AbstractContextManager[object] = threading.Lock() if on_gpu else nullcontext()
        self._models = {name: self._served(name, translator) for name, translator in translators.items()}
        for name in self._models:
            self.metrics.queue.labels(name).set_function(partial(self._waiting, name))

    def __iter__(self) -> Iterator[ServedModel]:
        return iter(list(self._models.values()))

    @property
    def targets(self) -> dict[str, list[str]]:
        """The languages that can be translated into, for each that can be translated from."""
        found: dict[str, list[str]] = {}
        for model in self:
            if model.source and model.target and model.translator.task == "translation":
                own = found.setdefault(model.source, [])
                own += [model.target] if model.target not in own else []
        return found

    @contextmanager
    def between(self, source: str, target: str) -> Iterator[ServedModel | None]:
        """The first model from one language to the other, for as long as it is used."""
        names = [model.name for model in self if (model.source, model.target) == (source, target)]
        if not names:
            yield None
            return
        with self.named(names[0]) as model:
            yield model

    @contextmanager
    def named(self, name: str) -> Iterator[ServedModel]:
        """The model of that name, for as long as it is used."""
        with self._lock:
            if name not in self._models:
                raise InputError(
                    f"`model` must be one of those here ({', '.join(self._models)}), but is {name[:80]!r}."
                    + did_you_mean(name[:80], self._models)
                )
            model = self._models[name]
            model.users += 1
        try:
            yield model
        finally:
            with self._lock:
                model.users -= 1
                self._end_if_unused(model)

    def replace(self, name: str, translator: Translator) -> None:
        """From now on, this is the model of that name."""
        new = self._served(name, translator)
        new.warm_up()
        with self._lock:
            old, self._models[name] = self._models[name], new
            old.replaced = True
            self._end_if_unused(old)

    def _served(self, name: str, translator: Translator) -> ServedModel:
        tokens = self._batch_tokens or default_batch_tokens(translator.device)
        batcher = RequestBatcher(tokens, self.metrics.watch(name), self.computing)
        return ServedModel(name, translator, batcher, self._settings)

    def _waiting(self, name: str) -> float:
        return float(self._models[name].batcher.waiting)

    @staticmethod
    def _end_if_unused(model: ServedModel) -> None:
        if model.replaced and not model.users:
            model.batcher.close()


def names_of(models: Sequence[str]) -> dict[str, str]:
    """What each model was called on the command line, by the short name it has here."""
    return dict(zip(numbered(map(short_name, models)), models, strict=True))
