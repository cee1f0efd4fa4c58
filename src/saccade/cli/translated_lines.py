"""Translations as lines of output: columns or JSON, to standard output or straight into a device or a pipe."""

import json
import sys
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Protocol, runtime_checkable

from saccade.serving.problems import TRUNCATED, Problems, report_line, truncation

if TYPE_CHECKING:
    import saccade.serving.translation
    import saccade.serving.translation_options


@dataclass(frozen=True)
class LineForm:
    """How a translation is written: one JSON object, or a line of columns for each candidate."""

    as_json: bool
    scores: bool
    alignment: bool
    numbered: bool


@runtime_checkable
class LineSink(Protocol):
    """Where lines go, and what was wrong with them."""

    problems: Problems

    def write(self, source: str, line: str, problem: str | None) -> None:
        """Takes the output of the next source line, and what the report says about it."""
        ...


@runtime_checkable
class Writer(LineSink, Protocol):
    """Where the lines of a command go: `lines` of them are there, and `options` say how to go on."""

    lines: int
    options: "saccade.serving.translation_options.TranslationOptions"

    def __enter__(self) -> object: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class DirectOutput:
    """Standard output, or a device or pipe that is open already: every line leaves at once, and none comes back."""

    def __init__(
        self,
        options: "saccade.serving.translation_options.TranslationOptions",
        file: BinaryIO | None,
        report: BinaryIO | None,
    ) -> None:
        self.options = options
        self.lines = 0
        self.problems = Problems()
        self._file = file
        self._report = report

    def write(self, source: str, line: str, problem: str | None) -> None:  # noqa: ARG002
        """Takes the output of the next source line, and what the report says about it."""
        self.lines += 1
        content = line.encode("utf-8", "replace")
        if self._file is None:
            print(content.decode("utf-8"), end="", flush=True, file=sys.stdout)
        else:
            self._file.write(content)
            self._file.flush()
        if problem is not None and self._report is not None:
            self._report.write(problem.encode("utf-8", "replace"))

    def __enter__(self) -> "DirectOutput":
        return self

    def __exit__(self, *_: object) -> None:
        """Whoever opened a file closes it."""


def write_translation(translation: "saccade.serving.translation.Translation", form: LineForm, writer: LineSink) -> None:
    """Writes one, and counts it if something was wrong with it."""
    problem = None
    if translation.error is not None:
        reason, message = translation.error.reason, str(translation.error)
    elif translation.truncated:
        reason, message = TRUNCATED, truncation(translation.number)
    else:
        reason = message = ""
    if reason:
        writer.problems.add(translation.number, reason)
        problem = report_line(translation.number, translation.source, reason, message) + "\n"
    writer.problems.add_faults(translation.faults or (), translation.repaired)
    writer.write(translation.source, _lines(translation, form), problem)


def _lines(translation: "saccade.serving.translation.Translation", form: LineForm) -> str:
    if form.as_json:
        return json.dumps(translation.to_json(), ensure_ascii=False) + "\n"
    number = [str(translation.number)] if form.numbered else []
    known = translation.error is None
    return "".join("\t".join(number + _columns(one, form, known)) + "\n" for one in translation.nbest)


def _columns(candidate: "saccade.serving.translation.Candidate", form: LineForm, known: bool) -> list[str]:
    from saccade.serving.stable_scores import DIGITS

    # A tab or a line end that was kept of the source would look like the end of a column.
    columns = [" ".join(candidate.text.split()) if form.scores or form.alignment or form.numbered else candidate.text]
    if form.scores:
        scores = [candidate.score]
        if candidate.reranked is not None:
            scores += [candidate.reranked.search, *candidate.reranked.others]
        columns += [f"{score:.{DIGITS}f}" if known else "" for score in scores]
    if form.alignment:
        columns.append(candidate.alignment.pharaoh if candidate.alignment else "")
    return columns
