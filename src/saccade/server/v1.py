"""Our own API: everything that a translator can tell.

    GET  /v1/models      what is served
    POST /v1/translate   texts, with scores, n-best lists, alignments, a glossary, a prefix: `TranslateRequest`
    POST /v1/score       how probable a model finds given translations: `ScoreRequest`

A key, where one is needed, is a bearer token.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from saccade.server import v1_schema as schema
from saccade.server.admission import Admission, Departure
from saccade.server.api_keys import Access
from saccade.server.served_models import ServedModel, ServedModels
from saccade.serving.translation import Translation
from saccade.serving.translation_options import TranslateSettings
from saccade.web.bodies import read_json

_WITH_SCORES = ("score", "log_probability", "token_log_probabilities", "finished", "engine")


class Version1:
    """The handlers."""

    def __init__(self, models: ServedModels, admission: Admission, access: Access) -> None:
        self.models = models
        self.admission = admission
        self.access = access
        self.settings = admission.settings

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route("/v1/models", self.list_models),
            Route("/v1/translate", self.translate, methods=["POST"]),
            Route("/v1/score", self.score, methods=["POST"]),
        ]

    def list_models(self, _: Request) -> Response:
        """What is served."""
        entries = [
            schema.ModelEntry(
                name=model.name,
                task=model.translator.task,
                source=model.source,
                target=model.target,
                sources=list(model.languages[0]),
                targets=list(model.languages[1]),
                architecture=model.translator.bundle.architecture,
                engine=model.translator.engines[0].description,
            )
            for model in self.models
        ]
        return JSONResponse(schema.ModelsAnswer(models=entries).model_dump(mode="json"))

    async def translate(self, request: Request) -> Response:
        """Texts, with what was asked for about them."""
        self.access.check(request, {})
        asked = await read_json(request, schema.TranslateRequest)
        terms = [text for pair in asked.glossary.items() for text in pair]
        self._check_size(len(asked.texts), sum(map(len, [*asked.texts, *terms, asked.prefix])))

        def compute(departure: Departure) -> schema.TranslateAnswer:
            with self._model(asked) as model:
                settings: TranslateSettings = {
                    **model.settings,
                    "alpha": asked.alpha,
                    "glossary": asked.glossary or None,
                    "split_sentences": asked.split_sentences,
                    "truncate": asked.truncate,
                    "on_error": "copy",
                }
                if asked.beam is not None:
                    settings["beam"] = asked.beam
                translator = model.for_client(departure)
                options = translator.options(
                    nbest=asked.nbest, alignment=asked.alignment, scores=asked.scores, **settings
                )
                found = translator.stream(asked.texts, options, asked.prefix)
                translations = [schema.Translation(**_told(one, asked.scores)) for one in found]
                return schema.TranslateAnswer(model=model.name, translations=translations)

        return JSONResponse(schema.without_none(await self.admission.run(request, compute)))

    async def score(self, request: Request) -> Response:
        """How probable a model finds given translations."""
        self.access.check(request, {})
        asked = await read_json(request, schema.ScoreRequest)
        pairs = [(pair.source, pair.target) for pair in asked.pairs]
        self._check_size(len(pairs), sum(len(source) + len(target) for source, target in pairs))

        def compute(departure: Departure) -> schema.ScoreAnswer:
            with self._model(asked) as model:
                scores = [schema.Score(**one.to_json()) for one in model.score(pairs, departure)]
                return schema.ScoreAnswer(model=model.name, scores=scores)

        return JSONResponse(schema.without_none(await self.admission.run(request, compute)))

    def _check_size(self, items: int, characters: int) -> None:
        limits = {"items": (items, self.settings.items), "characters": (characters, self.settings.characters)}
        for what, (size, limit) in limits.items():
            if size > limit:
                raise HTTPException(400, f"a request must have at most {limit} {what}, but has {size}")

    @contextmanager
    def _model(self, asked: schema.WhichModel) -> Iterator[ServedModel]:
        """The first model that is what the request names."""
        for model in self.models:
            if asked.model in (None, model.name) and model.knows(asked.source, asked.target):
                with self.models.named(model.name) as found:
                    yield found.between(asked.source, asked.target)
                return
        known = ", ".join(f"{model.name} ({_languages(model)})" for model in self.models)
        raise HTTPException(400, f"`model`, `source` and `target` must be those of a model here ({known}), but are not")


def _languages(model: ServedModel) -> str:
    several = sum(map(len, model.languages)) > 2
    return f"{len(set().union(*model.languages))} languages" if several else f"{model.source}-{model.target}"


def _told(found: Translation, scores: bool) -> dict[str, Any]:
    """A translation as a JSON object, without the number of its line, and without scores unless they were asked for."""
    return _kept(found.to_json(), scores)


def _kept(values: dict[str, Any], scores: bool) -> dict[str, Any]:
    kept = {name: value for name, value in values.items() if name != "line" and (scores or name not in _WITH_SCORES)}
    for name in ("sentences", "nbest"):
        if name in kept:
            kept[name] = [_kept(one, scores) for one in kept[name]]
    if "alignment" in kept:
        kept["alignment"] = [tuple(link) for link in kept["alignment"]]
    return kept
