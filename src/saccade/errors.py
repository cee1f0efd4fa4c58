"""Everything a user can cause, as one tree.

    SaccadeError          one line: "`x` must be A, but is B. Do C."
    ├── InputError        a text, a file or an argument that was given
    │   ├── LineError     one line of many: the others can be used
    │   └── TreeError     a text that is no constituency tree
    ├── ConfigError       a recipe or an option
    ├── FormatError       a model folder, checkpoint or store that is broken, newer than this program or tampered with
    ├── RunError          a run folder: locked by another process, disk full, loss not finite
    ├── SourceError       a corpus that cannot be had
    └── MemoryFullError   a model or a batch for which this machine has no memory

The command line prints the line and ends with exit code 2. A mistake of the programmer is an assertion instead.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class SaccadeError(ValueError):
    """The root: catch this to catch whatever a user of saccade can cause."""


class InputError(SaccadeError):
    """A text, a file or an argument is not what it must be."""


class LineError(InputError):
    """One line of many cannot be used: `reason` in two or three words, and the `text` as far as it can be read."""

    def __init__(self, message: str, reason: str, text: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.text = text


class TreeError(InputError):
    """A text is no constituency tree, or not one over the words it must have."""


class ConfigError(SaccadeError):
    """A recipe or an option is not what it must be."""


class FormatError(SaccadeError):
    """Something saccade wrote earlier is damaged, incomplete, altered or newer than this program."""


class RunError(SaccadeError):
    """A training run cannot go on: its folder is locked, the disk is full, or the loss is not finite."""


class SourceError(SaccadeError):
    """A corpus cannot be found or fetched."""


class MemoryFullError(SaccadeError):
    """This machine has too little memory for what was asked of it."""


NEAR = 0.75
"""How like a known name an unknown one must be to be taken for it: one wrong letter in four, as `difflib` counts."""


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """The closing words of an error about an unknown name: the known one that it is near to or begins, or nothing."""
    known = list(candidates)
    begun = [one for one in known if len(name) > 1 and one.startswith(name)]
    nearest = get_close_matches(name, known, n=1, cutoff=NEAR) or get_close_matches(name, begun, n=1, cutoff=0.0)
    return f" Did you mean {nearest[0]!r}?" if nearest else ""
