"""The formats of files, by how their names end. A new one is a file of its own and an entry here.

A format reads a text as a document; one that needs it reads several times, each time what the one before has written.
"""

import codecs
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol, runtime_checkable

from saccade.documents.document import Document, Translate
from saccade.documents.docx import DocxFormat
from saccade.documents.html_files import read_attributes, read_html
from saccade.documents.json_strings import read_json
from saccade.documents.markdown_files import read_markdown
from saccade.documents.po_files import read_po
from saccade.documents.subtitles import read_subtitles
from saccade.documents.xliff import read_xliff
from saccade.errors import InputError

Reader = Callable[[str, str | None], Document]
"""From a text and the language of its sentences to a document."""

_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_DECLARED = re.compile(rb"""<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)|<meta[^>]*\bcharset\s*=\s*["']?([\w.-]+)""", re.I)


@runtime_checkable
class Format(Protocol):
    """What is known of a format."""

    @property
    def name(self) -> str:
        """What such a file is."""
        ...

    def rewritten(self, content: bytes, language: str | None, translate: Translate) -> bytes:
        """The file with its sentences translated; what cannot be read is an `InputError` without the file's name."""
        ...


@dataclass(frozen=True)
class TextFormat:
    """A format of text: how it is read; markup may name its encoding, and write characters as numbers."""

    name: str
    readers: tuple[Reader, ...]
    is_markup: bool = False

    def rewritten(self, content: bytes, language: str | None, translate: Translate) -> bytes:
        """The file with its sentences translated."""
        text, encoding = self.decode(content)
        return self.encode(self.rewritten_text(text, language, translate), encoding)

    def rewritten_text(self, text: str, language: str | None, translate: Translate) -> str:
        """The text of a file with its sentences translated."""
        for read in self.readers:
            text = translate(read(text, language))
        return text

    def decode(self, content: bytes) -> tuple[str, str]:
        """The text of a file, byte order mark included, and its encoding."""
        encoding = next((name for mark, name in _BYTE_ORDER_MARKS if content.startswith(mark)), None)
        declared = _DECLARED.search(content[:2048]) if self.is_markup and encoding is None else None
        if declared:
            encoding = (declared[1] or declared[2]).decode("ascii").lower()
        encoding = encoding or "utf-8"
        try:
            text = content.decode(encoding)
        except LookupError:
            raise InputError(
                f"must be in an encoding that is known, but is in {encoding!r}. Convert it first."
            ) from None
        except UnicodeDecodeError as problem:
            byte = content[problem.start] if isinstance(problem.object, bytes) else 0
            raise InputError(
                f"must be {encoding.upper()}, but has byte 0x{byte:02x} at place {problem.start:,}. Convert it first."
            ) from problem
        if (place := text.find("\0")) >= 0:
            raise InputError(
                f"must be text, but has a NUL byte at place {place:,}: it is binary or UTF-16. Convert it first."
            )
        return text, encoding

    def encode(self, text: str, encoding: str) -> bytes:
        """A text as a file; what the encoding lacks is a number in markup, and a question mark elsewhere."""
        return text.encode(encoding, "xmlcharrefreplace" if self.is_markup else "replace")


HTML = TextFormat("HTML", (read_attributes, read_html), is_markup=True)
_SUBTITLES = TextFormat("subtitles", (read_subtitles,))
_MARKDOWN = TextFormat("Markdown", (read_markdown,))
_XLIFF = TextFormat("XLIFF", (read_xliff,), is_markup=True)
_PO = TextFormat("a gettext catalogue", (read_po,))

FORMATS: Mapping[str, Format] = {
    ".html": HTML,
    ".htm": HTML,
    ".md": _MARKDOWN,
    ".markdown": _MARKDOWN,
    ".srt": _SUBTITLES,
    ".vtt": _SUBTITLES,
    ".po": _PO,
    ".pot": _PO,
    ".xlf": _XLIFF,
    ".xliff": _XLIFF,
    ".docx": DocxFormat(),
    ".json": TextFormat("JSON", (read_json,)),
}
"""Files that are translated as a whole; any other is lines of text."""


def find_format(path: PurePath) -> Format | None:
    """The format of a file, by its name; None for lines of text."""
    return FORMATS.get(path.suffix.lower())
