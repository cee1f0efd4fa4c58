"""Two processes that train one model, as torchrun would start them: one dies, the other is ended, both go on later."""

import os
import signal
import socket
import time
from functools import cache
from pathlib import Path
from random import Random

from tests.faults.corruption import weights_of
from tests.faults.materials import TRAIN
from tests.faults.sandbox import Fault, Outcome, Sandbox
from tests.faults.verdict import Failed, judge

PROCESSES = 2
TERMINATION = 15.0
"""Seconds that torchrun, too, gives the others after one has died."""


def run(sandbox: Sandbox, random: Random) -> None:
    """One of the two is killed at some moment; then both are started again."""
    seconds, expected = _undisturbed(sandbox.materials)
    victim, moment = random.randrange(PROCESSES), random.uniform(0.0, 1.1 * seconds)
    try:
        for outcome in _together(sandbox, kill=(victim, moment)):
            if outcome.code not in (-signal.SIGKILL, -signal.SIGTERM):
                outcome.interrupted = True
                judge(outcome)
        for outcome in _together(sandbox):
            judge(outcome)
            if outcome.code != 0:
                raise Failed(f"cannot go on: {outcome.last_line}")
        if weights_of(sandbox) != expected:
            raise Failed("another result than undisturbed")
    except Failed as failure:
        raise Failed(f"process {victim} killed after {moment:.2f} s: {failure}") from None


def _together(sandbox: Sandbox, kill: tuple[int, float] | None = None) -> list[Outcome]:
    """All processes of one training, each in a sandbox of its own but for the run."""
    port = _free_port()
    boxes, children = [sandbox], []
    sandbox.bring("recipe.toml")
    (sandbox.work / "run").mkdir(exist_ok=True)
    os.chown(sandbox.work / "run", *_owner(sandbox.work))
    for rank in range(1, PROCESSES):
        root = sandbox.root / "home" / f"process-{rank}-{time.monotonic_ns()}"
        boxes.append(Sandbox(root, sandbox.materials))
        boxes[rank].bring("recipe.toml")
    command = (*TRAIN[:3], sandbox.work / "run", *TRAIN[4:])
    for rank, box in enumerate(boxes):
        children.append(box.start(*command, fault=_as_rank(rank, port)))
    if kill is not None:
        victim, moment = kill
        time.sleep(moment)
        os.kill(children[victim], signal.SIGKILL)
        for other in range(PROCESSES):
            if other != victim:
                os.kill(children[other], signal.SIGTERM)
    finish = Sandbox.finish if kill is None else _ended
    outcomes = [finish(box, child, *command) for box, child in zip(boxes, children, strict=True)]
    sandbox.outcomes += outcomes[1:]
    return outcomes


def _ended(box: Sandbox, child: int, *command: object) -> Outcome:
    """As torchrun does: who waits for a dead neighbour does not hear SIGTERM, and is killed after a while."""
    outcome = box.finish(child, *command, limit=TERMINATION)
    outcome.hung = False
    return outcome


def _as_rank(rank: int, port: int) -> Fault:
    def become() -> None:
        os.environ.update(
            RANK=str(rank),
            LOCAL_RANK=str(rank),
            WORLD_SIZE=str(PROCESSES),
            LOCAL_WORLD_SIZE=str(PROCESSES),
            MASTER_ADDR="127.0.0.1",
            MASTER_PORT=str(port),
        )

    return become


@cache
def _undisturbed(materials: Path) -> tuple[float, object]:
    sandbox = Sandbox(materials.parent / f"undisturbed-{os.getpid()}-processes", materials)
    outcomes = _together(sandbox)
    for outcome in outcomes:
        if outcome.code != 0:
            raise Failed(f"undisturbed, two processes end with {outcome.code}: {outcome.stderr[-500:]}")
    found = max(outcome.seconds for outcome in outcomes), weights_of(sandbox)
    sandbox.remove()
    return found


def _owner(folder: Path) -> tuple[int, int]:
    about = folder.stat()
    return about.st_uid, about.st_gid


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])
