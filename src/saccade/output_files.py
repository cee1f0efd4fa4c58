"""Files that a user names for output: each is whole or absent, and nothing of the user's is replaced unasked.

    output = OutputFile.of(Path("out.txt"))     refused here, before anything is computed
    with output.writing() as file: ...          bytes go to .out.txt.partial, which becomes out.txt at the end

A symbolic link is followed: what it points to is written, and the link stays. A device, a FIFO or an open descriptor
(/dev/null, /dev/stdout, process substitution) is written into, as by every other program. What already holds something
is replaced only where that is known to be ours, or the user said so.
"""

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from saccade.errors import InputError
from saccade.folders import not_written, partial_of

# Names of descriptors that are open already. Whatever is behind one, its own name must be opened, not the file's.
_DESCRIPTORS = re.compile(r"/dev|/proc/[^/]+/(task/[^/]+/)?fd")
_MOST_LINKS = 40  # as many as Linux follows


@dataclass(frozen=True)
class OutputFile:
    """A place for output that has been checked.

    `named` is what the user wrote. `target` is the file behind all links; None where bytes go straight into what is
    there. `replaces` says whether a file stood there from the beginning.
    """

    named: Path
    target: Path | None
    replaces: bool = False

    @classmethod
    def of(
        cls,
        named: Path,
        *,
        overwrite: bool = False,
        ours: Callable[[Path], bool] = lambda _: False,
        advice: str = "Choose another name, or add --overwrite.",
    ) -> "OutputFile":
        """The place of that name; `ours` says whether an existing file is one that this program wrote."""
        try:
            found = named.stat()
        except FileNotFoundError:
            found = None
        except (OSError, ValueError) as problem:
            raise _unusable(named, problem) from problem
        if found is not None and stat.S_ISDIR(found.st_mode):
            raise InputError(f"`{named}` must be a file, but is a folder. Choose another name.")
        if found is not None and stat.S_ISSOCK(found.st_mode):
            raise InputError(f"`{named}` must be a file or a device, but is a socket. Choose another name.")
        if _is_descriptor(named) or (found is not None and not stat.S_ISREG(found.st_mode)):
            return cls(named, None)
        target = Path(os.path.realpath(named))
        if found is None:
            _check_folder(named, target.parent)
            return cls(named, target)
        if found.st_size and not overwrite and not ours(target):
            raise InputError(f"`{named}` must be a new file, but exists. {advice}")
        if not os.access(target, os.W_OK):
            raise InputError(f"`{named}` must be writable, but is read-only. Choose another name.")
        _check_folder(named, target.parent)
        return cls(named, target, replaces=True)

    @property
    def part(self) -> Path:
        """Where output is while it is not complete; only for what has a target."""
        assert self.target is not None
        return self.target.with_name(f"{self.target.name}.part")

    @contextmanager
    def writing(self) -> Iterator[BinaryIO]:
        """A file to write; when the block ends it takes its place, and when it fails nothing is left of it."""
        if self.target is None:
            with _explained(self.named), self.stream() as file:
                yield file
            return
        # A full disk is told twice, when bytes are written and when the file is closed: both are explained.
        with _explained(self.named), self._new_aside() as file:
            try:
                yield file
                self._rename(file, self._aside)
            except BaseException:
                self._aside.unlink(missing_ok=True)
                raise

    def write(self, text: str) -> int:
        """Writes a whole text as UTF-8, line ends unchanged; the number of bytes."""
        content = text.encode("utf-8")
        with self.writing() as file:
            file.write(content)
        return len(content)

    def stream(self) -> BinaryIO:
        """What is there, opened to be written into; a FIFO that nobody reads would wait for ever and is refused."""
        try:
            # Appending: a descriptor may belong to a file that another program has begun to write.
            descriptor = os.open(self.named, os.O_WRONLY | os.O_APPEND | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError as problem:
            if problem.errno == errno.ENXIO:
                raise InputError(f"`{self.named}` must have a reader, but nobody reads it. Start that first.") from None
            raise _unusable(self.named, problem) from problem
        os.set_blocking(descriptor, True)
        return os.fdopen(descriptor, "wb")

    @property
    def _aside(self) -> Path:
        """Where output is while it is written at once; by a name of our own, so that leftovers are no obstacle."""
        assert self.target is not None
        return partial_of(self.target)

    def _new_aside(self) -> BinaryIO:
        try:
            self._aside.unlink(missing_ok=True)
            return self._like_target(self._aside.open("xb"))
        except OSError as problem:
            raise _unusable(self.named, problem) from problem

    def new_part(self) -> BinaryIO:
        """The part file, made now; one that is there may be somebody's work and is left alone."""
        try:
            file = self.part.open("xb")
        except FileExistsError:
            raise InputError(
                f"`{self.part}` must not be there while `{self.named}` is written, but exists. "
                "Move it away, or choose another name."
            ) from None
        except OSError as problem:
            raise _unusable(self.named, problem) from problem
        return self._like_target(file)

    def finish(self, file: BinaryIO) -> None:
        """Flushes the part file and gives it its name."""
        self._rename(file, self.part)

    def _like_target(self, file: BinaryIO) -> BinaryIO:
        assert self.target is not None
        if self.replaces and self.target.exists():
            os.fchmod(file.fileno(), stat.S_IMODE(self.target.stat().st_mode))
        return file

    def _rename(self, file: BinaryIO, written: Path) -> None:
        assert self.target is not None
        file.flush()
        os.fsync(file.fileno())
        if not self.replaces and self.target.exists():
            raise InputError(f"`{self.named}` must be a new file, but somebody has made it meanwhile. Move it away.")
        written.replace(self.target)
        folder = os.open(self.target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def _explained(named: Path) -> Iterator[None]:
    """A failed write names the file; whoever reads a pipe may leave, and an error that has a name keeps it."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as problem:
        if problem.filename is not None:
            raise
        raise not_written(named, problem) from problem


def _unusable(named: Path, problem: OSError | ValueError) -> InputError:
    reason = (problem.strerror if isinstance(problem, OSError) else None) or str(problem)
    return InputError(f"`{named}` must be a file that can be written, but is not: {reason}. Choose another name.")


def _check_folder(named: Path, folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"`{named}` must be in a folder that is there, but is not. Make {folder} first.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"`{named}` must be in a folder that can be written, but is not. Choose another.")


def _is_descriptor(path: Path) -> bool:
    """Whether a path, or a link on the way from it, names an open descriptor or something else in /dev."""
    for _ in range(_MOST_LINKS):
        if _DESCRIPTORS.fullmatch(os.path.realpath(path.parent)):
            return True
        if not path.is_symlink():
            return False
        path = path.parent / path.readlink()
    return False
