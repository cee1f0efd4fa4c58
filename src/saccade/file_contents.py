"""The content of a file that saccade did not write, before anything is known of it.

It may be a pipe, which would be waited for, or a device, which never ends, or far too large. And a repository that was
cloned without Git LFS has a few lines of text where its large files should be.
"""

from pathlib import Path

from saccade.errors import FormatError
from saccade.folders import kind_of

_POINTER = b"version https://git-lfs"


def check_file(path: Path, advice: str = "") -> None:
    """Refuses what is no file, and what only stands for one; every refusal ends with the advice."""
    try:
        if not path.is_file():
            raise FormatError(f"`{path}` must be a file, but is {_instead(path)}. {advice}".rstrip())
        with path.open("rb") as file:
            pointer = file.read(len(_POINTER)) == _POINTER
    except OSError as problem:
        raise unreadable(path, problem, advice) from problem
    if pointer:
        raise FormatError(
            f"`{path}` must be the file itself, but is what Git LFS puts in its place. Run `git lfs pull` there."
        )


def read_file(path: Path, most: int, advice: str = "") -> bytes:
    """All bytes of a file that has at most so many."""
    check_file(path, advice)
    try:
        if (size := path.stat().st_size) > most:
            raise FormatError(f"`{path}` must have at most {most:,} bytes, but has {size:,}. {advice}".rstrip())
        return path.read_bytes()
    except OSError as problem:
        raise unreadable(path, problem, advice) from problem


def unreadable(path: Path, problem: OSError, advice: str = "") -> FormatError:
    """What to raise where the system does not let a file be read."""
    reason = problem.strerror or "it is damaged"
    return FormatError(f"`{path}` must be readable, but is not: {reason}. {advice}".rstrip())


def _instead(path: Path) -> str:
    """What a path is that is no file, in words; the caches of Hugging Face are links, which break when copied."""
    try:
        path.stat()
    except OSError:
        return "a link that leads nowhere" if path.is_symlink() else "not there"
    return kind_of(path.resolve())
