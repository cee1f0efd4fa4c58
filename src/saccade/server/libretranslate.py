"""The routes of LibreTranslate, so that its clients (Weblate, Mastodon and others) work unchanged.

    POST /translate           q (a text or a list), source (or auto), target, format (text, html), alternatives, api_key
    POST /translate_file      file, source, target, api_key; the answer is the address of the result
    POST /detect              q, api_key
    GET  /languages           what can be translated into what
    GET  /frontend/settings   what its page would want to know

Requests are JSON, forms or query strings. Errors are `{"error": ...}`, with its status codes and in its words where
clients may look at them: https://docs.libretranslate.com.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl

from pydantic_core import from_json
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from saccade.data.language_identification import is_known
from saccade.data.language_names import language_name
from saccade.server.admission import Admission, Departure
from saccade.server.api_keys import Access
from saccade.server.languages import detected
from saccade.server.served_models import ServedModel, ServedModels
from saccade.server.texts import alternatives, translated
from saccade.server.uploads import ENDINGS, FIELDS, TranslatedFiles, ending_of, read_form, translated_file
from saccade.web.bodies import LARGEST_BODY, media_type, read_bytes

FORM = "application/x-www-form-urlencoded"


class LibreTranslate:
    """The handlers."""

    def __init__(self, models: ServedModels, admission: Admission, access: Access, explorer: str | None = None) -> None:
        self.explorer = explorer
        self.models = models
        self.admission = admission
        self.access = access
        self.settings = admission.settings
        self.files = TranslatedFiles()

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route("/translate", self.translate, methods=["POST"]),
            Route("/translate_file", self.translate_file, methods=["POST"]),
            Route("/download_file/{name}", self.download_file),
            Route("/detect", self.detect, methods=["POST"]),
            Route("/languages", self.languages),
            Route("/frontend/settings", self.frontend_settings),
        ]

    async def translate(self, request: Request) -> Response:
        """Texts from one language to another."""
        asked = await values(request)
        self.access.check(request, asked)
        texts = self._texts(asked)
        source, target = _language(asked, "source"), _language(asked, "target")
        markup, count = _is_markup(asked), self._alternatives(asked)

        def compute(departure: Departure) -> dict[str, Any]:
            sources = self._sources(texts, source, target)
            found: list[tuple[str, list[str]]] = [("", [])] * len(texts)
            for code in dict.fromkeys(one["language"] for one in sources):
                places = [place for place, one in enumerate(sources) if one["language"] == code]
                own = [texts[place] for place in places]
                with self._model(code, target) as model:
                    best = translated(model, own, departure, markup=markup)
                    more = alternatives(model, own, departure, 0 if markup else count)
                for place, text, others in zip(places, best, more, strict=True):
                    found[place] = text, [one for one in others if one != text][:count]
            answer: dict[str, Any] = {"translatedText": [text for text, _ in found]}
            if source == "auto":
                answer["detectedLanguage"] = sources
            if count:
                answer["alternatives"] = [others for _, others in found]
            several = isinstance(asked["q"], list)
            return answer if several else {name: value[0] for name, value in answer.items()}

        return JSONResponse(await self.admission.run(request, compute))

    async def translate_file(self, request: Request) -> Response:
        """A file from one language to another: the answer says where the result is."""
        if media_type(request) != "multipart/form-data":
            raise HTTPException(400, "Invalid request: missing file parameter")
        async with read_form(request, self.settings.file_bytes) as form:
            asked = {name: value for name, value in form.items() if isinstance(value, str)}
            self.access.check(request, asked)
            file = form.get("file")
            if not isinstance(file, UploadFile):
                raise HTTPException(400, "Invalid request: missing file parameter")
            source, target = _language(asked, "source"), _language(asked, "target")
            ending, content = ending_of(file.filename or ""), await file.read()

        def compute(departure: Departure) -> bytes:
            sample = content[:SAMPLE].decode("utf-8", "ignore")
            code = self._sources([sample], source, target)[0]["language"]
            with self._model(code, target) as model:
                return translated_file(model, content, ending, departure)

        result = await self.admission.run(request, compute, self.settings.file_seconds)
        name = self.files.keep(result, ending)
        return JSONResponse({"translatedFileUrl": str(request.url_for("download_file", name=name))})

    def download_file(self, request: Request) -> Response:
        """A translated file."""
        name = request.path_params["name"]
        content = self.files.get(name)
        if content is None:
            raise HTTPException(404, "Invalid filename")
        ending = name[name.rindex(".") :]
        return Response(
            content,
            media_type="application/octet-stream",
            headers={"Content-Disposition": f'attachment; filename="translated{ending}"'},
        )

    async def detect(self, request: Request) -> Response:
        """The language of a text."""
        asked = await values(request)
        self.access.check(request, asked)
        texts = self._texts(asked)
        return JSONResponse(await self.admission.run(request, lambda _: detected("\n".join(texts), self._codes())))

    def languages(self, _: Request) -> Response:
        """What can be translated into what."""
        targets = self.models.targets
        return JSONResponse(
            [{"code": code, "name": language_name(code), "targets": targets.get(code, [])} for code in self._codes()]
        )

    def frontend_settings(self, _: Request) -> Response:
        """What a page wants to know: LibreTranslate's, and our own, which also shows the way to the explorer."""
        first = next(iter(self.models.targets.items()), ("", [""]))
        return JSONResponse(
            {
                "charLimit": self.settings.characters,
                "frontendTimeout": 500,
                "apiKeys": self.access.keys is not None,
                "keyRequired": self.access.keys is not None,
                "suggestions": False,
                "filesTranslation": True,
                "supportedFilesFormat": list(ENDINGS),
                "language": {
                    "source": {"code": "auto", "name": "Auto Detect"},
                    "target": {"code": first[1][0], "name": language_name(first[1][0])},
                },
                "explorer": self.explorer,
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
        readable = [code for code, targets in self.models.targets.items() if target in targets]
        if not readable:
            raise HTTPException(400, f"{language_name(target)} ({target}) is not available as a target language")
        candidates = [code for code in readable if is_known(code)]
        if 2 * len(candidates) < len(readable):  # it would always be one of the few
            raise HTTPException(400, f"source must be named, since {readable[0]} and others cannot be told apart here")
        together = detected("\n".join(texts), candidates)[0]
        # A short text says too little about its language: it is taken to be in that of all.
        return [detected(text, candidates)[0] if len(text) > SHORT else together for text in texts]

    @contextmanager
    def _model(self, source: str, target: str) -> Iterator[ServedModel]:
        with self.models.between(source, target) as model:
            if model is None:
                raise HTTPException(
                    400,
                    f"{language_name(target)} ({target}) is not available as a target language from "
                    f"{language_name(source)} ({source})",
                )
            yield model

    def _alternatives(self, asked: Mapping[str, Any]) -> int:
        try:
            count = int(asked.get("alternatives") or 0)
        except (ValueError, TypeError, OverflowError):
            raise HTTPException(400, "Invalid request: alternatives parameter is not a number") from None
        if not 0 <= count <= self.settings.alternatives:
            raise HTTPException(400, f"Invalid request: alternatives parameter must be <= {self.settings.alternatives}")
        return count


SHORT = 40
"""Characters; with fewer, the languages of all texts of a request are guessed together, as LibreTranslate does."""
SAMPLE = 100_000
"""Bytes of a file by which its language is found."""


async def values(request: Request) -> dict[str, Any]:
    """What a request gives, in JSON, or in its query and its form; of these the query comes first."""
    kind = media_type(request)
    if kind == "multipart/form-data":
        async with read_form(request, LARGEST_BODY) as parts:
            return _by_name([(name, value) for name, value in parts.multi_items() if isinstance(value, str)], request)
    raw = await read_bytes(request)
    if kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json")):
        try:
            found = from_json(raw, allow_inf_nan=False)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise HTTPException(400, "Invalid JSON format")
        return found
    pairs: list[tuple[str, str]] = []
    if kind == FORM:
        try:
            pairs = parse_qsl(raw.decode(), keep_blank_values=True, errors="strict", max_num_fields=FIELDS)
        except ValueError:
            raise HTTPException(400, "Invalid request: a form must be UTF-8") from None
    elif raw:
        raise HTTPException(400, "Invalid request: a body must be JSON or a form")
    return _by_name(pairs, request)


def _by_name(form: list[tuple[str, str]], request: Request) -> dict[str, Any]:
    """The query and the form; of several values the first counts."""
    found = dict(reversed([*request.query_params.multi_items(), *form]))
    if "q" in found:  # a browser sends other line ends than it shows
        found["q"] = found["q"].replace("\r\n", "\n").replace("\r", "\n")
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
