"""Corpus cleaning: pairs in, the pairs worth training on out, and a report of what went and why.

    1. each line is repaired (`text_repairs.py`) and each pair judged by itself (`pair_filters.py`)
    2. of those that are left, repetitions are found (`repeated_lines.py`): duplicates, near duplicates, and lines that
       stand in more than so many pairs, such as headers and notices
    3. of those that are left, the languages are looked at, which costs most

Everything is read once and in order, so the result depends on the files and the settings alone. Memory does not grow
with the corpus: less than 600 MB, of which 150 are to sort hashes, 130 to tell languages apart, 200 to write .xz. On
disk there is, for the time of the cleaning, one more copy of the text and 33 bytes for each pair. The outputs, one for
each input and named like it, and report.json are a folder that is whole or absent.
"""

import gzip
import json
import lzma
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from io import BufferedIOBase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

import numpy as np
from jaxtyping import UInt8

from saccade.counted import counted
from saccade.data.pair_filters import CleaningConfig, Rule, folded
from saccade.data.parallel_text import PairFiles, every_pair, is_json, pairs_or_errors
from saccade.data.progress import Progress, silent
from saccade.data.repeated_lines import mark_repeats, text_hash
from saccade.data.text_lines import without_lines
from saccade.data.text_repairs import REPAIRS, repaired
from saccade.errors import FormatError, InputError, LineError
from saccade.folders import atomic_folder, not_written, replaceable
from saccade.json_files import read_json

FORMAT = 1
REPORT, REMOVED = "report.json", "removed.tsv"
DUPLICATE, NEAR_DUPLICATE, BOILERPLATE = "duplicate", "near duplicate", "the same line many times"
EXAMPLES = 3
_KEYS = ("pair", "folded", "source", "target")
_EVERY = 20_000  # pairs between two reports of progress


@dataclass(frozen=True)
class Example:
    """A line, and what stands there."""

    line: int
    source: str
    target: str


@dataclass
class Found:
    """How many pairs were removed, or lines repaired, for one reason, and the first of them."""

    count: int = 0
    examples: list[Example] = field(default_factory=list)

    def add(self, example: Example) -> None:
        """Counts one more."""
        self.count += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(example)


@dataclass
class CleaningReport:
    """What became of every pair: read = kept + all that were removed. A repaired line was not removed for that."""

    read: int = 0
    kept: int = 0
    removed: dict[str, Found] = field(default_factory=dict)
    repaired: dict[str, Found] = field(default_factory=dict)

    def __str__(self) -> str:
        share = f" ({self.kept / self.read:.1%})" if self.read else ""
        lines = [f"{counted(self.read, 'pair')} read, {self.kept:,} kept{share}"]
        for what, found in (("removed", self.removed), ("repaired", self.repaired)):
            for reason, entry in found.items():
                lines.append(f"{entry.count:>11,} {what}: {reason}")
                lines += [f"{'':14}{one.line}: {_short(one.source)} | {_short(one.target)}" for one in entry.examples]
        return "\n".join(lines)


def clean(
    files: PairFiles,
    out: Path,
    config: CleaningConfig,
    progress: Progress = silent,
    *,
    keep_removed: bool = False,
) -> CleaningReport:
    """Makes the folder `out` from the files; with `keep_removed`, also a file of what was removed, with the reason."""
    _check_names(files, out)
    replaceable(out, written_files)
    report = CleaningReport()
    try:
        with atomic_folder(out, written_files) as partial:
            with TemporaryDirectory(dir=partial) as work, ExitStack() as stack:
                removed = stack.enter_context((partial / REMOVED).open("wb")) if keep_removed else None
                _Cleaning(files, config, progress, Path(work), report, removed).write(partial)
            names = sorted(path.name for path in partial.iterdir())
            content = {"format": FORMAT, "files": [*names, REPORT], "config": asdict(config), **asdict(report)}
            (partial / REPORT).write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")
    except OSError as problem:
        raise not_written(out, problem) from problem
    return report


def written_files(folder: Path) -> Collection[str] | None:
    """The files of a cleaned corpus; None where there is no report.json of ours."""
    try:
        content = read_json(folder / REPORT, FORMAT)
    except FormatError:
        return None
    names = content.get("files")
    return set(names) if isinstance(names, list) and "repaired" in content else None


@dataclass(frozen=True)
class _Cleaning:
    """One cleaning; `work` is a folder for what is needed meanwhile."""

    files: PairFiles
    config: CleaningConfig
    progress: Progress
    work: Path
    report: CleaningReport
    removed: BinaryIO | None

    def write(self, folder: Path) -> None:
        pairs = self._judged_by_themselves()
        marks = self._repetitions(pairs)
        reasons = (None, DUPLICATE, NEAR_DUPLICATE, BOILERPLATE)
        rules = list(self.config.language_rules())
        with ExitStack() as stack:
            outputs = [stack.enter_context(_output(folder / path.name)) for path in self.files.paths]
            for number, (line, source, target) in enumerate(self._survivors()):
                if number % _EVERY == 0:
                    self.progress("languages and output", number, pairs)
                reason = reasons[marks[number]] or _broken_rule(rules, source, target)
                if reason is None:
                    self.report.kept += 1
                    for output, text in zip(outputs, self._written(source, target), strict=True):
                        output.write(text.encode())
                else:
                    self._remove(reason, Example(line, source, target))
        self.progress("languages and output", pairs, pairs)
        if not self.report.kept:
            reasons_given = ", ".join(f"{found.count:,} {reason}" for reason, found in self.report.removed.items())
            raise InputError(
                f"`{self.files.source}` must hold a pair worth keeping, but has none of {self.report.read:,}: "
                f"{reasons_given}. Check the files, or change the limits."
            )

    def _judged_by_themselves(self) -> int:
        """Writes the pairs that keep to the rules, repaired, and their hashes; returns how many they are."""
        rules, survivors = list(self.config.rules()), 0
        self.report.repaired.update({name: Found() for name in REPAIRS})
        with ExitStack() as stack:
            text = stack.enter_context((self.work / "pairs").open("wb"))
            hashes = [stack.enter_context((self.work / key).open("wb")) for key in _KEYS]
            for line, (left, right) in enumerate(self._pairs(), start=1):
                if line % _EVERY == 1:
                    self.progress("reading", line - 1, None)
                self.report.read += 1
                if isinstance(left, LineError) or isinstance(right, LineError):
                    self._remove_unreadable(line, left, right)
                    continue
                source, target = self._repaired(line, left, right)
                reason = _broken_rule(rules, source, target)
                if reason is not None:
                    self._remove(reason, Example(line, source, target))
                    continue
                survivors += 1
                text.write(f"{line}\t{source}\t{target}\n".encode())
                near = f"{folded(source)}\n{folded(target)}"
                for file, key in zip(hashes, (f"{source}\n{target}", near, source, target), strict=True):
                    file.write(text_hash(key))
        for name in [name for name, found in self.report.repaired.items() if not found.count]:
            del self.report.repaired[name]
        if not self.report.read:
            raise without_lines(self.files.source)
        self.progress("reading", self.report.read, self.report.read)
        return survivors

    def _pairs(self) -> Iterator[tuple[str | LineError, str | LineError]]:
        return iter(pairs_or_errors(self.files) if self.files.target else every_pair(self.files))

    def _remove_unreadable(self, line: int, source: str | LineError, target: str | LineError) -> None:
        reason = next(side.reason for side in (source, target) if isinstance(side, LineError))
        texts = [side.text if isinstance(side, LineError) else side for side in (source, target)]
        self._remove(reason, Example(line, *texts))

    def _repaired(self, line: int, source: str, target: str) -> tuple[str, str]:
        (new_source, first), (new_target, second) = repaired(source), repaired(target)
        for name in dict.fromkeys(first + second):
            self.report.repaired[name].add(Example(line, source, target))
        return new_source, new_target

    def _repetitions(self, pairs: int) -> UInt8[np.ndarray, " pairs"]:
        """For each pair that is left, 0 or the number of the reason why it goes."""
        if not pairs:
            return np.zeros(0, np.uint8)
        self.progress("repetitions", 0, 1)
        marks = np.memmap(self.work / "marks", np.uint8, mode="w+", shape=(pairs,))
        mark_repeats(self.work / "pair", marks, 1)
        mark_repeats(self.work / "folded", marks, 2)
        for side in ("source", "target"):
            mark_repeats(self.work / side, marks, 3, allowed=self.config.repeats)
        self.progress("repetitions", 1, 1)
        return marks

    def _survivors(self) -> Iterator[tuple[int, str, str]]:
        with (self.work / "pairs").open("rb") as file:
            for raw in file:
                line, source, target = raw.decode().removesuffix("\n").split("\t")
                yield int(line), source, target

    def _written(self, source: str, target: str) -> tuple[str, ...]:
        if self.files.target is not None:
            return f"{source}\n", f"{target}\n"
        if is_json(self.files.source):
            return (json.dumps({"source": source, "target": target}, ensure_ascii=False) + "\n",)
        return (f"{source}\t{target}\n",)

    def _remove(self, reason: str, example: Example) -> None:
        self.report.removed.setdefault(reason, Found()).add(example)
        if self.removed is not None:
            columns = (str(example.line), reason, example.source, example.target)
            line = "\t".join(" ".join(column.split()) for column in columns)
            self.removed.write(f"{line}\n".encode("utf-8", "replace"))


def _broken_rule(rules: Iterable[tuple[str, Rule]], source: str, target: str) -> str | None:
    return next((reason for reason, breaks in rules if breaks(source, target)), None)


def _check_names(files: PairFiles, out: Path) -> None:
    names = [path.name for path in files.paths]
    if len(set(names)) < len(names):
        raise InputError(
            f"the two files must have different names, since the outputs have them too, but are {names[0]}."
        )
    if {REPORT, REMOVED} & set(names):
        raise InputError(f"the files must not be called {REPORT} or {REMOVED}, as those of `{out}` are. Rename them.")


def _output(path: Path) -> BufferedIOBase:
    """Compressed if its name says so, and then the same bytes at any time."""
    match path.suffix:
        case ".gz":
            return gzip.GzipFile(path, "wb", mtime=0)
        case ".xz":
            return lzma.LZMAFile(path, "wb")
        case _:
            return path.open("wb")


def _short(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
