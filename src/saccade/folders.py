"""What saccade writes to disk: atomic files and folders, and never in place of what somebody else wrote.

Everything is written aside, flushed to disk and then renamed, so that a kill, a full disk or a power cut costs only
what was being written, never what was there before. A folder is made beside its place, in

    .NAME.partial/written-by-saccade    says whose it is: a folder of that name without it is left alone
    .NAME.partial/new                   what is being written
    .NAME.partial/previous              what is being replaced, between the two renames

Only a folder that saccade wrote is replaced, and what else lies in it stays there. Symbolic links are followed.
"""

import errno
import hashlib
import os
import re
import shutil
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from glob import escape
from itertools import count
from pathlib import Path
from typing import BinaryIO

from saccade.errors import FormatError, InputError, RunError

Owned = Callable[[Path], Collection[str] | None]
"""The files of a folder that saccade wrote, as paths inside it ("train-0/header.json"); None for another's folder."""

_DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_PARTIAL = re.compile(r"\..+\.partial(-\d+)?")
_MARK, _NEW, _PREVIOUS, _DONE = "written-by-saccade", "new", "previous", "done"
_KINDS = (
    (stat.S_ISREG, "a file"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISLNK, "a link that leads in a circle"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
)


@contextmanager
def atomic_folder(folder: Path, owned: Owned) -> Iterator[Path]:
    """Yields an empty folder to fill; when the block ends, it becomes `folder`, in place of an older one of ours.

    When the block fails, it is removed, and `folder` and the folders above it are as they were. A replacement needs
    two renames; a kill between them is undone by the next call for the same folder.
    """
    target = replaceable(folder, owned)
    aside = _aside(target, owned)
    made = _missing(aside)
    try:
        aside.mkdir(parents=True)
        (aside / _MARK).touch()
        (aside / _NEW).mkdir()
        yield aside / _NEW
        for path in (*(aside / _NEW).rglob("*"), aside / _NEW):
            _flush(path)
        _put(aside, target, owned)
    except BaseException:
        _restore(aside, target)
        _remove(aside)
        _remove_empty(made)
        raise
    _remove(aside)


def replaceable(folder: Path, owned: Owned) -> Path:
    """The folder to put in place, at the end of its links; refuses one that is not ours."""
    target = usable(folder, owned)
    if target.is_dir() and target in (here := Path.cwd().resolve(), *here.parents):
        raise InputError(
            f"`{folder}` must not be the folder the command is run in, since it is put in place as a whole. "
            "Choose another, or run the command elsewhere."
        )
    return target


def usable(folder: Path, owned: Owned) -> Path:
    """The folder to write into, at the end of its links: a new or empty one, or one that saccade wrote."""
    target = Path(os.path.realpath(folder))
    if not target.name:
        raise InputError(f"`{folder}` must be a folder to write, but is the root of the disk. Choose another.")
    if not os.path.lexists(target):
        return target
    if not target.is_dir():
        raise InputError(f"`{folder}` must be a folder, but is {kind_of(target)}. Choose another name.")
    if any(target.iterdir()) and owned(target) is None:
        raise InputError(
            f"`{folder}` must be a new folder, or one of this kind that saccade wrote, but holds other files. "
            "Choose another."
        )
    return target


def kind_of(path: Path) -> str:
    """What a path is, in words; links are not followed."""
    mode = path.lstat().st_mode
    return next((words for is_kind, words in _KINDS if is_kind(mode)), "a device")


def every_file(folder: Path) -> Collection[str]:
    """An `Owned` for folders that are ours by where they lie, in the cache: all there is."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def atomic_write(path: Path, text: str) -> None:
    """Writes a UTF-8 file, line ends unchanged, and replaces an older one of that name; a link stays a link."""
    target = Path(os.path.realpath(path))
    if os.path.lexists(target) and not target.is_file():
        raise InputError(f"`{path}` must be a file, but is {kind_of(target)}. Choose another name.")
    partial, file = _new_file(target)
    try:
        with file:
            file.write(text.encode("utf-8"))
        _flush(partial)
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def interrupted_replacement(folder: Path) -> Path | None:
    """Where the folder is that a kill between the two renames of its replacement has left, if there is one."""
    left = _places(Path(os.path.realpath(folder)))
    return next((place / _PREVIOUS for place in left if _is_ours(place) and (place / _PREVIOUS).is_dir()), None)


def remove_partial(parent: Path) -> None:
    """Removes what processes killed while writing folders into this one have left, if nothing else needs it."""
    for place in parent.glob(".*.partial*"):
        if _is_ours(place):
            _remove(place)
        elif place.is_dir():
            _remove_empty([place])


def remove_folder(folder: Path, owned: Owned) -> None:
    """Removes what saccade wrote into a folder, and the folder if nothing else is in it; leaves another's alone.

    It is renamed first: a kill while its files are removed must not leave what looks like the whole.
    """
    ours = owned(folder)
    if ours is None:
        return
    if set(every_file(folder)) <= set(ours):
        leftover = next(place for place in _names(folder) if not os.path.lexists(place))
        folder.rename(leftover)
        shutil.rmtree(leftover)
        return
    for name in ours:
        (folder / name).unlink(missing_ok=True)


def partial_of(target: Path) -> Path:
    """Where a file or a folder is made before it gets its name."""
    return target.with_name(f".{target.name}.partial")


def names_in(folder: Path) -> set[str]:
    """What is in a folder, without what killed processes have left of files and folders that they were writing."""
    return {path.name for path in folder.iterdir() if not _PARTIAL.fullmatch(path.name)}


def not_written(path: Path, problem: OSError, advice: str = "Make room, or choose another.") -> RunError:
    """The error to raise when a file or a folder could not be written."""
    reason = "the disk is full" if problem.errno in _DISK_FULL else problem.strerror or str(problem)
    return RunError(f"`{path}` must be writable, but could not be written: {reason}. {advice}".rstrip())


def cache_folder(name: str) -> Path:
    """A folder of the user's cache: SACCADE_CACHE, or ~/.cache/saccade."""
    return Path(os.environ.get("SACCADE_CACHE") or Path.home() / ".cache" / "saccade").expanduser() / name


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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


def _places(target: Path) -> list[Path]:
    """The places beside a folder where it may be made: the first, and others where that is somebody else's."""
    return [next(_names(target)), *sorted(target.parent.glob(f".{escape(target.name)}.partial-*"))]


def _aside(target: Path, owned: Owned) -> Path:
    """A free place to make a folder, after undoing or finishing what a killed process began."""
    for place in _places(target):
        if _is_ours(place):
            _restore(place, target)
            _carry_over(place, target, owned)
            _remove(place)
        elif place.is_dir():
            _remove_empty([place])  # killed before it could be marked
    return next(place for place in _names(target) if not os.path.lexists(place))


def _is_ours(place: Path) -> bool:
    return (place / _MARK).is_file()


def _put(aside: Path, target: Path, owned: Owned) -> None:
    """Puts the new folder in its place, and what others have in the old one into the new one."""
    replaceable(target, owned)  # once more: making the new one may have taken an hour
    if target.is_dir() and any(target.iterdir()):
        ours = owned(target) or ()
        for name in every_file(aside / _NEW):
            if os.path.lexists(target / name) and name not in ours:
                raise InputError(f"`{target / name}` must be a file that saccade wrote, but is not. Move it away.")
        target.rename(aside / _PREVIOUS)
    (aside / _NEW).rename(target)
    _carry_over(aside, target, owned)
    _flush(target.parent)


def _restore(aside: Path, target: Path) -> None:
    if (aside / _PREVIOUS).is_dir() and not os.path.lexists(target):
        (aside / _PREVIOUS).rename(target)


def _remove(aside: Path) -> None:
    """Removes a place where a folder was made, unless something of the previous folder is still there."""
    if not (aside / _PREVIOUS).exists():
        shutil.rmtree(aside, ignore_errors=True)


def _carry_over(aside: Path, target: Path, owned: Owned) -> None:
    """Moves what is not ours from the previous folder into the new one."""
    previous = aside / _PREVIOUS
    if previous.is_dir() and _carry(previous, target, owned(previous) or (), ""):
        previous.rename(aside / _DONE)  # from here on all of it may be removed


def _carry(old: Path, new: Path, ours: Collection[str], above: str) -> bool:
    """Whether everything could be moved; a name that the new folder has too stays where it is."""
    complete = True
    for entry in sorted(old.iterdir()):
        name = above + entry.name
        if name in ours:
            continue
        if entry.is_dir() and not entry.is_symlink() and any(one.startswith(f"{name}/") for one in ours):
            complete &= _carry(entry, new / entry.name, ours, f"{name}/")
        elif os.path.lexists(new / entry.name):
            complete = False
        else:
            new.mkdir(parents=True, exist_ok=True)
            entry.rename(new / entry.name)
    return complete


def _missing(path: Path) -> list[Path]:
    """The folders that are not there yet: the path and those above it, the deepest first."""
    return [one for one in (path, *path.parents) if not os.path.lexists(one)]


def _new_file(target: Path) -> tuple[Path, BinaryIO]:
    """A file beside the target, under a name that nobody has."""
    for place in _names(target):
        with suppress(FileExistsError):
            return place, place.open("xb")
    raise AssertionError("there is always another number")


def _remove_empty(folders: Iterable[Path]) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def _names(target: Path) -> Iterator[Path]:
    """Names beside a file or a folder under which it can be made."""
    yield (first := partial_of(target))
    yield from (first.with_name(f"{first.name}-{number}") for number in count(2))


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
