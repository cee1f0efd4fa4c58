"""What can be seen to be wrong with a translation, without knowing a right one.

Each check asks one question of a source and its output, and says nothing where the question makes no sense: names in a
language without capitals, or the language of three words. Whoever finds a fault can search again (`serving/repair.py`).
That the model was unsure of an output (`certainty.py`) is a fault of another kind: a reason to read it, and no more.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

FaultKind = Literal[
    "loop",
    "copy",
    "wrong_language",
    "number_dropped",
    "number_invented",
    "name_dropped",
    "name_invented",
    "too_long",
    "too_short",
    "unsure",
]
FAULTS: tuple[FaultKind, ...] = get_args(FaultKind)
SEEN: tuple[FaultKind, ...] = tuple(kind for kind in FAULTS if kind != "unsure")
"""Those that can be seen in the texts, and may be gone from another output."""

NAMES: Mapping[str, str] = {
    "loop": "loop",
    "copy": "untranslated",
    "wrong_language": "in another language",
    "number_dropped": "number missing",
    "number_invented": "number added",
    "name_dropped": "name missing",
    "name_invented": "name added",
    "too_long": "too long",
    "too_short": "too short",
    "unsure": "unsure",
}
"""What a person is told."""


@dataclass(frozen=True)
class Fault:
    """One fault, and what shows it: the words that are repeated, the number that is missing."""

    kind: FaultKind
    what: str

    def to_json(self) -> dict[str, str]:
        """As a JSON object."""
        return {"fault": self.kind, "what": self.what}


Check = Callable[[str, str], Sequence[Fault]]
"""From a source and its output to the faults of one or two kinds."""


@dataclass(frozen=True)
class FaultFinder:
    """The checks that suit a pair of languages, in the order in which they are asked."""

    checks: tuple[Check, ...]

    def find(self, source: str, output: str) -> tuple[Fault, ...]:
        """The faults of an output, each once."""
        return tuple(dict.fromkeys(fault for check in self.checks for fault in check(source, output)))
