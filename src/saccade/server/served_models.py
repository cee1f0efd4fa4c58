"""The models of a server, by name and by language pair."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from saccade.server.admission import Departure
from saccade.server.request_batching import RequestBatcher
from saccade.serving.batching import default_batch_tokens
from saccade.serving.bundle import numbered, short_name
from saccade.serving.source_lines import Line, RefusedLine
from saccade.serving.translation import Translation
from saccade.serving.translation_options import TranslateSettings, TranslationOptions
from saccade.serving.translator import Translator, load


class ServedModel:
    """A translator behind a worker that searches for all requests; `settings` are how it translates."""

    def __init__(self, name: str, translator: Translator, batcher: RequestBatcher, settings: TranslateSettings) -> None:
        self.name = name
        self.settings = settings
        self.translator = translator
        self.batcher = batcher
        self.source, self.target = translator.bundle.source_language, translator.bundle.target_language

    def for_client(self, departure: Departure) -> Translator:
        """The translator as one request uses it: its lines are searched with those of other requests."""
        return self.translator.through(partial(self._search, departure))

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
    ) -> None:
        self._models = {
            name: ServedModel(
                name, one, RequestBatcher(batch_tokens or default_batch_tokens(one.device)), settings or {}
            )
            for name, one in translators.items()
        }

    def __iter__(self) -> Iterator[ServedModel]:
        return iter(self._models.values())

    @property
    def targets(self) -> dict[str, list[str]]:
        """The languages that can be translated into, for each that can be translated from."""
        found: dict[str, list[str]] = {}
        for model in self:
            if model.source and model.target and model.translator.task == "translation":
                own = found.setdefault(model.source, [])
                own += [model.target] if model.target not in own else []
        return found

    def find(self, source: str, target: str) -> ServedModel | None:
        """The first model from one language to the other."""
        return next((model for model in self if (model.source, model.target) == (source, target)), None)


def load_models(names: Sequence[str], device: str | None, engine: str) -> dict[str, Translator]:
    """The models that were named, by their short names."""
    return dict(
        zip(
            numbered(map(short_name, names)),
            [load(name, device=device, engine=engine) for name in names],
            strict=True,
        )
    )
