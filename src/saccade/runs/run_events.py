"""What a run tells those who listen while it prepares, trains and scores."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from saccade.training.journal import Listener

Item = TypeVar("Item")


@dataclass(frozen=True)
class RunEvents:
    """Sends events to the listeners of a run."""

    listeners: tuple[Listener, ...]

    def note(self, text: str) -> None:
        """Something for the user to read."""
        self._send({"event": "note", "text": text})

    def progress(self, text: str, done: int, total: int | None) -> None:
        """How much of a piece of work that has no steps is done."""
        self._send({"event": "preparing", "text": text, "done": done, "total": total})

    def counted(self, text: str, total: int, items: Iterator[Item]) -> Iterator[Item]:
        """The same items, reported as they pass."""
        for done, item in enumerate(items, start=1):
            self.progress(text, done, total)
            yield item

    def _send(self, event: Mapping[str, Any]) -> None:
        for listener in self.listeners:
            listener(event)
