"""Where lines come from, and a count of them while they pass."""

import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from saccade.errors import InputError, LineError

Item = TypeVar("Item")

STANDARD_INPUT = Path("/dev/stdin")
# One word that is a path, or ends as the name of a text file does: nobody wants the translation of a mistyped name.
_LIKE_A_FILE = re.compile(r"(~|\.{0,2})/\S*|\S+\.(txt|gz|xz|tsv|jsonl?|html?|srt|vtt|pot|xlf|xliff|docx|[a-z]{2})")


@dataclass(frozen=True)
class Input:
    """The lines a command was given, the file they are read from, and whether a person is typing them right now."""

    lines: Iterable[str | LineError]
    path: Path | None = None
    typed: bool = False

    @classmethod
    def of(cls, arguments: list[str], texts: list[str], file: Path | None) -> "Input":
        """From arguments (texts, or one that names a file), texts that are texts, a file, or standard input."""
        from saccade.data.text_lines import lines_or_errors

        if sum(map(bool, (arguments, texts, file))) > 1:
            raise InputError("the input must be texts, `--text` or `--input`, but two are given. Leave one out.")
        if texts:
            return cls(texts)
        if file is None and len(arguments) == 1 and _is_file(arguments[0]):
            file = Path(arguments[0])
        if file is None and len(arguments) == 1 and _is_named_folder(arguments[0]):
            raise InputError(
                f"`{arguments[0]}` must be a file, but is a folder. Name a file; if it is the text itself, give --text "
                f"{shlex.quote(arguments[0])}."
            )
        if file is None and len(arguments) == 1 and _LIKE_A_FILE.fullmatch(arguments[0]):
            raise InputError(
                f"`{arguments[0]}` looks like a file, but there is none that can be read. Check the path; if it is the "
                f"text itself, write --text {shlex.quote(arguments[0])}."
            )
        if len(arguments) > 1 and (files := [one for one in arguments if _is_file(one)]):
            raise InputError(
                f"the input must be texts or one file, but `{files[0]}` is a file and not alone. Give one file at a "
                "time; texts that are like file names come with --text."
            )
        if file is not None and str(file) != "-":
            return cls(lines_or_errors(file), file)
        if arguments and arguments != ["-"]:
            if len(arguments) > 1 and all(len(one.split()) == 1 for one in arguments):
                sentence = shlex.quote(" ".join(arguments))
                print(f"Each argument is a text of its own. As one text: {sentence}", file=sys.stderr)
            return cls(arguments)
        if not sys.stdin.isatty():
            return cls(lines_or_errors(STANDARD_INPUT))
        return cls(typed_lines("One line at a time; an empty line or Ctrl-D ends."), typed=True)


def refuse_input_as_output(output: Path | None, *inputs: Path | None) -> None:
    """An output must not be what is being read, under whatever name."""
    for path in inputs:
        if output and path and output.is_file() and path.is_file() and output.samefile(path):
            raise InputError("`--output` must not be the input, which it would overwrite. Choose another.")


def typed_lines(hint: str) -> Iterator[str]:
    """Lines as a person types them, until Ctrl-D or an empty line; hint and prompt stay out of the output."""
    print(hint, file=sys.stderr)
    while True:
        try:
            line = _ask("> ")
        except KeyboardInterrupt:
            print(file=sys.stderr)  # what is said next begins on a line of its own
            raise
        if not line.strip():
            return
        yield line.rstrip("\n")


def _ask(prompt: str) -> str:
    """One line, which a person can edit and call back with the arrow keys where both ends are a terminal."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        with suppress(ImportError):  # not every Python has it
            import readline  # noqa: F401 importing it is what makes `input` edit
        try:
            return input(prompt)
        except EOFError:
            print()
            return ""
    print(prompt, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline()


def counting(items: Iterable[Item], what: str, stack: ExitStack, *, shown: bool) -> Iterator[Item]:
    """The same items; while they pass, a person at a terminal sees how many and how fast."""
    if not (shown and sys.stderr.isatty()):
        yield from items
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn(f"{{task.completed:,.0f}} {what}"), TimeElapsedColumn())
    progress = stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
    task = progress.add_task(what, total=None)
    for item in items:
        progress.advance(task)
        yield item


def _is_named_folder(text: str) -> bool:
    """Whether this is a folder, and written as one: a word can have the name of a folder that happens to be here."""
    try:
        return ("/" in text or "." in text) and Path(text).is_dir()
    except OSError:
        return False


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except OSError:  # longer than a file's name can be
        return False
