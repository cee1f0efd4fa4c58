"""The journal of a run: one JSON object per line and event."""

import json
from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, NonNegativeInt

from saccade.errors import FormatError, RunError
from saccade.json_files import StrictContent, checked, parse_json

Event = Mapping[str, Any]
Listener = Callable[[Event], None]
"""Called with every event as it happens, and with a `step` event after every step: progress bars, TensorBoard."""

_MACHINE_DEPENDENT = {"seconds", "tokens_per_second", "floor_tokens_per_second", "of_floor", "time", "peak_memory"}
_REPEATABLE = {"train", "validation"}


class Journal:
    """journal.jsonl, appended to and flushed line by line.

    A checkpoint stores the length of the journal; resuming cuts off what came later, since those steps are about to
    be taken again. So a killed and resumed run leaves the lines of the unbroken one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, event: Event) -> None:
        """Appends a line; JSON has no numbers that are not finite, so they become null."""
        plain = {
            key: None if isinstance(value, float) and not isfinite(value) else value for key, value in event.items()
        }
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(plain) + "\n")
        except OSError as problem:
            raise RunError(f"{self.path} could not be written: {problem.strerror}.") from problem

    @property
    def length(self) -> int:
        """Its length in bytes."""
        return self.path.stat().st_size if self.path.exists() else 0

    def cut(self, length: int) -> None:
        """Removes everything after that many bytes."""
        if self.length > length:
            with self.path.open("r+b") as file:
                file.truncate(length)


def read_journal(path: Path) -> list[dict[str, Any]]:
    """All events of a journal; a last line that a kill left unfinished is skipped."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as problem:
        raise FormatError(f"`{path}` must be readable, but is not: {problem.strerror}.") from problem
    return [_event(line, f"{path}:{number}") for number, line in enumerate(lines[:-1], start=1)]


class _Line(StrictContent):
    """What every line holds, whatever else its event has to say."""

    model_config = ConfigDict(extra="allow")

    event: str
    step: NonNegativeInt


def _event(line: bytes, where: str) -> dict[str, Any]:
    try:
        event = parse_json(line)
    except ValueError:
        raise FormatError(f"`{where}` is damaged or altered: it must be JSON, but is not.") from None
    checked(_Line, event, where)
    assert isinstance(event, dict)
    return event


def repeatable(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Losses and scores, without time and memory: equal, bit for bit, however often a run was interrupted."""
    return [
        {key: value for key, value in event.items() if key not in _MACHINE_DEPENDENT}
        for event in events
        if event["event"] in _REPEATABLE
    ]
