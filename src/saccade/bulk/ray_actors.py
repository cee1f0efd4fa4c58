"""Workers as actors of a Ray cluster: machines may come and go.

Each actor has a model, and is asked for one shard at a time: nothing piles up anywhere. It takes shards from the folder
as every other worker does, so all machines must see the same files. Where an actor dies, alone or with its machine, its
lock is given back, and another one is asked for in its place; it starts as soon as the cluster has room.
"""

import os
import socket
import time
from dataclasses import dataclass
from typing import Any

from saccade.bulk.folder import BulkFolder
from saccade.bulk.progress import Progress
from saccade.bulk.work import Say, Work
from saccade.bulk.worker import Left, Worker
from saccade.errors import ConfigError, RunError, SaccadeError
from saccade.memory import does_not_fit, ran_out_of_memory

POLL = 0.5
"""Seconds until an actor without a shard is asked again, and until the cluster is looked at again."""
MOST_DEATHS = 3
"""Actors that may die one after the other, besides one for each, without a shard finished in between."""


@dataclass(frozen=True)
class RayActors:
    """Actors in the cluster at `address`, or in one that is started on this machine ("local").

    There are at most `workers`, or as many as the cluster has GPUs (on CPUs: one for each core), now or later.
    """

    address: str
    workers: int | None
    shard_lines: int | None

    def run(self, work: Work, folder: BulkFolder, progress: Progress, say: Say) -> None:
        """Until every shard is finished; raises the error of the first line that cannot be done."""
        ray = _ray()
        _connect(ray, self.address, self.workers)
        try:
            _Pool(ray, self, work, folder, progress, say).run()
        finally:
            ray.shutdown()


class ShardActor:
    """What runs on a machine of the cluster; everything it has to say is a value, since errors are not all portable."""

    def __init__(self, shared: tuple[Work, BulkFolder, int | None]) -> None:
        self._arguments = shared
        self._worker: Worker | None = None

    def step(self) -> tuple[Any, ...]:
        """Loads the model the first time, then does one shard."""
        said: list[str] = []
        shard: list[int] = []
        try:
            if self._worker is None:
                self._worker = Worker(*self._arguments, said.append)
                return "ready", said
            done = self._worker.step(lambda _: None, shard.append)
        except Exception as error:
            if ran_out_of_memory(error):
                return "failed", shard, does_not_fit("a worker")
            if isinstance(error, (SaccadeError, OSError)):
                return "failed", shard, str(error)
            raise
        return ("left", done.name) if isinstance(done, Left) else ("done", done.lines)


class _Pool:
    """The actors, each with the one thing it was asked last."""

    def __init__(
        self, ray: Any, settings: RayActors, work: Work, folder: BulkFolder, progress: Progress, say: Say
    ) -> None:
        self._ray, self._settings = ray, settings
        self._progress, self._say = progress, say
        self._gpu = work.device != "cpu" and bool(ray.cluster_resources().get("GPU"))
        self._shared = ray.put((work, folder, settings.shard_lines))
        self._actors: list[Any] = []
        self._asked: dict[Any, int] = {}
        self._resting: list[int] = []
        self._ready: set[int] = set()
        """Those that have a model; others may wait for a machine."""
        self._failures: dict[int, str] = {}
        self._deaths = 0
        self._finished = False

    def run(self) -> None:
        """Asks until nothing is left."""
        looked = 0.0
        while not self._finished and not (self._failures and self._ready.isdisjoint(self._asked.values())):
            if time.monotonic() - looked >= POLL and not self._failures:
                looked = time.monotonic()
                while self._resting:
                    self._ask(self._resting.pop())
                while len(self._asked) < self._wanted():
                    self._start()
            answered, _ = self._ray.wait(list(self._asked), num_returns=1, timeout=POLL)
            self._progress.watch(0)
            for reference in answered:
                self._answered(reference)
        if self._failures:
            raise RunError(self._failures[min(self._failures)])

    def _wanted(self) -> int:
        resources = self._ray.cluster_resources()
        there = int(resources.get("GPU" if self._gpu else "CPU", 1))
        return max(min(self._settings.workers or there, there), 1)

    def _start(self) -> None:
        # One that has died is not started again by Ray, which would do so for ever; `_died` does.
        options = {"num_cpus": 1, "num_gpus": 1 if self._gpu else 0, "max_restarts": 0}
        number = len(self._actors)
        self._actors.append(self._ray.remote(**options)(ShardActor).remote(self._shared))
        self._ask(number)

    def _ask(self, actor: int) -> None:
        self._asked[self._actors[actor].step.remote()] = actor

    def _answered(self, reference: Any) -> None:
        actor = self._asked.pop(reference)
        try:
            event, *values = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError:
            raise
        except self._ray.exceptions.RayError as death:
            self._ready.discard(actor)
            self._died(death)
            return
        match event, *values:
            case "ready", said:
                if not self._ready:
                    self._progress.ready()
                    for line in said:
                        self._say(line)
                self._ready.add(actor)
                self._go_on(actor)
            case "done", lines:
                self._deaths = 0
                self._progress.watch(lines)
                self._go_on(actor)
            case "left", Left.NOTHING.name:
                self._finished = True
            case "left", _:
                self._resting.append(actor)
            case "failed", shard, message:
                self._failures.setdefault(shard[0] if shard else -1, message)

    def _go_on(self, actor: int) -> None:
        """After a failure no more shards are begun; those that are being done may hold an earlier line to tell."""
        if not self._failures:
            self._ask(actor)

    def _died(self, death: Exception) -> None:
        self._deaths += 1
        if self._deaths > MOST_DEATHS + self._wanted():
            raise RunError(
                f"an actor must live until its shard is done, but {self._deaths} died in a row: "
                f"{' '.join(str(death).split())[:200]} The same command goes on."
            )
        self._say("an actor died; another one takes its place")


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise ConfigError(
            "`--ray` must find the package ray, but it is not installed. Install it with pip install 'saccade[ray]'."
        ) from None
    return ray


def _connect(ray: Any, address: str, workers: int | None) -> None:
    quiet: dict[str, Any] = {"configure_logging": False, "log_to_driver": False}
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # what it will do anyway; it warns otherwise
    if address == "local":
        quiet |= {"include_dashboard": False, "num_cpus": workers}
    try:
        host, _, port = address.rpartition(":")
        if port.isdigit() and "/" not in host:
            socket.create_connection((host, int(port)), timeout=30).close()  # Ray itself would try for ever
        ray.init(address=address, **quiet)
    except Exception as problem:  # where a cluster cannot be started or reached, Ray raises errors of many classes
        raise ConfigError(
            f"`--ray` must be a cluster that can be reached, or `local` to start one here, but {address!r} is none: "
            f"{' '.join(str(problem).split())[:200]}"
        ) from problem
