"""What saccade writes to disk: atomic files and folders, checksums, and JSON that says whether it is intact.

Everything is written aside, flushed to disk and then renamed, so that a kill, a full disk or a power cut costs only
what was being written, never what was there before. A sealed JSON file holds a checksum of itself ("seal") and of the
files beside it ("files"); `tensor_files.py` and `serving/bundle.py` build checkpoints and model folders from that.
"""

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from saccade.errors import FormatError, RunError

_DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def atomic_folder(folder: Path) -> Iterator[Path]:
    """Yields an empty folder to fill; when the block ends, it is renamed to `folder` and replaces what was there.

    When the block fails, it is removed and `folder` stays as it was. A replacement needs two renames; a kill between
    them is undone by the next call for the same folder.
    """
    partial, previous = _partial_of(folder), previous_of(folder)
    _restore(previous, folder)
    for leftover in (partial, previous):
        shutil.rmtree(leftover, ignore_errors=True)
    try:
        partial.mkdir(parents=True)
        yield partial
        for path in (*partial.rglob("*"), partial):
            _flush(path)
        if folder.exists():
            folder.rename(previous)
        partial.rename(folder)
        _flush(folder.parent)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        _restore(previous, folder)
        raise
    shutil.rmtree(previous, ignore_errors=True)


def atomic_write(path: Path, text: str) -> None:
    """Writes a UTF-8 file, line ends unchanged, and replaces an older one of that name."""
    partial = _partial_of(path)
    try:
        partial.write_bytes(text.encode("utf-8"))
        _flush(partial)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def previous_of(folder: Path) -> Path:
    """The name a folder has between the two renames that replace it."""
    return folder.with_name(f".{folder.name}.previous")


def not_written(folder: Path, problem: OSError) -> RunError:
    """The error to raise when a folder could not be written."""
    reason = "the disk is full" if problem.errno in _DISK_FULL else problem.strerror or str(problem)
    return RunError(f"`{folder}` must be writable, but could not be written: {reason}.")


def cache_folder(name: str) -> Path:
    """A folder of the user's cache: SACCADE_CACHE, or ~/.cache/saccade."""
    return Path(os.environ.get("SACCADE_CACHE") or Path.home() / ".cache" / "saccade").expanduser() / name


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_json(path: Path, newest: int | None = None, advice: str = "") -> dict[str, Any]:
    """Reads a JSON object that saccade wrote; `newest` is the largest "format" that this version understands.

    Every refusal ends with `advice`: what the user can do about a file that is missing or damaged.
    """
    try:
        content = json.loads(path.read_bytes())
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise FormatError(f"`{path}` must be readable, but is not: {reason}. {advice}".rstrip()) from problem
    except ValueError as problem:
        raise damaged(path, advice) from problem
    if not isinstance(content, dict):
        raise damaged(path, advice)
    if newest is not None:
        found = content.get("format")
        if not isinstance(found, int):
            raise damaged(path, advice)
        if found > newest:
            raise FormatError(
                f"`{path}` must have a format up to {newest}, but has {found}: it is newer than this saccade. "
                "Upgrade saccade."
            )
    return content


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
    if content != sealed(content, unsealed):
        raise damaged(path, advice)
    return content


def check_files(folder: Path, expected: Mapping[str, str], advice: str = "") -> None:
    """Compares files with their SHA-256; every file that is missing or altered is named in one error."""
    problems = []
    for name, checksum in expected.items():
        path = folder / name
        if not path.is_file():
            problems.append(f"{name} is missing")
        elif sha256_of(path) != checksum:
            problems.append(f"{name} is damaged or altered (its checksum differs)")
    if problems:
        listed = "; ".join(problems)
        raise FormatError(f"`{folder}` must hold the files it was saved with, but {listed}. {advice}".rstrip())


def _partial_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.partial")


def _restore(previous: Path, folder: Path) -> None:
    if previous.exists() and not folder.exists():
        previous.rename(folder)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
