"""A place where a command can do no harm: a folder of its own, another user, limits, and a look around afterwards.

Importing torch takes seconds and a campaign has thousands of cases, so a command runs in a fork of a process that has
imported everything already. Where the campaign is run by root, the command runs as the user nobody, who can write into
the sandbox and nowhere else that matters.
"""

import ctypes
import faulthandler
import hashlib
import os
import re
import resource
import shutil
import signal
import stat
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

NOBODY = 65534
HANG = 60.0
"""Seconds after which a command that was interrupted, or should have ended by itself, counts as hanging."""
LARGEST_FILE = 256 << 20
MEMORY = 3 << 30
"""Bytes a command may allocate beyond what the imports take."""

Fault = Callable[[], None]
"""Called in the forked process before the command starts, to prepare what goes wrong in it."""


@dataclass
class Outcome:
    """What a command did."""

    arguments: list[str]
    code: int
    """Its exit code, or minus the signal that ended it."""
    stdout: bytes
    stderr: str
    seconds: float
    hung: bool = False
    interrupted: bool = False
    """Whether SIGINT was sent."""
    left_behind: bool = False
    """Whether a process that it started outlived it."""

    @property
    def last_line(self) -> str:
        lines = self.stderr.strip().splitlines()
        return lines[-1] if lines else ""


@dataclass
class Sandbox:
    """`work` is the current folder of commands and all they are told about; `around` must stay as it is."""

    root: Path
    materials: Path
    work: Path = field(init=False)
    around: Path = field(init=False)
    outcomes: list[Outcome] = field(init=False, default_factory=list)
    """Of the commands that were run so far."""
    _strays: set[str] = field(init=False, default_factory=lambda: _strays())

    def __post_init__(self) -> None:
        self.work, self.around = self.root / "around" / "work", self.root / "around"
        for folder in (self.work, self.root / "home", self.root / "temporary", self.root / "cache"):
            folder.mkdir(parents=True)
        (self.around / "neighbour.txt").write_text("not part of anything\n")
        (self.around / "other").mkdir()
        (self.around / "other" / "thesis.txt").write_text("five years of work\n")
        _give_to_nobody(self.root)

    def bring(self, name: str, new_name: str | None = None) -> Path:
        """A copy of something that saccade made, under its own or another name in the current folder."""
        target = self.work / (new_name or name)
        if not target.exists():
            source = self.materials / name
            if source.is_dir():
                shutil.copytree(source, target, symlinks=True)
            else:
                shutil.copy2(source, target)
            _give_to_nobody(target)
        return target

    def write(self, name: str, content: bytes | str) -> Path:
        """A file of the user."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        _give_to_nobody(path)
        return path

    def run(
        self,
        *arguments: object,
        stdin: bytes = b"",
        interrupt_after: float | None = None,
        fault: Fault | None = None,
        largest_file: int = LARGEST_FILE,
    ) -> Outcome:
        """Runs `saccade ARGUMENTS` in the current folder; SIGINT after so many seconds, if any are given."""
        child = self.start(*arguments, stdin=stdin, fault=fault, largest_file=largest_file)
        return self.finish(child, *arguments, interrupt_after=interrupt_after)

    def start(
        self, *arguments: object, stdin: bytes = b"", fault: Fault | None = None, largest_file: int = LARGEST_FILE
    ) -> int:
        """Starts a command and returns its process."""
        for name, content in (("stdin", stdin), ("stdout", b""), ("stderr", b"")):
            (self.root / name).write_bytes(content)
        child = os.fork()
        if child == 0:
            self._become(["saccade", *map(str, arguments)], fault, largest_file)
        return child

    def finish(
        self, child: int, *arguments: object, interrupt_after: float | None = None, limit: float = HANG
    ) -> Outcome:
        """Waits for a command; one that takes longer than the limit, or than that after SIGINT, is killed."""
        outcome = self._watched(child, [str(one) for one in arguments], interrupt_after, limit)
        outcome.stdout = (self.root / "stdout").read_bytes()
        outcome.stderr = (self.root / "stderr").read_bytes().decode("utf-8", "replace")
        self.outcomes.append(outcome)
        return outcome

    def snapshot(self) -> dict[str, tuple[object, ...]]:
        """Everything around and in the current folder: what it is, and a checksum of what it holds."""
        found = {}
        for folder, names, files in os.walk(self.around):
            for name in (*names, *files):
                path = os.path.join(folder, name)
                found[os.path.relpath(path, self.around)] = _described(path)
        return found

    def strays(self) -> list[str]:
        """What commands have left, since this sandbox was made, in the folders that everybody may write to.

        Commands of other cases run at the same time, and what these use for a while is not left: it goes.
        """
        until = time.monotonic() + HANG
        while (found := _strays() - self._strays) and time.monotonic() < until:
            time.sleep(0.2)
        return sorted(found)

    def remove(self) -> None:
        for folder, _, _ in os.walk(self.root):
            os.chmod(folder, 0o755)
        shutil.rmtree(self.root, ignore_errors=True)

    def _watched(self, child: int, words: list[str], interrupt_after: float | None, limit: float) -> Outcome:
        began = time.monotonic()
        interrupted = hung = False
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            seconds = time.monotonic() - began
            if done:
                break
            if interrupt_after is not None and not interrupted and seconds > interrupt_after:
                os.kill(child, signal.SIGINT)
                interrupted = True
            if seconds > limit + (interrupt_after or 0.0):
                hung = True
                os.kill(child, signal.SIGKILL)
            time.sleep(min(0.002 + seconds / 50, 0.05))
        code = os.waitstatus_to_exitcode(status)
        return Outcome(words, code, b"", "", seconds, hung, interrupted, _remaining(child))

    def _become(self, argv: list[str], fault: Fault | None, largest_file: int) -> None:
        """The forked process: never returns."""
        code = 70
        try:
            os.setsid()
            for number, name, flags in (
                (0, "stdin", os.O_RDONLY),
                (1, "stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
                (2, "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
            ):
                os.dup2(os.open(self.root / name, flags, 0o644), number)
            os.chdir(self.work)
            os.environ.update(
                HOME=str(self.root / "home"),
                TMPDIR=str(self.root / "temporary"),
                TORCHINDUCTOR_CACHE_DIR=str(self.root / "temporary"),  # else torch's choice at import stands
                SACCADE_CACHE=str(self.root / "cache"),
                # Nothing is to be fetched: whoever tries is turned away at once.
                http_proxy="http://127.0.0.1:9",
                https_proxy="http://127.0.0.1:9",
            )
            import tempfile

            tempfile.tempdir = None
            tempfile.gettempdir()  # found before anything fails: where it cannot be written, Python takes another
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            # What is written to is limited, not what is reserved: the driver of a GPU reserves more than there is.
            allowed = _private_memory() + MEMORY
            resource.setrlimit(resource.RLIMIT_DATA, (allowed, allowed))
            faulthandler.enable()  # a crash in native code says where in Python it happened
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            _drop_privileges()
            for stream, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
                opened = os.fdopen(number, mode, encoding="utf-8", errors="surrogateescape", closefd=False)
                setattr(sys, stream, opened)
                setattr(sys, f"__{stream}__", opened)
            sys.argv = argv
            if fault is not None:
                fault()
            code = _exit_code_of_main()
        except BaseException:
            traceback.print_exc()
        finally:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError):
                    stream.flush()
            os._exit(code)


def _exit_code_of_main() -> int:
    from saccade.cli.main import main

    try:
        main()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except KeyboardInterrupt:
        traceback.print_exc()
        return -signal.SIGINT
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _remaining(group: int) -> bool:
    """Whether a process of the command's own group still runs 15 seconds after it; it is ended then."""
    for _ in range(300):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.05)
    with suppress(ProcessLookupError):  # it may have ended this very moment
        os.killpg(group, signal.SIGKILL)
    return True


def _described(path: str) -> tuple[object, ...]:
    about = os.lstat(path)
    kind = stat.S_IFMT(about.st_mode)
    if stat.S_ISREG(about.st_mode):
        with open(path, "rb") as file:
            return kind, about.st_mode, hashlib.file_digest(file, "sha256").hexdigest()
    if stat.S_ISLNK(about.st_mode):
        return kind, os.readlink(path)
    return kind, about.st_mode


def _strays() -> set[str]:
    """Files of the user nobody where they do not belong; who is not root cannot tell them from the user's own."""
    found = set()
    for place in ("/tmp", "/var/tmp", "/dev/shm") if os.getuid() == 0 else ():
        for one in os.scandir(place) if os.path.isdir(place) else ():
            with suppress(FileNotFoundError):  # others come and go
                if one.stat(follow_symlinks=False).st_uid == NOBODY:
                    found.add(one.path)
    return found


def _give_to_nobody(path: Path) -> None:
    if os.getuid() != 0:
        return
    for folder, names, files in os.walk(path):
        os.chown(folder, NOBODY, NOBODY)
        for name in (*names, *files):
            os.chown(os.path.join(folder, name), NOBODY, NOBODY, follow_symlinks=False)
    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def _private_memory() -> int:
    status = Path("/proc/self/status")
    sizes = re.search(r"VmData:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(sizes[1]) << 10 if sizes else 4 << 30


class _Capabilities(ctypes.Structure):
    _fields_ = [("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32)]


def _drop_privileges() -> None:
    """From root to nobody, who may still read everything: Python itself may be installed where only root can look.

    So may what nobody starts in turn, such as workers: for that the capability must be ambient.
    """
    if os.getuid() != 0:
        return
    keep_capabilities, ambient, give, read_everything, version = 8, 47, 2, 2, 0x20080522
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(keep_capabilities, 1, 0, 0, 0)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    header = (ctypes.c_uint32 * 2)(version, 0)
    mask = 1 << read_everything
    granted = (_Capabilities * 2)(_Capabilities(mask, mask, mask), _Capabilities(0, 0, 0))
    if libc.capset(header, granted) != 0 or libc.prctl(ambient, give, read_everything, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "capset")
