"""The models of a server, by name and by language pair. One of several languages serves every pair of them.

A model may be replaced while it is in use: requests that have begun with the old one end with it.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy
from functools import lru_cache, partial

from saccade.errors import InputError, did_you_mean
from saccade.server.admission import Departure
from saccade.server.metrics import Metrics
from saccade.server.request_batching import RequestBatcher
from saccade.serving.batching import default_batch_tokens
from saccade.serving.model_names import numbered, short_name
from saccade.serving.source_lines import Line, RefusedLine, TokenPair
from saccade.serving.translation import Scored, Translation
from saccade.serving.translation_options import TranslateSettings, TranslationOptions
from saccade.serving.translator import Translator

PAIRS = 32
"""Of a model of several languages, pairs that are kept ready."""


class ServedModel:
    """A translator behind a worker that searches for all requests; `settings` are how it translates."""

    def __init__(self, name: str, translator: Translator, batcher: RequestBatcher, settings: TranslateSettings) -> None:
        self.name = name
        self.settings = settings
        self.translator = translator
        self.batcher = batcher
        self.source, self.target = translator.bundle.source_language, translator.bundle.target_language
        self.languages = translator.bundle.languages
        self.users = 0
        self.replaced = False
        self._ready = lru_cache(PAIRS)(translator.between)

    def knows(self, source: str | None, target: str | None) -> bool:
        """Whether it translates between these; one that is not named is its own."""
        asked = source or self.source, target or self.target
        if asked == (self.source, self.target):
            return True
        known = zip(asked, (self.source, self.target), self.languages, strict=True)
        return asked[0] != asked[1] and all(one == own or one in told for one, own, told in known)

    def between(self, source: str | None, target: str | None) -> "ServedModel":
        """The same model and the same worker for these of its languages."""
        asked = source or self.source, target or self.target
        if asked == (self.source, self.target):
            return self
        other = copy(self)
        other.source, other.target = asked
        other.translator = self._ready(*asked)
        return other

    def warm_up(self) -> None:
        """Searches once, so that no request waits for what is made when it is first needed."""
        if self.translator.task == "translation":
            some = self.between(*self._some_pair())
            some.for_client(Departure()).translate_batch(["a"], **self.settings)

    def _some_pair(self) -> tuple[str | None, str | None]:
        sources, targets = self.languages
        source = sources[0] if sources else None
        return source, next((target for target in targets if target != source), None)

    def for_client(self, departure: Departure) -> Translator:
        """The translator as one request uses it: its lines are searched with those of other requests."""
        return self.translator.through(partial(self._search, departure))

    def score(self, pairs: Sequence[tuple[str, str]], departure: Departure) -> list[Scored]:
        """How probable the model finds each target given its source, in digits that depend on the pair alone."""
        scorer = self.translator.pairs
        read = scorer.reader.read_pairs(list(enumerate(pairs, start=1)), truncate=False)
        costs = [max(len(one.source), len(one.target)) if isinstance(one, TokenPair) else 1 for one in read]
        kind = "score", self.source, self.target
        return self.batcher.submit(read, costs, kind, partial(scorer.score, stable=True), departure)

    def _search(
        self, departure: Departure, lines: Sequence[Line | RefusedLine], options: TranslationOptions
    ) -> Iterator[Translation]:
        def run(some: list[Line | RefusedLine]) -> list[Translation]:
            return list(self.translator.search_lines(some, options))

        costs = [line.input.cost if isinstance(line, Line) else 1 for line in lines]
        kind = "search", self.source, self.target, options
        return iter(self.batcher.submit(lines, costs, kind, run, departure))


class ServedModels:
    """All models of a server; `settings` are how they translate where a request does not say otherwise."""

    def __init__(
        self,
        translators: Mapping[str, Translator],
        batch_tokens: int | None = None,
        settings: TranslateSettings | None = None,
    ) -> None:
        self.metrics = Metrics()
        self._batch_tokens = batch_tokens
        self._settings: TranslateSettings = settings or {}
        self._lock = threading.Lock()
        # While one thread captures a CUDA graph, no other may use the GPU.
        on_gpu = any(translator.device.type == "cuda" for translator in translators.values())
        self.computing: AbstractContextManager[object] = threading.Lock() if on_gpu else nullcontext()
        self._models = {name: self._served(name, translator) for name, translator in translators.items()}
        self.targets = self._find_targets()
        """The languages that can be translated into, for each that can be translated from."""
        for name in self._models:
            self.metrics.queue.labels(name).set_function(partial(self._waiting, name))

    def __iter__(self) -> Iterator[ServedModel]:
        return iter(list(self._models.values()))

    def _find_targets(self) -> dict[str, list[str]]:
        found: dict[str, dict[str, None]] = {}
        for model in self:
            sources, targets = model.languages if model.translator.task == "translation" else ((), ())
            for source in sources if targets else ():
                own = found.setdefault(source, {})
                own |= dict.fromkeys(target for target in targets if model.knows(source, target))
        return {source: list(own) for source, own in found.items()}

    @contextmanager
    def between(self, source: str, target: str) -> Iterator[ServedModel | None]:
        """The first model from one language to the other, for as long as it is used."""
        names = [model.name for model in self if target in model.languages[1] and model.knows(source, target)]
        if not names:
            yield None
            return
        with self.named(names[0]) as model:
            yield model.between(source, target)

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
        try:
            new.warm_up()
        except BaseException:
            new.batcher.close()
            raise
        with self._lock:
            old, self._models[name] = self._models[name], new
            self.targets = self._find_targets()
            old.replaced = True
            self._end_if_unused(old)

    def close(self) -> None:
        """Ends all workers, each after the batch it is in the middle of.

        Python must not take everything apart while one is at work in another library: the process would be aborted.
        """
        for model in self:
            model.batcher.close()
        for model in self:
            model.batcher.join()

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
