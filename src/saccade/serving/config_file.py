"""config.json, what a model folder says about itself: architecture, sizes, task, languages, and all its other files.

It has a seal of its own, and the size and SHA-256 of each file beside it. Decoding defaults may be edited by hand.
"""

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, NonNegativeInt, PositiveInt

from saccade.data.tasks import TASKS
from saccade.data.tokenizer_files import JOINT, SOURCE, TARGET
from saccade.data.trees import Leaves
from saccade.decoding.beam import BeamConfig
from saccade.errors import FormatError
from saccade.folders import check_files, interrupted_replacement, sha256_of
from saccade.json_files import StrictContent, checked, from_json, read_json, read_sealed_json, sealed, shown
from saccade.serving.described_model import ModelDescription
from saccade.serving.quantization import Storage

FORMAT = 1
CONFIG, WEIGHTS, CARD = "config.json", "weights.safetensors", "card.md"
SHORTLIST = "shortlist.safetensors"
QUALITY = "quality.json"
COPY_AGAIN = "Copy the folder again."
_EDITABLE = ("decoding",)


class FileEntry(StrictContent):
    """Size and checksum of a file beside config.json."""

    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    size: NonNegativeInt


class ConfigFile(ModelDescription):
    """config.json."""

    format: int
    saccade: str
    task: str
    source_language: str | None
    target_language: str | None
    leaves: Leaves | None = None
    usual_length: PositiveInt | None = None
    decoding: dict[str, Any] = Field(default_factory=dict)
    storage: Storage
    files: dict[Annotated[str, Field(pattern=r"^[^/\\\x00]+$")], FileEntry]
    seal: str


def read_config(folder: Path) -> ConfigFile:
    """What a model folder says about itself, checked; nothing else in it is read."""
    path = folder / CONFIG
    if not path.exists():
        left = interrupted_replacement(folder)
        rescue = f" An interrupted save left the model in {left}: move it there." if left else ""
        raise FormatError(f"`{folder}` must be a model folder, but has no {CONFIG}.{rescue}")
    config = checked(ConfigFile, read_sealed_json(path, FORMAT, _EDITABLE, COPY_AGAIN), path, COPY_AGAIN)
    if config.task not in TASKS:
        raise FormatError(f"`{path}`: the task must be one of {', '.join(TASKS)}, but is {shown(config.task)}.")
    if (config.leaves is not None) != (TASKS[config.task].content == "trees"):
        raise FormatError(f"`{path}`: `leaves` must be given for a parser, and for nothing else. {COPY_AGAIN}")
    missing = {WEIGHTS, JOINT if JOINT in config.files else SOURCE, JOINT if JOINT in config.files else TARGET}
    if missing := missing - config.files.keys():
        raise FormatError(f"`{path}` must list the file {min(missing)}, but does not. {COPY_AGAIN}")
    try:
        from_json(BeamConfig, config.decoding)
    except ValueError as problem:
        raise FormatError(f"`{path}`: in `decoding`, {problem}. Correct it there.") from None
    return config


def write_config(folder: Path, config: Mapping[str, Any]) -> None:
    """Writes config.json, with its seal."""
    text = json.dumps(sealed(config, _EDITABLE), indent=2, ensure_ascii=False) + "\n"
    (folder / CONFIG).write_text(text, encoding="utf-8")


def file_entry(path: Path) -> dict[str, Any]:
    """What config.json says of a file."""
    return {"sha256": sha256_of(path), "size": path.stat().st_size}


def check_listed_files(folder: Path, config: ConfigFile) -> None:
    """Raises an error unless every file is what config.json says."""
    check_files(folder, {name: entry.sha256 for name, entry in config.files.items()}, COPY_AGAIN)


def written_files(folder: Path) -> Collection[str] | None:
    """The files of a model folder; None where there is no config.json of ours."""
    try:
        config = read_json(folder / CONFIG, FORMAT)
    except FormatError:
        return None
    files = config.get("files")
    return {CONFIG, *files} if "seal" in config and isinstance(files, dict) else None
