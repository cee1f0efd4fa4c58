"""A translation on its way into a file, which can go on after whatever stops it.

    out.txt.part          the lines that are done
    out.txt.part.json     sealed: the settings, how far it has come, and a digest of the lines it has read; at the very
                          end that it is finished, so that a kill between the last renames costs nothing

The second is brought up to date at the end of a window of lines, at least every thousand lines or so. To continue is
to cut the first back to what the second vouches for, to pass over the input that was read, and to go on with the same
windows: so even the last digit of a score is what an uninterrupted run would have written.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, fields, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO

import saccade
from saccade.counted import counted
from saccade.errors import ConfigError, InputError, LineError, RunError, SaccadeError
from saccade.file_lock import lock
from saccade.folders import atomic_write, not_written
from saccade.output_files import OutputFile
from saccade.serving.problems import Problems

if TYPE_CHECKING:
    import saccade.serving.translation_options
    import saccade.serving.translator

FORMAT = 1
_SAME = "Use the same, or begin again with --overwrite."
SAVED_EVERY = 1000
"""Lines between two records of how far it is, sooner at the beginning: each waits for the disk."""


class UnfinishedTranslation:
    """The output, and a report of problems if there is one: written line by line, and kept when something fails.

    `lines` and `options` say where to go on and how. `problems` counts from the very beginning. `advice` tells a user
    whose command was stopped what continues it.
    """

    def __init__(
        self,
        output: OutputFile,
        report: OutputFile | None,
        settings: Mapping[str, Any],
        options: "saccade.serving.translation_options.TranslationOptions",
        advice: str = "the same command with --continue goes on from there",
    ) -> None:
        self.advice = advice
        self.outputs = [output] if report is None else [output, report]
        self.settings = dict(settings)
        self.options = options
        self.lines = 0
        self.problems = Problems()
        self._digest = hashlib.sha256()
        self._files: list[BinaryIO] = []
        self._windows = options.window_sizes()
        self._left = next(self._windows)
        self._next_save = 0

    @property
    def _sidecar(self) -> Path:
        part = self.outputs[0].part
        return part.with_name(f"{part.name}.json")

    def begin(self, *, overwrite: bool) -> None:
        """Starts from the first line; what an earlier command left is only given up when the user says so."""
        part = self.outputs[0].part
        if self._sidecar.exists():
            state = self._state()
            if part.exists() and not overwrite:
                raise InputError(
                    f"`{part}` must be continued or given up: it holds {state['lines']:,} lines of a translation that "
                    "was stopped. Add --continue to go on, or --overwrite to begin again."
                )
            for output in self.outputs[: len(state["bytes"])]:
                if output.part.exists():
                    _locked(output.part).close()
                    output.part.unlink()
        for output in self.outputs:
            if output.part.exists():
                output.new_part()  # it is somebody else's, and this refuses it
        self._save([0] * len(self.outputs))
        try:
            for output in self.outputs:
                self._files.append(_lock(output.new_part(), output.part))
        except BaseException:
            self._remove()
            self._close()
            raise

    def resume(self, lines: Iterator[str | LineError]) -> None:
        """Goes back to where an earlier command was sure of its output, and passes over the lines it had read."""
        part = self.outputs[0].part
        if not part.exists():
            raise InputError(f"`--continue` must find `{part}`, but there is none. Leave it out to begin.")
        if not self._sidecar.exists():
            raise InputError(
                f"`{part}` must have `{self._sidecar.name}` beside it to be continued, but has not. Begin again."
            )
        state = self._state()
        self._check_settings(state)
        for _ in range(state["lines"]):
            line = next(lines, None)
            self._count(line.text if isinstance(line, LineError) else line or "")
        if self._digest.hexdigest() != state["source"]:
            raise InputError(
                f"the first {state['lines']:,} lines of the input must be those that `{part}` is the translation of, "
                "but are others. Give the same input, or begin again with --overwrite."
            )
        try:
            for size, output in zip(state["bytes"], self.outputs, strict=True):
                self._files.append(_locked(output.part, size))
        except BaseException:
            self._close()
            raise
        for size, file in zip(state["bytes"], self._files, strict=True):
            file.truncate(size)
            file.seek(size)
        self.problems = Problems(**state["problems"])
        self.options = replace(self.options, first_window=state["window"])
        self._windows = self.options.window_sizes()
        self._left = next(self._windows)
        self._next_save = self.lines + min(self.lines, SAVED_EVERY)

    def __enter__(self) -> "UnfinishedTranslation":
        return self

    def write(self, source: str, line: str, problem: str | None) -> None:
        """Takes the output of the next line, and what the report says about it."""
        self._files[0].write(_bytes(line))
        if problem is not None and len(self._files) > 1:
            self._files[1].write(_bytes(problem))
        self._count(source)
        self._left -= 1
        if not self._left:
            self._left = next(self._windows)
            if self.lines >= self._next_save:
                for file in self._files:
                    file.flush()
                    os.fsync(file.fileno())
                self._save([file.tell() for file in self._files])

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._finish()
            else:
                self._keep(error)
        finally:
            self._close()

    def _close(self) -> None:
        for file in self._files:
            with suppress(OSError):
                file.close()

    def _finish(self) -> None:
        try:
            for file in self._files:
                file.flush()
                os.fsync(file.fileno())
            self._save([file.tell() for file in self._files], finished=True)
            for output, file in zip(self.outputs, self._files, strict=True):
                output.finish(file)
            self._sidecar.unlink(missing_ok=True)
        except Exception as problem:
            self._keep(problem)
            raise

    def _keep(self, error: BaseException) -> None:
        """Says with the error where the lines are that are done; where there are none, nothing is left."""
        with suppress(OSError):
            self._files[0].flush()
        note = ""
        if self.lines:
            kept = f"{counted(self.lines, 'line')} {'is' if self.lines == 1 else 'are'}"
            note = f" {kept} kept in `{self.outputs[0].part}`: {self.advice}."
        else:
            self._remove()
        if isinstance(error, OSError) and error.filename is None:
            raise RunError(f"{not_written(self.outputs[0].named, error)}{note}") from error
        if isinstance(error, SaccadeError):
            error.args = (f"{error}{note}",)
        elif note:
            print(note.strip(), file=sys.stderr)

    def _remove(self) -> None:
        for output, _ in zip(self.outputs, self._files, strict=False):
            output.part.unlink(missing_ok=True)
        self._sidecar.unlink(missing_ok=True)

    def _count(self, source: str) -> None:
        self.lines += 1
        self._digest.update(_bytes(f"{source}\n"))

    def _state(self) -> dict[str, Any]:
        from saccade.json_files import read_sealed_json

        advice = f"Move it and `{self.outputs[0].part.name}` away to begin again."
        return read_sealed_json(self._sidecar, FORMAT, advice=advice)

    def _save(self, sizes: list[int], *, finished: bool = False) -> None:
        from saccade.json_files import sealed

        state = {
            "format": FORMAT,
            "settings": self.settings,
            "lines": self.lines,
            "bytes": sizes,
            "window": self._left,
            "source": self._digest.hexdigest(),
            "problems": self.problems.to_json(),
            "finished": finished,
        }
        self._next_save = self.lines + min(self.lines, SAVED_EVERY)
        try:
            atomic_write(self._sidecar, json.dumps(sealed(state), indent=1))
        except OSError as problem:
            raise not_written(self.outputs[0].named, problem) from problem

    def _check_settings(self, state: Mapping[str, Any]) -> None:
        before = {**state["settings"], "report": _told_report(state)}
        now = {**self.settings, "report": len(self.outputs) > 1}
        check_settings(before, now, self.outputs[0].part, _SAME)


def check_settings(before: Mapping[str, Any], now: Mapping[str, Any], begun: Path, advice: str) -> None:
    """Refuses to go on with what was begun with other settings."""
    now = json.loads(json.dumps(now))
    for name in sorted({*before, *now}, key=lambda name: (name == "engine", name)):  # it may follow from another
        if before.get(name) != now.get(name):
            values = "" if name == "model" else f" ({before.get(name)!r}), but is {now.get(name)!r}"
            raise ConfigError(
                f"`{name}` must be as it was when `{begun}` was begun{values or ', but is not'}. {advice}"
            )


def search_settings(
    translator: "saccade.serving.translator.Translator",
    options: "saccade.serving.translation_options.TranslationOptions",
    prefix: str = "",
) -> dict[str, Any]:
    """Everything that translations depend on, apart from the input."""
    apart = ("search", "first_window", "rerank", "unknown_words", "glossary")
    values = {field.name: getattr(options, field.name) for field in fields(options) if field.name not in apart}
    if options.rerank is not None:
        values["rerank"] = options.rerank.settings
    if options.unknown_words is not None:
        values["unknown_words"] = dict(options.unknown_words.dictionary)
    if options.glossary is not None:
        values["glossary"] = options.glossary.settings
    return {
        "saccade": saccade.__version__,
        "model": translator.digest,
        "engine": translator.engine(options.search, prefixed=bool(prefix)).description,
        "prefix": prefix,
        **_languages(translator),
        **values,
        **asdict(options.search or translator.search),
    }


def _languages(translator: "saccade.serving.translator.Translator") -> dict[str, str | None]:
    """Those of a model that must be told them."""
    vocabularies = (translator.source_tokenizer.vocabulary, translator.target_tokenizer.vocabulary)
    if not any(vocabulary is not None and vocabulary.prefix for vocabulary in vocabularies):
        return {}
    return {name: getattr(translator.bundle, name) for name in ("source_language", "target_language")}


def is_whole(named: Path) -> bool:
    """Whether there is an output and no record of an unfinished one: a kill may come when all is done."""
    target = Path(os.path.realpath(named))
    return target.is_file() and target.stat().st_size > 0 and not any(path.exists() for path in _unfinished(target))


def _unfinished(target: Path) -> tuple[Path, Path]:
    """The part file of an output and the record beside it."""
    part = target.parent / f"{target.name}.part"  # the root of all folders has no name
    return part, part.with_name(f"{part.name}.json")


def _told_report(state: Mapping[str, Any]) -> bool:
    """Whether a record is about an output and a report."""
    return len(state["bytes"]) > 1


def complete(output: Path, report: Path | None = None) -> bool:
    """Gives outputs their names where every line was done but a kill came before that; False where it was not so."""
    from saccade.json_files import read_sealed_json

    targets = [Path(os.path.realpath(name)) for name in (output, report) if name is not None]
    parts = [_unfinished(target)[0] for target in targets]
    sidecar = _unfinished(targets[0])[1]
    if not sidecar.is_file():
        return False
    state = read_sealed_json(sidecar, FORMAT)
    if not state.get("finished"):
        return False
    check_settings({"report": _told_report(state)}, {"report": report is not None}, parts[0], _SAME)
    # One that has its name already is not among them.
    waiting = [
        (part, target) for part, target in zip(parts, targets, strict=True) if part.exists() or not target.is_file()
    ]
    for part, _ in waiting:
        _locked(part).close()
    for part, target in waiting:
        part.replace(target)
    sidecar.unlink()
    return True


def _locked(part: Path, size: int = 0) -> BinaryIO:
    """A part file of ours, which must have at least this many bytes."""
    try:
        file = part.open("r+b")
    except OSError as problem:
        raise InputError(f"`{part}` must be there to be continued, but is not: {problem.strerror}.") from problem
    if os.fstat(file.fileno()).st_size < size:
        file.close()
        raise InputError(f"`{part}` must have {size:,} bytes or more, but has fewer. Begin again with --overwrite.")
    return _lock(file, part)


def _lock(file: BinaryIO, part: Path) -> BinaryIO:
    with ExitStack() as unless_locked:
        unless_locked.enter_context(file)
        if not lock(file, part, wait=False):
            raise InputError(f"`{part}` must be free, but another process is writing it. Wait, or stop it.")
        unless_locked.pop_all()
    return file


def _bytes(text: str) -> bytes:
    """UTF-8; half a surrogate pair, which has no bytes, becomes a question mark."""
    return text.encode("utf-8", "replace")
