"""The routes of LibreTranslate, so that its clients (Weblate, Mastodon and others) work unchanged.

    POST /translate           q (a text or a list), source (or auto), target, format (text, html), alternatives, api_key
    POST /detect              q
    GET  /languages           what can be translated into what
    GET  /frontend/settings   what its page would want to know

Requests are JSON, forms or query strings. Errors are `{"error": ...}`, with its status codes and in its words where
clients may look at them: https://docs.libretranslate.com.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from pydantic_core import from_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from saccade.documents.formats import FORMATS
from saccade.server.admission import Admission, Departure
from saccade.server.languages import detected, language_name
from saccade.server.served_models import ServedModel, ServedModels
from saccade.server.settings import ServerSettings
from saccade.server.texts import translated
from saccade.web.bodies import media_type, read_bytes

FORM = "application/x-www-form-urlencoded"
FIELDS = 20
"""The most that a form may have."""


class LibreTranslate:
    """The handlers."""

    def __init__(self, models: ServedModels, admission: Admission, settings: ServerSettings) -> None:
        self.models = models
        self.admission = admission
        self.settings = settings

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route("/translate", self.translate, methods=["POST"]),
            Route("/detect", self.detect, methods=["POST"]),
            Route("/languages", self.languages),
            Route("/frontend/settings", self.frontend_settings),
        ]

    async def translate(self, request: Request) -> Response:
        """Texts from one language to another."""
        asked = await values(request)
        texts = self._texts(asked)
        source, target = _language(asked, "source"), _language(asked, "target")
        markup = _is_markup(asked)

        def compute(departure: Departure) -> dict[str, Any]:
            sources = self._sources(texts, source, target)
            results = [""] * len(texts)
            for code in dict.fromkeys(one["language"] for one in sources):
                places = [place for place, one in enumerate(sources) if one["language"] == code]
                own = translated(
                    self._model(code, target), [texts[place] for place in places], departure, markup=markup
                )
                for place, text in zip(places, own, strict=True):
                    results[place] = text
            several = isinstance(asked["q"], list)
            answer: dict[str, Any] = {"translatedText": results if several else results[0]}
            if source == "auto":
                answer["detectedLanguage"] = sources if several else sources[0]
            return answer

        return JSONResponse(await self.admission.run(request, compute))

    async def detect(self, request: Request) -> Response:
        """The language of a text."""
        texts = self._texts(await values(request))
        return JSONResponse(await self.admission.run(request, lambda _: detected("\n".join(texts), self._codes())))

    def languages(self, _: Request) -> Response:
        """What can be translated into what."""
        targets = self.models.targets
        return JSONResponse(
            [{"code": code, "name": language_name(code), "targets": targets.get(code, [])} for code in self._codes()]
        )

    def frontend_settings(self, _: Request) -> Response:
        """What LibreTranslate's page would want to know."""
        first = next(iter(self.models.targets.items()), ("", [""]))
        return JSONResponse(
            {
                "charLimit": self.settings.characters,
                "frontendTimeout": 500,
                "apiKeys": False,
                "keyRequired": False,
                "suggestions": False,
                "filesTranslation": True,
                "supportedFilesFormat": [".txt", *FORMATS],
                "language": {
                    "source": {"code": "auto", "name": "Auto Detect"},
                    "target": {"code": first[1][0], "name": language_name(first[1][0])},
                },
            }
        )

    def _codes(self) -> list[str]:
        targets = self.models.targets
        return list(dict.fromkeys([*targets, *(code for own in targets.values() for code in own)]))

    def _texts(self, asked: Mapping[str, Any]) -> list[str]:
        q = _given(asked, "q")
        texts = q if isinstance(q, list) else [q]
        if not all(isinstance(text, str) for text in texts):
            raise HTTPException(400, "Invalid request: q parameter must be a text or a list of texts")
        for size, limit in ((len(texts), self.settings.items), (sum(map(len, texts)), self.settings.characters)):
            if size > limit:
                raise HTTPException(400, f"Invalid request: request ({size}) exceeds text limit ({limit})")
        return texts

    def _sources(self, texts: Sequence[str], source: str, target: str) -> list[dict[str, Any]]:
        """The language of each text: the one that is named, or the most probable that can be translated."""
        known = self._codes()
        for code in (source, target):
            if code not in known and (code, source) != ("auto", "auto"):
                raise HTTPException(400, f"{code} is not supported")
        if source != "auto":
            return [{"confidence": 100.0, "language": source}] * len(texts)
        candidates = [code for code, targets in self.models.targets.items() if target in targets]
        if not candidates:
            raise HTTPException(400, f"{language_name(target)} ({target}) is not available as a target language")
        together = detected("\n".join(texts), candidates)[0]
        # A short text says too little about its language: it is taken to be in that of all.
        return [detected(text, candidates)[0] if len(text) > SHORT else together for text in texts]

    def _model(self, source: str, target: str) -> ServedModel:
        model = self.models.find(source, target)
        if model is None:
            raise HTTPException(
                400,
                f"{language_name(target)} ({target}) is not available as a target language from "
                f"{language_name(source)} ({source})",
            )
        return model


SHORT = 40
"""Characters; with fewer, the languages of all texts of a request are guessed together, as LibreTranslate does."""


async def values(request: Request) -> dict[str, Any]:
    """What a request gives, in JSON, or in its query and its form; of these the query comes first."""
    kind = media_type(request)
    raw = await read_bytes(request)
    if kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json")):
        try:
            found = from_json(raw, allow_inf_nan=False)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise HTTPException(400, "Invalid JSON format")
        return found
    form: dict[str, Any] = {}
    if kind == FORM:
        try:
            pairs = parse_qsl(raw.decode(), keep_blank_values=True, errors="strict", max_num_fields=FIELDS)
        except ValueError:
            raise HTTPException(400, "Invalid request: a form must be UTF-8") from None
        form = dict(reversed(pairs))  # of several values the first counts
    elif raw:
        raise HTTPException(415, "Invalid request: a body must be JSON or a form")
    found = form | dict(reversed(request.query_params.multi_items()))
    if isinstance(found.get("q"), str):  # a browser sends other line ends than it shows
        found["q"] = "\n".join(found["q"].splitlines())
    return found


def _given(asked: Mapping[str, Any], name: str) -> Any:
    if not asked.get(name):
        raise HTTPException(400, f"Invalid request: missing {name} parameter")
    return asked[name]


def _language(asked: Mapping[str, Any], name: str) -> str:
    given = _given(asked, name)
    if not isinstance(given, str):
        raise HTTPException(400, f"Invalid request: {name} parameter must be a text")
    return given[:100]


def _is_markup(asked: Mapping[str, Any]) -> bool:
    given = asked.get("format") or "text"
    if given not in ("text", "html"):
        raise HTTPException(400, f"{str(given)[:100]} format is not supported")
    return bool(given == "html")
