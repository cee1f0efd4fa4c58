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
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from saccade.data.ragged import Ragged
from saccade.errors import FormatError
from saccade.folders import atomic_folder, damaged, read_json

FORMAT = 1
SIDES = ("source", "target")
IDS = ("uint16", "uint32")
HEADER = "header.json"
CHUNK = 10_000
_REBUILD = "Build the store again."


class TokenStore:
    """Pairs of id sequences, without EOS, BOS or padding, read from disk as they are asked for."""

    def __init__(self, folder: Path, ids: dict[str, NDArray[Any]], offsets: dict[str, NDArray[np.int64]]) -> None:
        self.folder = folder
        self.source_ids, self.target_ids = (ids[side] for side in SIDES)
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
        with atomic_folder(folder) as aside, StoreWriter(aside, vocabulary) as writer:
            while chunk := list(islice(remaining, CHUNK)):
                writer.add(Ragged.of([source for source, _ in chunk]), Ragged.of([target for _, target in chunk]))
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path) -> "TokenStore":
        """Maps a finished store; a damaged one is refused by its sizes, which is enough against truncation."""
        header = _read_header(folder)
        ids, offsets = {}, {}
        for side in SIDES:
            tokens = header[side]["tokens"]
            ids[side] = _map(folder / f"{side}.ids", np.dtype(header["ids"]), tokens)
            offsets[side] = _map(folder / f"{side}.offsets", np.dtype(np.int64), header["pairs"] + 1)
            if offsets[side][-1] != tokens:
                raise FormatError(
                    f"`{folder}` must end at token {tokens}, but ends at {offsets[side][-1]}. Build it again."
                )
        return cls(folder, ids, offsets)

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


def _read_header(folder: Path) -> dict[str, Any]:
    path = folder / HEADER
    header = read_json(path, FORMAT, _REBUILD)
    try:
        sensible = header["ids"] in IDS and header["pairs"] >= 0 and all(header[side]["tokens"] >= 0 for side in SIDES)
    except (LookupError, TypeError) as error:
        raise damaged(path, _REBUILD) from error
    if not sensible:
        raise damaged(path, _REBUILD)
    return header


def _map(path: Path, dtype: np.dtype[Any], count: int) -> NDArray[Any]:
    size = path.stat().st_size if path.exists() else 0
    if size != count * dtype.itemsize:
        raise FormatError(f"`{path}` must have {count * dtype.itemsize:,} bytes, but has {size:,}. Rebuild the store.")
    return np.memmap(path, dtype, "r", shape=(count,)) if count else np.zeros(0, dtype)
