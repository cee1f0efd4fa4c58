"""Aligned text files in, pairs of strings out; whatever cannot be used is refused or counted, never silently dropped.

    two files        line n of one belongs to line n of the other
    one TSV file     source TAB target; further columns are ignored
    one .jsonl file  {"source": ..., "target": ...} or [source, target] on each line
    one text file    for a language model: each line is a target, and no source belongs to it
    trees            for a parser: a file of words and one of bracketed trees; or trees alone, read for their words

Each may be plain or compressed (`text_lines.py`). Files that cannot mean what the user thinks (other line counts, no
pair on a line) are refused with file and line; single pairs that would only harm training are left out and counted.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Literal, TypeVar

from saccade.data.corpus_report import CorpusReport
from saccade.data.text_lines import LineRange, lines_or_errors, read_lines, without_lines
from saccade.data.trees import read_tree
from saccade.errors import InputError, LineError

TextPair = tuple[str, str]
"""The source and the target of a line."""
EMPTY, TOO_LONG, OUT_OF_PROPORTION = "empty", "too long", "lengths out of proportion"
"""Why a pair is left out."""

_LINE_ENDS = re.compile(r"[\r\n]")
_NO_TEXT = re.compile("[\0\ud800-\udfff]")

Line = TypeVar("Line")
Content = Literal["pairs", "labelled", "text", "trees"]
"""What files hold: pairs of texts, texts and the label of each, texts alone, or sentences and their trees."""


@dataclass(frozen=True)
class PairFiles:
    """Where pairs are: two aligned files, or one file with both sides (target None).

    A file of texts alone gives pairs with an empty source. The targets of labelled texts are labels, each one word:
    white space inside a label is written as an underscore. Where only some lines of the files are meant, `ranges` has
    those of each file.
    """

    source: Path
    target: Path | None = None
    content: Content = "pairs"
    ranges: tuple[LineRange, ...] = ()

    def __post_init__(self) -> None:
        if self.content == "text" and self.target is not None:
            raise InputError(
                f"`target` must be left out where there is only text, but is {self.target}. Give one file."
            )

    @property
    def paths(self) -> tuple[Path, ...]:
        """The one or two files."""
        return (self.source,) if self.target is None else (self.source, self.target)

    @property
    def first(self) -> int:
        """The number of the first line."""
        return self.ranges[0].before + 1 if self.ranges else 1

    def lines(self) -> Iterator[str]:
        """The lines of the first file."""
        return read_lines(self.source, self.ranges[0] if self.ranges else None)


@dataclass(frozen=True)
class Limits:
    """What a pair must keep to.

    A pair is out of proportion when its longer side has more than `ratio` times the characters of the shorter one;
    sides up to `proportionate` characters never are (one letter may well have seven phones). A label is in no
    proportion to its text, so only pairs of texts are measured like this.
    """

    characters: int = 20_000
    ratio: float = 9.0
    proportionate: int = 60


def read_pairs(files: PairFiles, report: CorpusReport, limits: Limits | None = None) -> Iterator[TextPair]:
    """The pairs worth keeping, in the order of the files; `report` counts all of them."""
    for _, source, target in numbered_pairs(files, report, limits or Limits()):
        yield source, target


def numbered_pairs(files: PairFiles, report: CorpusReport, limits: Limits) -> Iterator[tuple[int, str, str]]:
    """As `read_pairs`, each with its line number, for readers that leave out more."""
    seen = 0
    for number, (source, target) in enumerate(every_pair(files), start=1):
        seen = number
        report.read += 1
        reason = _why_not(source, target, limits, files.content)
        if reason is None:
            report.kept += 1
            yield number, source, target
        else:
            report.leave_out(reason, f"{files.source}:{number}")
    if not seen:
        raise without_lines(files.source)


def _why_not(source: str, target: str, limits: Limits, content: Content) -> str | None:
    if not target or target.isspace() or (content != "text" and (not source or source.isspace())):
        return EMPTY
    shorter, longer = len(source), len(target)
    if shorter > longer:
        shorter, longer = longer, shorter
    if longer > limits.characters:
        return TOO_LONG
    if content == "pairs" and longer > limits.proportionate and longer > limits.ratio * shorter:
        return OUT_OF_PROPORTION
    return None


def every_pair(files: PairFiles) -> Iterator[TextPair]:
    """Every pair as it stands, whatever it is like: for scoring, which must leave nothing out."""
    match files.content:
        case "text":
            return (("", line) for line in files.lines())
        case "labelled":
            return ((source, as_label(target)) for source, target in _both_sides(files))
        case "trees":
            return _sentences_and_trees(files)
        case "pairs":
            return _both_sides(files)


def as_label(text: str) -> str:
    """A label as one word, since a label is one piece: "very good" becomes "very_good"."""
    return "_".join(text.replace("\u2581", " ").split())  # sentencepiece reads its own mark as a space


def _sentences_and_trees(files: PairFiles) -> Iterator[TextPair]:
    """The words of each sentence and its tree, one line each; a line without either stays empty."""
    lines = ((None, line) for line in files.lines()) if files.target is None else _both_sides(files)
    for number, (words, text) in enumerate(lines, start=files.first):
        empty = not text.strip() and not (words or "").strip()
        yield ("", "") if empty else read_tree(text, words, f"{files.paths[-1]}:{number}")


def _both_sides(files: PairFiles) -> Iterator[TextPair]:
    if files.target is not None:
        return _aligned(files, read_lines)
    lines = files.lines()
    if files.source.is_relative_to("/dev"):  # standard input has no name that says what it is, but its first line does
        first = next(lines, None)
        if first is None:
            return iter(())
        in_json, lines = first.startswith(("{", "[")) and "\t" not in first, chain([first], lines)
    else:
        in_json = is_json(files.source)
    return (_json_lines if in_json else _tabbed)(lines, files)


def is_json(path: Path) -> bool:
    """Whether a file's name says that its lines are JSON."""
    content = path.with_suffix("") if path.suffix in (".gz", ".xz") else path
    return content.suffix in (".jsonl", ".json")


def pairs_or_errors(files: PairFiles) -> Iterator[tuple[str | LineError, str | LineError]]:
    """Every pair of two files; in place of a line that is no text stands what `read_lines` raises."""
    return _aligned(files, lines_or_errors)


def _aligned(files: PairFiles, read: Callable[[Path, LineRange | None], Iterator[Line]]) -> Iterator[tuple[Line, Line]]:
    assert files.target is not None
    sources, targets = (read(path, some) for path, some in zip(files.paths, files.ranges or (None, None), strict=True))
    for number, (left, right) in enumerate(zip_longest(sources, targets)):
        if left is None or right is None:
            longer = number + 1 + sum(1 for _ in (targets if left is None else sources))
            raise not_aligned(files.source, files.target, *((number, longer) if left is None else (longer, number)))
        yield left, right


def not_aligned(source: Path, target: Path, source_lines: int, target_lines: int) -> InputError:
    """The error of two files that cannot belong together."""
    return InputError(
        f"`{source}` and `{target}` must have the same number of lines, but have {source_lines:,} and "
        f"{target_lines:,}. Line n of one must belong to line n of the other."
    )


def _tabbed(lines: Iterable[str], files: PairFiles) -> Iterator[TextPair]:
    for number, line in enumerate(lines, start=files.first):
        columns = line.split("\t", 2)
        if len(columns) < 2:
            raise InputError(
                f"`{files.source}:{number}` must be source TAB target, but has no tab. "
                "Give a file for each side, or separate them with a tab."
            )
        yield columns[0], columns[1]


def _json_lines(lines: Iterable[str], files: PairFiles) -> Iterator[TextPair]:
    for number, line in enumerate(lines, start=files.first):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"`{files.source}:{number}` must be JSON, but is not: {error}.") from error
        sides = [value.get("source"), value.get("target")] if isinstance(value, dict) else value
        if not (isinstance(sides, list) and len(sides) == 2 and all(map(_is_text, sides))):
            raise InputError(
                f'`{files.source}:{number}` must be {{"source": text, "target": text}} or [source, target], '
                f"but is {line[:60]!r}."
            )
        source, target = (_LINE_ENDS.sub(" ", side) for side in sides)
        yield source, target


def _is_text(side: object) -> bool:
    """Whether JSON gave a string that can be written as a line of UTF-8: no half surrogate pairs, no NUL."""
    return isinstance(side, str) and _NO_TEXT.search(side) is None
