"""What a bulk job keeps beside its output until that is whole, and what stays to tell that it is.

    out.txt.bulk/manifest.json       sealed: the settings, the inputs, and the shards with the digests of their lines
    out.txt.bulk/0000017.0           the output of a shard, which has its name only when it is whole and on disk
    out.txt.bulk/0000017.1           the same of the report
    out.txt.bulk/0000017.json        sealed: digests and sizes of these; a shard that has one is finished
    out.txt.bulk/0000017.lock        locked by whoever is doing the shard; a process that dies gives its locks back
    out.txt.bulk/finished.json       sealed, at the end: the digests of the outputs; then the shards are removed
    out.txt.bulk/lock                locked while the work is planned, and while shards are joined

Any number of processes on any number of machines work in it at once, as long as they see the same files.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from saccade.bulk.shards import Shard, cut
from saccade.errors import ConfigError, InputError, RunError
from saccade.file_lock import lock
from saccade.folders import atomic_write, not_written
from saccade.json_files import checked, read_sealed_json, sealed
from saccade.output_files import OutputFile
from saccade.serving.unfinished import check_settings

Content = TypeVar("Content")
FORMAT = 1
SHARD_LINES = 1 << 15
"""Lines of a shard, at least: what a kill can cost, and seconds on a GPU."""
_LOCK, _MANIFEST, _FINISHED = "lock", "manifest.json", "finished.json"


@dataclass(frozen=True)
class InputFile:
    """A file as it was when the work was begun: if it looks the same, it is taken to be the same."""

    name: str
    size: int
    modified: int

    @classmethod
    def of(cls, path: Path) -> "InputFile":
        """The file as it is."""
        found = path.stat()
        return cls(str(path), found.st_size, found.st_mtime_ns)


@dataclass(frozen=True)
class Manifest:
    """What is to be done."""

    format: int
    settings: dict[str, Any]
    inputs: tuple[InputFile, ...]
    shard_lines: int
    shards: tuple[Shard, ...]
    seal: str = ""

    @property
    def lines(self) -> int:
        """Of the whole input."""
        return sum(shard.lines for shard in self.shards)


@dataclass(frozen=True)
class Written:
    """One file that was written."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Record:
    """A shard that is finished, or the whole: its outputs, and what was wrong with which lines."""

    format: int
    lines: int
    outputs: tuple[Written, ...]
    problems: dict[str, Any]
    seal: str = ""


class BulkFolder:
    """The folder of a job with these outputs."""

    def __init__(self, outputs: Sequence[Path]) -> None:
        self.outputs = tuple(outputs)
        target = Path(os.path.realpath(outputs[0]))
        self.path = target.parent / f"{target.name}.bulk"  # the root of all folders has no name
        self.advice = f"Use the same, or remove `{self.path}` to begin again."

    def places(self, *, overwrite: bool) -> list[OutputFile]:
        """Where the outputs go; refuses what must not be replaced, and what cannot be made aside first."""
        found = []
        for index, named in enumerate(self.outputs):
            place = OutputFile.of(named, overwrite=overwrite, ours=partial(self._is_ours, index))
            if place.target is None:
                raise InputError(f"`{named}` must be a file, but is a device or a pipe. Choose another name.")
            found.append(place)
        if len({place.target for place in found}) < len(found):
            raise ConfigError("`--report` must be another file than --output, but is the same. Choose another.")
        return found

    def begin(
        self,
        settings: Mapping[str, Any],
        inputs: Sequence[Path],
        windows: Iterator[int],
        shard_lines: int | None,
        say: Callable[[str], None],
    ) -> Manifest:
        """What is to be done: as it was planned before, which must be the same work, or planned now."""
        self._make()
        with self.locked():
            if (self.path / _MANIFEST).exists():
                manifest = self.manifest()
                check_settings(manifest.settings, settings, self.path, self.advice)
                if shard_lines is not None:
                    now = {"shard_lines": shard_lines}
                    check_settings({"shard_lines": manifest.shard_lines}, now, self.path, self.advice)
                self._check_inputs(manifest, inputs, windows)
                return manifest
            found = tuple(map(InputFile.of, inputs))
            if sum(file.size for file in found) > 1 << 32:
                say("the lines are counted before the first are done")
            lines = shard_lines or SHARD_LINES
            manifest = Manifest(FORMAT, dict(settings), found, lines, tuple(cut(inputs, windows, lines)))
            self._write(self.path / _MANIFEST, asdict(manifest))
            return self.manifest()

    def manifest(self) -> Manifest:
        """What was planned."""
        return self._read(Manifest, self.path / _MANIFEST)

    def output(self, shard: Shard, index: int) -> Path:
        """Where the output of a shard is when it is whole."""
        return self.path / f"{shard.name}.{index}"

    def is_done(self, shard: Shard) -> bool:
        """Whether a shard is finished; when all of them are joined, it may be gone."""
        return self._record(shard).exists() or (self.path / _FINISHED).exists()

    def record(self, shard: Shard) -> Record:
        """What a finished shard has written."""
        return self._read(Record, self._record(shard))

    def keep(self, shard: Shard, lines: int, outputs: Sequence[Written], problems: Mapping[str, Any]) -> None:
        """A shard is finished."""
        self._write(self._record(shard), asdict(Record(FORMAT, lines, tuple(outputs), dict(problems))))

    def forget(self, shard: Shard) -> None:
        """A shard is not finished after all."""
        self._record(shard).unlink(missing_ok=True)
        (self.path / _FINISHED).unlink(missing_ok=True)

    def lock_of(self, shard: Shard) -> Path:
        """What whoever is doing a shard holds."""
        return self.path / f"{shard.name}.lock"

    @property
    def finished(self) -> Record | None:
        """What the whole work has written; None before that."""
        path = self.path / _FINISHED
        return self._read(Record, path) if path.exists() else None

    def finish(self, lines: int, outputs: Sequence[Written], problems: Mapping[str, Any]) -> None:
        """All of it is done, and about to get its name."""
        self._write(self.path / _FINISHED, asdict(Record(FORMAT, lines, tuple(outputs), dict(problems))))

    def is_complete(self) -> bool:
        """Whether the outputs are where they belong; refuses ones that are not those that were joined."""
        finished = self.finished
        if finished is None:
            return False
        for index, path in enumerate(self.outputs):
            if not path.is_file() or not self._is_ours(index, path):
                if all(self._record(shard).exists() for shard in self.manifest().shards):
                    return False  # a kill came before it got its name
                raise RunError(
                    f"`{path}` must be the file that this command made, but is missing or another. Bring it back, or "
                    f"remove `{self.path}` to begin again."
                )
        return True

    def remove_shards(self) -> None:
        """Removes everything but what tells that the work is finished."""
        for path in self.path.iterdir():
            if path.name not in (_LOCK, _MANIFEST, _FINISHED):
                path.unlink(missing_ok=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Held by one process at a time; the others wait."""
        with (self.path / _LOCK).open("ab") as file:
            lock(file, self.path, wait=True)
            yield

    def _make(self) -> None:
        try:
            self.path.mkdir(exist_ok=True)
            names = set(os.listdir(self.path))
            if names and _LOCK not in names:
                raise InputError(f"`{self.path}` must be a new folder, but holds other files. Move it away.")
            (self.path / _LOCK).touch()
        except OSError as problem:
            raise not_written(self.path, problem, "Choose another output.") from problem

    def _is_ours(self, index: int, path: Path) -> bool:
        """Whether an output that is there was joined by an earlier command, which may have been killed after that."""
        finished = self.finished
        return finished is not None and path.stat().st_size == finished.outputs[index].bytes

    def _check_inputs(self, manifest: Manifest, inputs: Sequence[Path], windows: Iterator[int]) -> None:
        now = tuple(map(InputFile.of, inputs))
        check_settings(
            {f"input {place}": file.name for place, file in enumerate(manifest.inputs, start=1)},
            {f"input {place}": file.name for place, file in enumerate(now, start=1)},
            self.path,
            self.advice,
        )
        if now == manifest.inputs:
            return
        sizes = [file.size for file in now]
        if (
            sizes != [file.size for file in manifest.inputs]
            or tuple(cut(inputs, windows, manifest.shard_lines)) != manifest.shards
        ):
            named = " and ".join(f"`{file.name}`" for file in now)
            raise InputError(f"{named} must be as when `{self.path}` was begun, but has changed. {self.advice}")

    def _record(self, shard: Shard) -> Path:
        return self.path / f"{shard.name}.json"

    def _read(self, kind: type[Content], path: Path) -> Content:
        advice = f"Remove `{self.path}` to begin again."
        return checked(kind, read_sealed_json(path, FORMAT, advice=advice), path, advice)

    def _write(self, path: Path, content: dict[str, Any]) -> None:
        try:
            atomic_write(path, json.dumps(sealed(content)))
        except OSError as problem:
            raise not_written(path, problem) from problem
