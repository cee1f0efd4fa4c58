"""The JSON files of saccade: read strictly, refused in one line, and sealed where a change must be noticed.

Whatever stands in such a file may be damaged, altered or written by somebody with bad intentions, so nothing is used
before it has been compared with a description of what it must be: a class of pydantic, or a frozen dataclass. Each
refusal names the file, the place in it and what stands there:

    `run/result.json` is damaged or altered: `steps` must be a whole number, but is 'many'. Remove it and ...

A sealed file holds a checksum of its own content under "seal".
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from saccade.errors import FormatError, did_you_mean

Content = TypeVar("Content")
_SHOWN = 40
"""How many characters of a wrong value an error shows."""
_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "string": "a text",
    "bool": "true or false",
    "dict": "an object",
    "list": "a list",
    "tuple": "a list",
    "model": "an object",
    "dataclass": "an object",
    "none": "null",
}
"""In the words of recipes: what pydantic calls a kind of value."""


class StrictContent(BaseModel):
    """What a JSON file of ours holds: every key known, every value of its own type, no value converted."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def parse_json(text: str | bytes) -> Any:
    """Any JSON value; a ValueError for everything that cannot be read as one, however deep it is nested."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_json(path: Path, newest: int | None = None, advice: str = "") -> dict[str, Any]:
    """Reads a JSON object that saccade wrote; `newest` is the largest "format" that this version understands.

    Every refusal ends with `advice`: what the user can do about a file that is missing or damaged.
    """
    try:
        if path.exists() and not path.is_file():
            raise FormatError(f"`{path}` must be a file, but is something else. {advice}".rstrip())
        content = parse_json(path.read_bytes())
    except FormatError:
        raise
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise FormatError(f"`{path}` must be readable, but is not: {reason}. {advice}".rstrip()) from problem
    except ValueError as problem:
        raise damaged(path, advice) from problem
    if not isinstance(content, dict):
        raise damaged(path, advice)
    if newest is not None:
        found = content.get("format")
        if not isinstance(found, int) or isinstance(found, bool) or found < 1:
            raise damaged(path, advice)
        if found > newest:
            raise FormatError(
                f"`{path}` must have a format up to {newest}, but has {found}: it is newer than this saccade. "
                "Upgrade saccade."
            )
    return content


def checked(kind: type[Content], content: object, where: Path | str, advice: str = "") -> Content:
    """The content as an object of that class, or what is wrong with it, in one line."""
    try:
        return from_json(kind, content)
    except ValueError as problem:
        raise FormatError(f"`{where}` is damaged or altered: {_sentence(str(problem))} {advice}".rstrip()) from None


def from_json(kind: type[Content], content: object) -> Content:
    """The content as an object of that class; a ValueError says what is wrong, without its full stop."""
    if is_dataclass(kind) and isinstance(content, Mapping):
        # Pydantic would pass over what a dataclass does not know.
        known = [field.name for field in fields(kind)]
        for key in content:
            if key not in known:
                raise ValueError(f"`{key}` is no key of it{_nearest(str(key), known)}")
    try:
        written = json.dumps(content)
        return TypeAdapter(kind).validate_json(written, strict=True)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValidationError as error:
        raise ValueError(in_words(error, kind)) from None


def in_words(error: ValidationError, kind: type[Any] | None = None) -> str:
    """The first thing that is wrong, in the words of recipes, without its full stop."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    problem, message = first["type"], first["msg"]
    name, _, rest = problem.partition("_")
    if problem == "missing":
        return f"`{place}` is missing"
    if problem in ("extra_forbidden", "unexpected_keyword_argument"):
        known = kind.model_fields if isinstance(kind, type) and issubclass(kind, BaseModel) else ()
        return f"`{place}` is no key of it{_nearest(place, known)}"
    if problem == "json_invalid":  # it was JSON before: only half a character is refused here
        return "it holds text that is no Unicode"
    if problem == "value_error":
        return str(first["ctx"]["error"]).rstrip(".")
    wanted = message.removeprefix("Input should be ")
    if rest in ("type", "parsing") and name in _KINDS:
        wanted = _KINDS[name]
    return f"{f'`{place}`' if place else 'it'} must be {wanted}, but is {shown(first['input'])}"


def shown(value: object) -> str:
    """A wrong value, in few characters."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def damaged(path: Path, advice: str = "") -> FormatError:
    """The error to raise for a file that does not hold what saccade wrote."""
    return FormatError(f"`{path}` must be JSON that saccade wrote, but is damaged or altered. {advice}".rstrip())


def sealed(content: Mapping[str, Any], unsealed: tuple[str, ...] = ()) -> dict[str, Any]:
    """The content with its checksum under "seal"; the keys in `unsealed` may be edited without breaking it."""
    kept = {key: value for key, value in content.items() if key not in ("seal", *unsealed)}
    digest = hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()
    return {**content, "seal": digest}


def read_sealed_json(path: Path, newest: int, unsealed: tuple[str, ...] = (), advice: str = "") -> dict[str, Any]:
    """Reads what `sealed` made, refusing it when it was changed since."""
    content = read_json(path, newest, advice)
    try:
        intact = content.get("seal") == sealed(content, unsealed)["seal"]
    except RecursionError:
        intact = False
    if not intact:
        raise damaged(path, advice)
    return content


def _nearest(name: str, known: Iterable[str]) -> str:
    hint = did_you_mean(name, known)
    return f".{hint}" if hint else ""


def _sentence(problem: str) -> str:
    return problem if problem.endswith("?") else f"{problem}."
