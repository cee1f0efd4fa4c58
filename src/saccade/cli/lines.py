"""Where lines come from, and a count of them while they pass."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

from saccade.errors import InputError

Item = TypeVar("Item")

STANDARD_INPUT = Path("/dev/stdin")


def input_lines(texts: list[str], file: Path | None) -> tuple[Iterable[str], bool]:
    """The lines a command was given, and whether a person is typing them right now."""
    from saccade.data.corpus import read_lines

    if file is not None and texts:
        raise InputError("the input must be either texts or `--input`, but both are given. Leave one out.")
    if file is not None and str(file) != "-":
        return read_lines(file), False
    if texts and texts != ["-"]:
        if len(texts) == 1 and _is_file(texts[0]):
            return read_lines(Path(texts[0])), False
        return texts, False
    if sys.stdin.isatty():
        return typed_lines(), True
    return read_lines(STANDARD_INPUT), False


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
