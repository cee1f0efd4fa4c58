"""Files: uploaded in a form, translated, and kept for a while to be fetched.

A form is parsed as it arrives, no further than a limit. Of the name that a client gives to its file, only the ending is
looked at; results are kept in memory, under names that nobody can guess.
"""

import asyncio
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from saccade.documents.formats import FORMATS, find_format
from saccade.errors import InputError
from saccade.server.admission import Departure
from saccade.server.served_models import ServedModel
from saccade.serving.document_translation import translate_document
from saccade.web.bodies import LARGEST_BODY, ended, pieces

FIELDS = 20
"""The most that a form may have."""
UPLOAD_SECONDS = 60.0
KEPT_SECONDS = 1800.0
KEPT_BYTES = 200_000_000
LINES = ".txt"
ENDINGS = (LINES, *FORMATS)
"""How the names of files end that can be translated."""


@asynccontextmanager
async def read_form(request: Request, most: int) -> AsyncIterator[FormData]:
    """The fields of a form in parts, with at most one file among them, of at most so many bytes in all."""
    stream = pieces(request, most)
    parser = MultiPartParser(request.headers, stream, max_files=1, max_fields=FIELDS, max_part_size=LARGEST_BODY)
    try:
        async with asyncio.timeout(UPLOAD_SECONDS):
            form = await parser.parse()
    except (MultiPartException, KeyError, UnicodeError, LookupError):  # no boundary, an encoding that nobody knows
        raise ended(400, "Invalid request: a form must be multipart/form-data, with at most one file") from None
    except TimeoutError:
        raise ended(408, f"a request must arrive within {UPLOAD_SECONDS:g} seconds") from None
    except ClientDisconnect:
        raise ended(400, "a request must arrive whole") from None
    try:
        yield form
    finally:
        await form.close()


def ending_of(name: str) -> str:
    """How the name of a file ends, if such files can be translated."""
    ending = PurePosixPath(name).suffix.lower()
    if ending not in ENDINGS:
        raise HTTPException(400, "Invalid request: file format not supported")
    return ending


def translated_file(model: ServedModel, content: bytes, ending: str, departure: Departure) -> bytes:
    """A file as `saccade translate` writes it: a document in its own format, text line by line."""
    translator = model.for_client(departure)
    options = translator.options(**model.settings)
    file_format = find_format(PurePosixPath(f"file{ending}"))
    if file_format is not None:
        return translate_document(translator.texts, content, file_format, options, name="file").content
    try:
        lines = content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise InputError("`file` must be UTF-8, but is not. Convert it first.") from None
    last = [] if lines[-1] else [lines.pop()]
    return "\n".join([*(one.text for one in translator.stream(lines, options)), *last]).encode("utf-8", "replace")


@dataclass(frozen=True)
class _Kept:
    content: bytes
    until: float


class TranslatedFiles:
    """Files that wait to be fetched, for half an hour or until newer ones need their place."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._files: OrderedDict[str, _Kept] = OrderedDict()

    def keep(self, content: bytes, ending: str) -> str:
        """The name under which it can be had."""
        name = secrets.token_urlsafe(24) + ending
        with self._lock:
            self._files[name] = _Kept(content, self._clock() + KEPT_SECONDS)
            held = sum(len(one.content) for one in self._files.values())
            while len(self._files) > 1 and (held > KEPT_BYTES or self._oldest.until < self._clock()):
                held -= len(self._files.popitem(last=False)[1].content)
        return name

    @property
    def _oldest(self) -> _Kept:
        return next(iter(self._files.values()))

    def get(self, name: str) -> bytes | None:
        """The content, if it is still kept."""
        with self._lock:
            found = self._files.get(name)
        return None if found is None or found.until < self._clock() else found.content
