"""The folder of an export, for whatever program: written as a whole or not at all, and known again as ours.

saccade.json lists the other files with their SHA-256. A folder without it was written by somebody else and is never
replaced; one with it is replaced as a whole, and what a user has put beside our files stays.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from saccade.errors import FormatError, InputError
from saccade.folders import atomic_folder, check_files, not_written, replaceable, sha256_of
from saccade.json_files import StrictContent, checked, read_json, read_sealed_json, sealed

SEAL = "saccade.json"
SEAL_FORMAT = 1


class Seal(StrictContent):
    """saccade.json: checksums, and what the other format cannot hold of the model."""

    format: int
    files: dict[str, str]
    program: str | None = None
    """The program it is for; exports of early days do not say."""
    model: dict[str, Any] | None = None
    seal: str


@contextmanager
def exported_folder(folder: Path, program: str, model: Mapping[str, Any] | None = None) -> Iterator[Path]:
    """Yields an empty folder to fill; it becomes `folder`, sealed, in place of an older export for the same program."""
    try:
        with atomic_folder(folder, written_files) as partial:
            yield partial
            about: dict[str, Any] = {} if model is None else {"model": dict(model)}
            files = {path.name: sha256_of(path) for path in sorted(partial.iterdir())}
            seal = json.dumps(sealed({"format": SEAL_FORMAT, "program": program, "files": files, **about}), indent=1)
            (partial / SEAL).write_text(seal, encoding="utf-8")
    except OSError as problem:
        raise not_written(folder, problem) from problem


def check_place(folder: Path, program: str) -> None:
    """Refuses a folder that is not ours, or an export for another program, before any work is done."""
    replaceable(folder, written_files)
    if (folder / SEAL).is_file():
        found = read_json(folder / SEAL, SEAL_FORMAT).get("program", program)
        if found != program:
            raise InputError(
                f"`{folder}` must be a new folder or an older export for {program}, but is one for {found}. "
                "Choose another."
            )


def check_export(folder: Path) -> Seal:
    """What an export says of itself, if its files are as they were written: another program would crash or go wrong."""
    path = folder / SEAL
    seal = checked(Seal, read_sealed_json(path, SEAL_FORMAT), path)
    check_files(folder, seal.files)
    return seal


def written_files(folder: Path) -> Collection[str] | None:
    """The files of an export; None where it is not one of ours."""
    try:
        files = read_json(folder / SEAL, SEAL_FORMAT).get("files")
    except FormatError:
        return None
    return {SEAL, *files} if isinstance(files, dict) else None
