"""Lines that came to nothing, were cut short or have faults: counted, summed up in one line, and listed in a report."""

import json
from collections.abc import Sequence
from typing import Any

from saccade.quality.faults import FAULTS, NAMES, Fault

TRUNCATED = "truncated"
LINES = "lines"
"""In counts of faults: the lines that have any."""
SHOWN = 5
"""Line numbers that the summary names for each reason."""


class Problems:
    """How many lines had which problem, and the first of them."""

    def __init__(
        self,
        counts: dict[str, int] | None = None,
        lines: dict[str, list[int]] | None = None,
        faults: dict[str, int] | None = None,
        repaired: dict[str, int] | None = None,
    ) -> None:
        self.counts = counts or {}
        self.lines = lines or {}
        self.faults = faults or {}
        self.repaired = repaired or {}

    def add(self, line: int, reason: str) -> None:
        """Counts one more."""
        self.counts[reason] = self.counts.get(reason, 0) + 1
        shown = self.lines.setdefault(reason, [])
        if len(shown) < SHOWN:
            shown.append(line)

    def add_faults(self, faults: Sequence[Fault], repaired: Sequence[Fault]) -> None:
        """Counts the faults of one more line, each kind once: those that it has and those that it had."""
        for counts, found in ((self.faults, faults), (self.repaired, repaired)):
            for kind in {fault.kind for fault in found}:
                counts[kind] = counts.get(kind, 0) + 1
            if found:
                counts[LINES] = counts.get(LINES, 0) + 1

    def extend(self, later: "Problems") -> None:
        """Counts those of later lines too."""
        for counts, more in (
            (self.counts, later.counts),
            (self.faults, later.faults),
            (self.repaired, later.repaired),
        ):
            for name, count in more.items():
                counts[name] = counts.get(name, 0) + count
        for reason, lines in later.lines.items():
            self.lines[reason] = [*self.lines.get(reason, []), *lines][:SHOWN]

    def to_json(self) -> dict[str, Any]:
        """As `Problems(**...)` takes it."""
        values: dict[str, Any] = {"counts": self.counts, "lines": self.lines}
        return values | {"faults": self.faults, "repaired": self.repaired}

    def summary(self, total: int, done: str, what: str = "lines") -> str | None:
        """One line, such as "2 of 10 lines could not be translated: 1 too long (4), 1 not UTF-8 (8)."; or None."""
        failed = {reason: count for reason, count in self.counts.items() if reason != TRUNCATED}
        parts = []
        if failed:
            listed = ", ".join(f"{count:,} {reason} ({self._where(reason)})" for reason, count in failed.items())
            parts.append(f"{sum(failed.values()):,} of {total:,} {what} could not be {done}: {listed}.")
        if TRUNCATED in self.counts:
            where, were = self._where(TRUNCATED), "was" if self.counts[TRUNCATED] == 1 else "were"
            parts.append(
                f"{self.counts[TRUNCATED]:,} of {total:,} {what} {were} too long and {were} truncated ({where})."
            )
        repaired = "was repaired" if self.repaired.get(LINES) == 1 else "were repaired"
        for counts, what_is in ((self.faults, "may be wrong"), (self.repaired, repaired)):
            if counts:
                listed = ", ".join(f"{counts[kind]:,} {NAMES[kind]}" for kind in FAULTS if kind in counts)
                parts.append(f"{counts[LINES]:,} of {total:,} {what} {what_is}: {listed}.")
        return " ".join(parts) or None

    def _where(self, reason: str) -> str:
        more = ", ..." if self.counts[reason] > SHOWN else ""
        return f"{', '.join(map(str, self.lines[reason]))}{more}"


def report_line(number: int, source: str, reason: str, message: str) -> str:
    """One line of a report, as JSON."""
    values = {"line": number, "problem": reason, "message": message, "source": source}
    return json.dumps(values, ensure_ascii=False)


def truncation(number: int) -> str:
    """What a report says about a line that was cut."""
    return f"line {number} was longer than this model reads; only its beginning was used."
