"""The lines of a text file, plain or compressed (.gz, .xz), in bounded memory.

A file that is no text (no UTF-8, binary, cut off) is refused with its name and the line.
"""

import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from saccade.errors import InputError, LineError

LONGEST_LINE = 1 << 24  # bytes; a "line" beyond this is no text, and reading on would only fill the memory
BLOCK = 1 << 18  # bytes read, decoded and cut into lines at once

_COMPRESSED = (b"\x1f\x8b", b"\xfd7zXZ")


@dataclass(frozen=True)
class LineRange:
    """Some lines of an uncompressed file: the bytes from `begin` to `end`, which follow `before` whole lines."""

    begin: int
    end: int
    before: int


def read_lines(path: Path, some: LineRange | None = None) -> Iterator[str]:
    r"""The lines of a text file, or some of them, without their ends.

    Lines end at \n only: str.splitlines would also cut at U+2028, U+0085 and others, which occur inside sentences,
    and the two sides would drift apart. A \r before the \n and a byte order mark at the start are removed.
    """
    for lines in _lines_of_blocks(path, some):
        for line in lines:
            if isinstance(line, LineError):
                raise line
            yield line


def lines_or_errors(path: Path, some: LineRange | None = None) -> Iterator[str | LineError]:
    """The same for who wants to go on after a line that is no text: in its place stands what `read_lines` raises."""
    for lines in _lines_of_blocks(path, some):
        yield from lines


def without_lines(path: str | Path) -> InputError:
    """The error of a file that has none."""
    return InputError(f"`{path}` must hold at least one line, but is empty. Check the path.")


def _lines_of_blocks(path: Path, some: LineRange | None) -> Iterator[Iterator[str | LineError]]:
    number = some.before if some else 0
    try:
        with _open(path) as file:
            if some:
                file.seek(some.begin)
            for block in _blocks(file, some.end - some.begin if some else None):
                yield _lines(block, path, number)
                number += block.count(b"\n") + (not block.endswith(b"\n"))
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
        raise InputError(
            f"`{path}` must be a complete {path.suffix} file, but is damaged after line {number} "
            f"({str(error).rstrip('.')}). Copy or download it again."
        ) from error
    except OSError as error:
        raise InputError(
            f"`{path}` must be a readable file, but is not: {error.strerror or error}. Check the path."
        ) from error


def _open(path: Path) -> io.BufferedIOBase:
    if path.suffix == ".gz":
        return io.BufferedReader(gzip.GzipFile(path))
    if path.suffix == ".xz":
        return io.BufferedReader(lzma.LZMAFile(path))
    return path.open("rb")


def _blocks(file: io.BufferedIOBase, left: int | None) -> Iterator[bytes]:
    """The file in pieces that end where a line does, each as soon as it can be had: a pipe may be slow to fill.

    No more than `left` bytes are read, if it is given. Of a line longer than LONGEST_LINE the rest is passed over.
    """
    begun: list[bytes] = []
    too_long = False
    while block := file.read1(BLOCK if left is None else min(BLOCK, left)):
        left = None if left is None else left - len(block)
        if too_long:
            too_long = b"\n" not in block
            block = b"" if too_long else block[block.index(b"\n") + 1 :]
        end = block.rfind(b"\n") + 1
        begun.append(block[:end] if end else block)
        if end:
            yield b"".join(begun)
            begun = [block[end:]]
        elif sum(map(len, begun)) >= LONGEST_LINE:
            yield b"".join(begun) + b"\n"
            begun, too_long = [], True
    if any(begun):
        yield b"".join(begun)


def _lines(block: bytes, path: Path, before: int) -> Iterator[str | LineError]:
    """The lines of a block with `before` lines before it; one by one only where something is unusual about them."""
    if before and len(block) < LONGEST_LINE and not (b"\0" in block or b"\r" in block):
        with suppress(UnicodeDecodeError):
            return iter(block.decode("utf-8").removesuffix("\n").split("\n"))
    raw = io.BytesIO(block)
    return (_text(line, path, number) for number, line in enumerate(raw, start=before + 1))


def _text(raw: bytes, path: Path, number: int) -> str | LineError:
    if len(raw) >= LONGEST_LINE:
        message = f"`{path}:{number}` must be a line of text, but is longer than {LONGEST_LINE:,} bytes."
        return LineError(message, "too long")
    if b"\0" in raw and not raw.startswith(_COMPRESSED):
        message = f"`{path}:{number}` must be UTF-8 text, but has a NUL byte: the file is binary or UTF-16. Convert it."
        return LineError(message, "NUL byte", _without_end(raw.decode("utf-8", "replace")).replace("\0", "\ufffd"))
    try:
        line = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        compressed = number == 1 and raw.startswith(_COMPRESSED)
        advice = "It is compressed: name it .gz or .xz." if compressed else "Convert the file to UTF-8."
        message = (
            f"`{path}:{number}` must be UTF-8, but has byte 0x{raw[error.start]:02x} at column {error.start + 1}. "
            f"{advice}"
        )
        return LineError(message, "not UTF-8", _without_end(raw.decode("utf-8", "replace")))
    line = _without_end(line)
    return line.removeprefix("\ufeff") if number == 1 else line


def _without_end(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")
