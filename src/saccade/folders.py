"""Files and folders that are whole or not there: written aside, flushed to the disk, then renamed.

Whatever saccade leaves on a disk is written through here, so that a kill, a full disk or a power cut costs only what
was being written, never what was there before.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """An empty neighbour to fill, which takes the folder's name when the block ends, in place of what had it.

    When the block fails, the neighbour is removed and the folder stays as it was. A replacement needs two renames; a
    kill between them is undone by whoever writes the folder next.
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


def write_whole(path: Path, text: str) -> None:
    """A file in UTF-8 with the line ends it has, in place of what had its name."""
    partial = _partial_of(path)
    try:
        partial.write_bytes(text.encode("utf-8"))
        _flush(partial)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def previous_of(folder: Path) -> Path:
    """Where a folder that is being replaced stands between the two renames."""
    return folder.with_name(f".{folder.name}.previous")


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
