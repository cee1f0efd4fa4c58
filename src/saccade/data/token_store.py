"""Token ids of pairs in files that are mapped into memory: a corpus larger than memory trains like a small one.

header.json        format, number of pairs, type of the ids, sizes and checksums; written last
source.ids         all ids one after another, uint16 where they fit, else uint32
source.offsets     int64: pair i has the ids from offset i to offset i + 1
target.ids  target.offsets
"""

import json
import zlib
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, NonNegativeInt

from saccade.data.ragged import Ragged
from saccade.data.store_checksums import REBUILD, IdsFile, IdsVerification, check_offsets
from saccade.errors import FormatError
from saccade.folders import atomic_folder
from saccade.json_files import StrictContent, checked, read_json

FORMAT = 1
SIDES = ("source", "target")
HEADER = "header.json"
FILES = frozenset({HEADER, *(f"{side}.{part}" for side in SIDES for part in ("ids", "offsets"))})
CHUNK = 10_000


class _SideHeader(StrictContent):
    """What header.json says about one side."""

    tokens: NonNegativeInt
    ids_crc32: int = Field(ge=0, lt=1 << 32)
    offsets_crc32: int = Field(ge=0, lt=1 << 32)


class _Header(StrictContent):
    """header.json."""

    format: int
    pairs: NonNegativeInt
    ids: Literal["uint16", "uint32"]
    source: _SideHeader
    target: _SideHeader


class TokenStore:
    """Pairs of id sequences, without EOS, BOS or padding, read from disk as they are asked for."""

    def __init__(self, folder: Path, ids: tuple[IdsFile, IdsFile], offsets: dict[str, NDArray[np.int64]]) -> None:
        self.folder = folder
        self._ids = ids
        self._verification = IdsVerification(ids)
        self.source_offsets, self.target_offsets = (offsets[side] for side in SIDES)

    @classmethod
    def build(
        cls,
        folder: Path,
        pairs: Iterable[tuple[Sequence[int], Sequence[int]]],
        *,
        vocabulary: int = 1 << 16,
    ) -> "TokenStore":
        """Writes all pairs, in constant memory, and opens the result; the folder appears only when it is whole.

        `vocabulary` is the larger of both sides: it decides how many bytes an id takes.
        """
        remaining = iter(pairs)
        with atomic_folder(folder, written_files) as aside, StoreWriter(aside, vocabulary) as writer:
            while chunk := list(islice(remaining, CHUNK)):
                writer.add(Ragged.of([source for source, _ in chunk]), Ragged.of([target for _, target in chunk]))
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path, vocabularies: tuple[int, int] | None = None) -> "TokenStore":
        """Maps a finished store; a damaged one is refused here, or when ids are first asked for if it is large.

        With the sizes of both vocabularies, so is one that holds other ids.
        """
        path = folder / HEADER
        header = checked(_Header, read_json(path, FORMAT, REBUILD), path, REBUILD)
        files, offsets = [], {}
        for side, said, size in zip(SIDES, (header.source, header.target), vocabularies or (None, None), strict=True):
            place = folder / f"{side}.offsets"
            offsets[side] = _map(place, np.dtype(np.int64), header.pairs + 1)
            check_offsets(place, offsets[side], said.offsets_crc32, said.tokens)
            place = folder / f"{side}.ids"
            files.append(IdsFile(place, _map(place, np.dtype(header.ids), said.tokens), said.ids_crc32, size))
        return cls(folder, (files[0], files[1]), offsets)

    @property
    def source_ids(self) -> NDArray[Any]:
        """All ids of the sources."""
        self._verification.check()
        return self._ids[0].ids

    @property
    def target_ids(self) -> NDArray[Any]:
        """All ids of the targets."""
        self._verification.check()
        return self._ids[1].ids

    def verify_again(self) -> None:
        """Verifies the ids while they are read; once something is found, no more of them are given out."""
        self._verification.again()

    def __len__(self) -> int:
        """The number of pairs."""
        return len(self.source_offsets) - 1

    def __getitem__(self, index: int) -> tuple[NDArray[Any], NDArray[Any]]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        source = self.source_ids[self.source_offsets[index] : self.source_offsets[index + 1]]
        target = self.target_ids[self.target_offsets[index] : self.target_offsets[index + 1]]
        return np.asarray(source), np.asarray(target)

    @property
    def source_lengths(self) -> NDArray[np.int64]:
        """The number of source tokens of each pair, without EOS."""
        return np.diff(self.source_offsets)

    @property
    def target_lengths(self) -> NDArray[np.int64]:
        """The number of target tokens of each pair, without EOS."""
        return np.diff(self.target_offsets)


class StoreWriter:
    """Appends chunks of pairs to a folder, which is a store once its `with` block has ended without an error."""

    def __init__(self, folder: Path, vocabulary: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.pairs = 0
        self._ids = np.dtype("uint16" if vocabulary <= 1 << 16 else "uint32")
        self._sides = [_SideWriter(folder, side, self._ids) for side in SIDES]

    def add(self, sources: Ragged, targets: Ragged) -> None:
        """Appends pairs; both have one row for each."""
        assert len(sources) == len(targets)
        for writer, rows in zip(self._sides, (sources, targets), strict=True):
            writer.add(rows)
        self.pairs += len(sources)

    @property
    def tokens(self) -> tuple[int, int]:
        """How many source and target tokens were added so far."""
        source, target = self._sides
        return source.tokens, target.tokens

    def __enter__(self) -> "StoreWriter":
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        sides = [writer.close() for writer in self._sides]
        if error is None:
            self._write_header(dict(zip(SIDES, sides, strict=True)))

    def _write_header(self, sides: dict[str, dict[str, int]]) -> None:
        header = {"format": FORMAT, "pairs": self.pairs, "ids": self._ids.name, **sides}
        (self.folder / HEADER).write_text(json.dumps(header, indent=1), encoding="utf-8")


class _SideWriter:
    def __init__(self, folder: Path, side: str, ids: np.dtype[Any]) -> None:
        self._dtype = ids
        self.tokens = 0
        self._files: dict[str, BinaryIO] = {part: (folder / f"{side}.{part}").open("wb") for part in ("ids", "offsets")}
        self._checksums = dict.fromkeys(self._files, 0)
        self._write("offsets", np.zeros(1, np.int64))

    def add(self, rows: Ragged) -> None:
        self._write("ids", rows.ids.astype(self._dtype))
        self._write("offsets", self.tokens + rows.offsets[1:])
        self.tokens += len(rows.ids)

    def _write(self, part: str, values: NDArray[Any]) -> None:
        data = values.tobytes()
        self._files[part].write(data)
        self._checksums[part] = zlib.crc32(data, self._checksums[part])

    def close(self) -> dict[str, int]:
        for file in self._files.values():
            file.close()
        return {"tokens": self.tokens, **{f"{part}_crc32": value for part, value in self._checksums.items()}}


def written_files(folder: Path) -> frozenset[str] | None:
    """The files of a token store; None where there is no header of one."""
    try:
        return FILES if {"pairs", "ids"} <= read_json(folder / HEADER, FORMAT).keys() else None
    except FormatError:
        return None


def _map(path: Path, dtype: np.dtype[Any], count: int) -> NDArray[Any]:
    size = path.stat().st_size if path.exists() else 0
    if size != count * dtype.itemsize:
        raise FormatError(f"`{path}` must have {count * dtype.itemsize:,} bytes, but has {size:,}. {REBUILD}")
    return np.memmap(path, dtype, "r", shape=(count,)) if count else np.zeros(0, dtype)
