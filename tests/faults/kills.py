"""Kills, interruptions and failing disks at every kind of moment; then the same command again, to the same result.

Python reports what it is about to do with files to an audit hook: opening, renaming, removing, making folders. A fault
strikes at one of these moments, counted from the start, so that every one of them can be met, and met again. Between
them, a fault strikes after a while instead.
"""

import errno
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

from tests.faults.corruption import digest, weights_of
from tests.faults.materials import TRAIN
from tests.faults.sandbox import Fault, Outcome, Sandbox
from tests.faults.verdict import Failed, judge

MOMENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "shutil.rmtree"}

Result = Callable[[Sandbox], object]


def _tree(name: str) -> Result:
    """The files below a folder, or one file, with their checksums; None where it is absent."""

    def result(sandbox: Sandbox) -> object:
        path = sandbox.work / name
        files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
        found = sorted((str(one.relative_to(path)), digest(one)) for one in files)
        return found or None

    return result


JOBS: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], Result, bool]] = {
    # what to bring, the command, what to add when it is called again, its result, whether the result is whole or absent
    "train": (("recipe.toml",), TRAIN, (), weights_of, False),
    "continue": (("recipe.toml", "stopped"), TRAIN, (), weights_of, False),
    "prepare": (("recipe.toml",), ("data", "prepare", "recipe.toml", "--out", "new"), (), _tree("new"), False),
    "translate": (
        ("model", "source.txt"),
        ("translate", "model", "--input", "source.txt", "--window", "3", "--output", "new.txt"),
        ("--continue",),
        _tree("new.txt"),
        True,
    ),
    "bulk": (
        ("model", "source.txt"),
        ("bulk", "translate", "model", "source.txt", "--window", "3", "--shard-lines", "3", "--output", "new.txt"),
        (),
        _tree("new.txt"),
        True,
    ),
    "export": (("model",), ("export", "model", "--out", "new"), (), _tree("new"), True),
    "huggingface": (("model",), ("export", "model", "--to", "huggingface", "--out", "new"), (), _tree("new"), True),
    "trace": (("model",), ("explore", "model", "--sentence", "a b", "--trace", "t.json"), (), _tree("t.json"), True),
    "engine": (
        ("model",),
        ("translate", "model", "a b c", "--engine", "ctranslate2"),
        (),
        lambda sandbox: (sandbox.root / "stdout").read_bytes(),
        False,
    ),
}


def run(sandbox: Sandbox, random: Random) -> None:
    """A command struck at some moment, perhaps twice, and then left alone."""
    job = random.choice(sorted(JOBS))
    materials, command, again, result, whole = JOBS[job]
    moments, seconds, expected = _undisturbed(sandbox.materials, job)
    _bring(sandbox, materials)
    struck = []
    called = command
    for _ in range(random.choice((1, 1, 2))):
        fault, description = _fault(random, moments, seconds)
        struck.append(description)
        outcome = sandbox.run(*called, fault=fault)
        try:
            _expected_ending(outcome, description)
            found = result(sandbox)
            if whole and job != "engine" and found not in (None, expected) and not _differs_by_time(job):
                raise Failed("a result that is neither whole nor absent")
        except Failed as failure:
            raise Failed(f"{job}, {' and '.join(struck)}: {failure}") from None
        if outcome.code == 0:
            return
        called = (*command, *again) if _can_continue(sandbox, again) else command
    outcome = sandbox.run(*called)
    judge(outcome)
    if outcome.code != 0:
        raise Failed(f"{job}, {' and '.join(struck)}: cannot go on: {outcome.last_line}")
    if not _differs_by_time(job) and result(sandbox) != expected:
        raise Failed(f"{job}, {' and '.join(struck)}: another result than undisturbed")


def _differs_by_time(job: str) -> bool:
    """A trace tells how long it took."""
    return job == "trace"


def _can_continue(sandbox: Sandbox, again: tuple[str, ...]) -> bool:
    """Whether anything is there to go on with; its record may come first and go last."""
    return "--continue" in again and any((sandbox.work / name).exists() for name in ("new.txt.part", "new.txt"))


def _bring(sandbox: Sandbox, materials: tuple[str, ...]) -> None:
    for name in materials:
        sandbox.bring(name, "run" if name == "stopped" else None)


def _expected_ending(outcome: Outcome, description: str) -> None:
    if outcome.code == -signal.SIGKILL and not outcome.hung:
        return
    if outcome.code == -signal.SIGTERM and "SIGTERM" in description:
        return
    outcome.interrupted = outcome.interrupted or "SIG" in description
    judge(outcome)


@cache
def _undisturbed(materials: Path, job: str) -> tuple[int, float, object]:
    """How many moments the command has, how long it takes and what it makes, when nothing strikes."""
    brought, command, _, result, _ = JOBS[job]
    sandbox = Sandbox(materials.parent / f"undisturbed-{os.getpid()}-{job}", materials)
    _bring(sandbox, brought)
    counter = sandbox.root / "home" / "moments"
    outcome = sandbox.run(*command, fault=lambda: _count_into(counter))
    if outcome.code != 0:
        raise Failed(f"undisturbed, {job} ends with {outcome.code}: {outcome.stderr[-300:]}")
    found = len(counter.read_bytes()), outcome.seconds, result(sandbox)
    sandbox.remove()
    return found


def _count_into(path: Path) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in MOMENTS and _concerns_files(event, arguments):
            os.write(descriptor, b".")

    sys.addaudithook(hook)


def _concerns_files(event: str, arguments: tuple[object, ...]) -> bool:
    """Whether it writes: reading a module, say, is no moment of interest."""
    return event != "open" or (isinstance(arguments[1], str) and any(mode in arguments[1] for mode in "wax+"))


def _fault(random: Random, moments: int, seconds: float) -> tuple[Fault, str]:
    way = random.choice(("kill", "kill", "kill later", "SIGINT", "SIGTERM", "no space", "input/output error"))
    if way == "kill later":
        delay = random.uniform(0.0, 1.1 * seconds)
        return (lambda: _after(delay)), f"killed after {delay:.3f} s"
    moment = random.randrange(max(moments, 1))
    strike = {
        "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
        "SIGINT": lambda: os.kill(os.getpid(), signal.SIGINT),
        "SIGTERM": lambda: os.kill(os.getpid(), signal.SIGTERM),
        "no space": lambda: _raise(errno.ENOSPC),
        "input/output error": lambda: _raise(errno.EIO),
    }[way]
    return (lambda: _at(moment, strike)), f"{way} at moment {moment} of {moments}"


def _after(seconds: float) -> None:
    def strike() -> None:
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=strike, daemon=True).start()


def _at(moment: int, strike: Callable[[], None]) -> None:
    seen = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        if event in MOMENTS and _concerns_files(event, arguments):
            seen += 1
            if seen == moment + 1:
                strike()

    sys.addaudithook(hook)


def _raise(number: int) -> None:
    raise OSError(number, os.strerror(number))
