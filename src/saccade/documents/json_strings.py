r"""JSON: the text of string values; keys, numbers and structure stay as they are.

Escapes (`\u00e9`, `\n`) are read, and written again where JSON needs them; in a file that has every letter beyond ASCII
escaped, so is every one that is written. A value may have several lines and inline markup, as any text.
"""

import json
import re
from functools import partial

from saccade.documents.document import Document, Sentence
from saccade.documents.escaped_text import with_escapes
from saccade.documents.plain_text import read_plain_text
from saccade.errors import InputError

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"(\s*:)?')
_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL
)


def read_json(text: str, language: str | None) -> Document:
    """The document that a file is."""
    try:
        json.loads(text.removeprefix("\ufeff"))
    except RecursionError as problem:
        raise InputError("must be JSON that can be read, but is nested too deeply.") from problem
    except ValueError as problem:
        raise InputError(f"must be JSON, but is not: {problem}.") from problem
    escape = partial(_escape, ascii_only=text.isascii() and "\\u" in text)
    parts: list[str | Sentence] = []
    done = 0
    for found in _STRING.finditer(text):
        if found[1] is None:  # no key
            parts.append(text[done : found.start() + 1])
            originals = _CHARACTER.findall(found[0][1:-1])
            characters = [json.loads(f'"{one}"') for one in originals]
            value = read_plain_text("".join(characters), language)
            parts += with_escapes(value, originals, escape)
            done = found.end() - 1
    parts.append(text[done:])
    return Document(tuple(part for part in parts if part != ""))


def _escape(text: str, *, ascii_only: bool) -> str:
    return json.dumps(text, ensure_ascii=ascii_only)[1:-1]
