"""What counts as a failure, whatever was done to the command.

    a traceback; a hang; an exit code that is not documented; an error that is not one line; a process left behind;
    a file of the user changed or gone; a file outside the folder the command was told about

Silent changes of output need to know what the output should be: the kinds of faults look for those themselves.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.faults.sandbox import Outcome, Sandbox

DOCUMENTED = {0, 2, 130}
NOT_EXACT = 1
"""What `verify-resume` ends with when continuing is not exact, and `replay` or `evaluate` never."""
WORK = "work/"


class Failed(Exception):
    """A case that found a fault of ours; the text says what happened."""


def judge(outcome: Outcome, allowed: Iterable[int] = ()) -> None:
    """The rules that hold for every command."""
    if outcome.hung:
        raise Failed(f"hung for {outcome.seconds:.0f} s")
    if "Traceback (most recent call last)" in outcome.stderr:
        raise Failed("a traceback")
    if outcome.left_behind:
        raise Failed("a process was left behind")
    if outcome.code not in DOCUMENTED | set(allowed):
        raise Failed(f"exit code {outcome.code}")
    if outcome.code == 130 and not outcome.interrupted:
        raise Failed("exit code 130 without an interruption")
    if outcome.code == 2:
        _one_line(outcome)


def _one_line(outcome: Outcome) -> None:
    errors = [line for line in outcome.stderr.splitlines() if line.startswith("error: ")]
    helped = "Usage: " in outcome.stdout.decode("utf-8", "replace")  # asked for nothing: shown what there is
    if helped and not errors:
        return
    if len(errors) != 1 or outcome.last_line != errors[0]:
        raise Failed(f"exit code 2 with {len(errors)} lines of error, the last line being {outcome.last_line!r}")
    if not re.search(r"\w", errors[0].removeprefix("error: ")):
        raise Failed("an error that says nothing")


def untouched(sandbox: Sandbox, before: Mapping[str, tuple[object, ...]], may_change: Iterable[Path] = ()) -> None:
    """Whatever was there is there as it was, except below the paths that the command was told to change."""
    after = sandbox.snapshot()
    free = [str(path.relative_to(sandbox.around)) for path in may_change]
    for name, described in before.items():
        if any(name == one or name.startswith(f"{one}/") for one in free):
            continue
        if name not in after:
            raise Failed(f"{name} is gone")
        if after[name] != described:
            raise Failed(f"{name} was changed")
    for name in after:
        if name not in before and not name.startswith(WORK):
            raise Failed(f"{name} was made outside the current folder")
    if strays := sandbox.strays():
        raise Failed(f"files left in shared folders: {', '.join(strays[:3])}")
