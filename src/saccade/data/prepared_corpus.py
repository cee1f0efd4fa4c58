"""A prepared corpus: the folder that training reads, and how it is opened.

    joint.model                          or source.model and target.model
    train-0/ ... train-n/                token stores; several are copies of the same pairs, cut and changed differently
    valid/                               the token store of the validation pairs
    valid.source.txt  valid.target.txt   their text as it was given: line i belongs to pair i of the store
    report.json                          what was read, kept and left out, and why
    prepared.json                        what it was made from; written last

`prepare.py` makes it.
"""

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from pydantic import Field

from saccade.data.config import DataConfig
from saccade.data.corpus_report import CorpusReport
from saccade.data.noise import shares_in_words
from saccade.data.tasks import Task
from saccade.data.text_lines import read_lines
from saccade.data.token_store import FILES as STORE_FILES
from saccade.data.token_store import TokenStore
from saccade.data.tokenizer import Tokenizer
from saccade.data.tokenizer_files import JOINT, load_tokenizers, tokenizer_files
from saccade.errors import FormatError, InputError
from saccade.folders import check_files, sha256_of
from saccade.json_files import StrictContent, checked, read_json, read_sealed_json, sealed

FORMAT = 1
STAMP = "prepared.json"
REPORT = "report.json"
VALID_TEXTS = ("valid.source.txt", "valid.target.txt")
_REMOVE = "Remove its folder, and it is made again."
_LATER_KEYS = ("mix_source", "mix_target", "mix_share", "symbols", "noise", "noise_kinds")

Fingerprint = list[str | int]
"""A file by its name, its size and a hash of its content."""


@dataclass(frozen=True)
class PreparationReport:
    """What became of the lines of each split, and what they became.

    `noise` is the share of the pairs of all training stores that has each kind of noise.
    """

    splits: dict[str, CorpusReport]
    source_vocabulary: int
    target_vocabulary: int
    source_tokens: int
    target_tokens: int
    noise: dict[str, float] = field(default_factory=dict)

    def text(self, task: Task) -> str:
        """In the words of the task; text alone has no source side."""
        lines = [f"{name}: {report.text(task.examples)}" for name, report in self.splits.items()]
        if not task.has_sources:
            return "\n".join([*lines, f"{self.target_vocabulary:,} pieces; {self.target_tokens:,} tokens"])
        sizes = f"{self.source_vocabulary:,} source and {self.target_vocabulary:,} target pieces"
        lines.append(f"{sizes}; {self.source_tokens:,} source and {self.target_tokens:,} target tokens")
        return "\n".join([*lines, shares_in_words(self.noise)] if self.noise else lines)

    def to_json(self) -> dict[str, Any]:
        """Without a word about noise where there is none: so were all reports before there could be any."""
        content = asdict(self)
        return content if self.noise else {key: value for key, value in content.items() if key != "noise"}


@dataclass(frozen=True)
class Prepared:
    """A corpus ready to train on."""

    folder: Path
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    train: tuple[TokenStore, ...]
    valid: TokenStore
    valid_text: list[tuple[str, str]]
    report: PreparationReport


def open_prepared(folder: Path) -> Prepared:
    """Opens what `prepare` has made."""
    stamp = read_stamp(folder)
    check_files(folder, stamp.checksums, _REMOVE)
    copies = stamped_config(stamp, folder).sampled_copies
    source, target = load_tokenizers(folder, joint=(folder / JOINT).exists())
    sizes = source.size, target.size
    valid = TokenStore.open(folder / "valid", sizes)
    texts = [list(read_lines(folder / name)) for name in VALID_TEXTS]
    if any(len(lines) != len(valid) for lines in texts):
        raise FormatError(
            f"`{folder}` must have a line in {' and in '.join(VALID_TEXTS)} for each of the {len(valid)} pairs of "
            f"valid, but they have {len(texts[0])} and {len(texts[1])}. {_REMOVE}"
        )
    return Prepared(
        folder=folder,
        source_tokenizer=source,
        target_tokenizer=target,
        train=tuple(TokenStore.open(folder / f"train-{copy}", sizes) for copy in range(copies)),
        valid=valid,
        valid_text=list(zip(*texts, strict=True)),
        report=checked(PreparationReport, read_json(folder / REPORT, advice=_REMOVE), folder / REPORT, _REMOVE),
    )


def written_files(folder: Path) -> Collection[str] | None:
    """The files of a prepared corpus; None where there is no prepared.json of ours."""
    try:
        if not {"config", "files"} <= read_json(folder / STAMP, FORMAT).keys():
            return None
    except FormatError:
        return None
    stores = [path.name for path in (folder / "valid", *folder.glob("train-*"))]
    inside = {f"{store}/{name}" for store in stores for name in STORE_FILES}
    tokenizers = {path.name for path in tokenizer_files(folder)}
    return {STAMP, REPORT, *tokenizers, *VALID_TEXTS, *inside}


class Stamp(StrictContent):
    """prepared.json. `checksums` are those of the files beside it but for the stores, which have their own."""

    format: int
    config: dict[str, Any]
    files: dict[str, list[Fingerprint]]
    checksums: dict[str, str] = Field(default_factory=dict)
    seal: str = ""


def read_stamp(folder: Path) -> Stamp:
    """What prepared.json says; an earlier version wrote it without a seal and without checksums."""
    path = folder / STAMP
    content = read_json(path, FORMAT, _REMOVE)
    if "seal" in content or "checksums" in content:
        content = read_sealed_json(path, FORMAT, advice=_REMOVE)
    return checked(Stamp, content, path, _REMOVE)


def stamped_config(stamp: Stamp, folder: Path) -> DataConfig:
    """What the folder was made by."""
    return checked(DataConfig, stamp.config, folder / STAMP, _REMOVE)


def write_stamp(folder: Path, config: DataConfig, files: dict[str, list[Fingerprint]]) -> None:
    """Says what the folder was made from, after everything else has been written into it."""
    checksums = {path.name: sha256_of(path) for path in sorted(folder.iterdir()) if path.is_file()}
    stamp = sealed({"format": FORMAT, "config": _keys(config), "files": files, "checksums": checksums})
    (folder / STAMP).write_text(json.dumps(stamp, indent=1), encoding="utf-8")


def _keys(config: DataConfig) -> dict[str, Any]:
    """All keys, but for later ones that are not set: what is prepared without them stays as it always was."""
    return {key: value for key, value in asdict(config).items() if value or key not in _LATER_KEYS}


def fingerprint(path: Path) -> Fingerprint:
    """Of all of a file: an edit in the middle of it may leave its size as it was."""
    try:
        return [path.name, path.stat().st_size, sha256_of(path)]
    except OSError as error:
        raise _unreadable(path, error) from error


def fingerprint_of_ends(path: Path) -> Fingerprint:
    """What an earlier version wrote into prepared.json: it looked at both ends of a file alone."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            ends = blake2b(file.read(1 << 20), digest_size=16)
            file.seek(max(0, size - (1 << 20)))
            ends.update(file.read())
    except OSError as error:
        raise _unreadable(path, error) from error
    return [path.name, size, ends.hexdigest()]


def _unreadable(path: Path, error: OSError) -> InputError:
    return InputError(f"`{path}` must be a readable file, but is not: {error.strerror}. Check the path.")
