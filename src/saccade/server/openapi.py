"""Both APIs as an OpenAPI document, made from the declarations that validate requests and answers."""

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, Field
from pydantic.json_schema import models_json_schema

from saccade import __version__
from saccade.server import v1_schema as schema

_REFERENCE = "#/components/schemas/{model}"


class LibreTranslateRequest(BaseModel):
    """What LibreTranslate takes: as JSON, as a form or in the query."""

    q: str | list[str] = Field(description="A text or several.")
    source: str = Field(description="The language of the texts, or auto.")
    target: str
    format: Literal["text", "html"] = "text"
    alternatives: int = Field(0, ge=0)
    api_key: str = ""


class DetectRequest(BaseModel):
    """A text whose language shall be told."""

    q: str | list[str]
    api_key: str = ""


class DetectedLanguage(schema.Strict):
    """A language, and how sure it is, in percent."""

    confidence: float = Field(ge=0, le=100)
    language: str


class LibreTranslateAnswer(schema.Strict):
    """A translation, or a list of them for a list of texts."""

    translatedText: str | list[str]  # noqa: N815 its name
    detectedLanguage: DetectedLanguage | list[DetectedLanguage] | None = None  # noqa: N815
    alternatives: list[str] | list[list[str]] | None = None


class Language(schema.Strict):
    """A language, and what it can be translated into."""

    code: str
    name: str
    targets: list[str]


class FileAnswer(schema.Strict):
    """Where a translated file can be fetched, for half an hour."""

    translatedFileUrl: str  # noqa: N815


class Status(schema.Strict):
    """That all is well."""

    status: Literal["ok"]


@dataclass(frozen=True)
class Operation:
    """A route: its body, its answer, and whether the answer is a list of such."""

    method: str
    path: str
    summary: str
    answer: type[BaseModel]
    body: type[BaseModel] | None = None
    several: bool = False
    media: tuple[str, ...] = ("application/json",)


_FORMS = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data")
OPERATIONS = (
    Operation("post", "/translate", "Translate texts", LibreTranslateAnswer, LibreTranslateRequest, media=_FORMS),
    Operation("post", "/detect", "Tell the language of a text", DetectedLanguage, DetectRequest, True, _FORMS),
    Operation("get", "/languages", "What can be translated into what", Language, several=True),
    Operation("get", "/health", "Whether the server runs", Status),
    Operation("get", "/ready", "Whether its models answer", Status),
    Operation("get", "/v1/models", "What is served", schema.ModelsAnswer),
    Operation(
        "post", "/v1/translate", "Translate texts, and tell about it", schema.TranslateAnswer, schema.TranslateRequest
    ),
    Operation("post", "/v1/score", "How probable given translations are", schema.ScoreAnswer, schema.ScoreRequest),
)
_FILE = {
    "summary": "Translate a file",
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file", "source", "target"],
                    "properties": {
                        "file": {"type": "string", "contentMediaType": "application/octet-stream"},
                        **{name: {"type": "string"} for name in ("source", "target", "api_key")},
                    },
                }
            }
        },
    },
}


def openapi_document() -> dict[str, Any]:
    """The document."""
    models = {one for operation in OPERATIONS for one in (operation.body, operation.answer) if one is not None}
    models |= {schema.Error, FileAnswer}
    ordered = sorted(models, key=lambda model: model.__name__)
    _, definitions = models_json_schema([(model, "validation") for model in ordered], ref_template=_REFERENCE)
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _described(operation)
    paths["/translate_file"] = {"post": {**_FILE, "responses": _responses(_reference(FileAnswer))}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "saccade", "version": __version__, "description": "Translation over HTTP."},
        "paths": paths,
        "components": {
            "schemas": definitions["$defs"],
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"key": []}],
    }


def _described(operation: Operation) -> dict[str, Any]:
    answer = _reference(operation.answer)
    described: dict[str, Any] = {
        "summary": operation.summary,
        "responses": _responses({"type": "array", "items": answer} if operation.several else answer),
    }
    if operation.body is not None:
        body = {"schema": _reference(operation.body)}
        described["requestBody"] = {"required": True, "content": {media: body for media in operation.media}}
    return described


def _responses(answer: dict[str, Any]) -> dict[str, Any]:
    found = {"description": "The answer.", "content": {"application/json": {"schema": answer}}}
    refused = {
        "description": "What is wrong, and what to do. 429 and 503 may be asked again later.",
        "content": {"application/json": {"schema": _reference(schema.Error)}},
    }
    return {"200": found, "default": refused}


def _reference(model: type[BaseModel]) -> dict[str, Any]:
    return {"$ref": _REFERENCE.format(model=model.__name__)}
