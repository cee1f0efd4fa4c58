"""Where lines come from, and a count of them while they pass."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from saccade.errors import InputError

Item = TypeVar("Item")

STANDARD_INPUT = Path("/dev/stdin")


@dataclass(frozen=True)
class Input:
    """The lines a command was given, the file they are read from, and whether a person is typing them right now."""

    lines: Iterable[str]
    path: Path | None = None
    typed: bool = False

    @classmethod
    def of(cls, texts: list[str], file: Path | None) -> "Input":
        """From arguments: texts, or one that names a file, or a file, or (nothing, or `-`) standard input."""
        from saccade.data.corpus import read_lines

        if file is not None and texts:
            raise InputError("the input must be either texts or `--input`, but both are given. Leave one out.")
        if file is None and len(texts) == 1 and _is_file(texts[0]):
            file = Path(texts[0])
        if file is not None and str(file) != "-":
            return cls(read_lines(file), file)
        if texts and texts != ["-"]:
            return cls(texts)
        return cls(typed_lines(), typed=True) if sys.stdin.isatty() else cls(read_lines(STANDARD_INPUT))


def typed_lines(prompt: str = "> ") -> Iterator[str]:
    """Lines as a person types them, until Ctrl-D or an empty line; the prompt stays out of the output."""
    while True:
        print(prompt, end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line.strip():
            print(file=sys.stderr)
            return
        yield line.rstrip("\n")


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


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except OSError:  # longer than a file's name can be
        return False
