"""The processes of a run, as torchrun starts them; they agree on a few numbers every step."""

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module

import torch
from torch import distributed

from saccade.errors import ConfigError, RunError

_KEEPS_THE_GROUP = "torch.distributed.nn"
"""Its functions take the process group that exists at import as their default, and keep it alive.

DDP imports it. After `init_process_group`, that would keep the group's threads from ever ending, and a process that
exits while one of them frees a tensor is aborted. So it is imported before.
"""

# The first process validates and saves while the others wait for it at the next collective operation.
_TIMEOUT = timedelta(hours=12)


@dataclass(frozen=True)
class World:
    """Which process this is, of how many, and on which device; a single one unless torchrun says otherwise."""

    device: torch.device
    rank: int = 0
    size: int = 1

    @property
    def first(self) -> bool:
        """Whether this is the process that validates and writes journal and checkpoints."""
        return self.rank == 0

    def gather(self, values: Sequence[float]) -> list[list[float]]:
        """The same few numbers from every process, in the order of their ranks."""
        own = torch.tensor(values, dtype=torch.float64)
        if self.size == 1:
            return [own.tolist()]
        gathered = [torch.empty_like(own) for _ in range(self.size)]
        distributed.all_gather(gathered, own)
        return [theirs.tolist() for theirs in gathered]

    def wait(self) -> None:
        """Returns when every process is here."""
        if self.size > 1:
            self.gather([0.0])


@contextmanager
def process_group(device: torch.device, environment: Mapping[str, str]) -> Iterator[World]:
    """The world that torchrun describes in the environment (RANK, WORLD_SIZE, LOCAL_RANK); one process without it.

    Gradients on CUDA are synced by NCCL; what is on the CPU, including the loop's few numbers, by gloo. The group ends
    with the block: all processes reach its end before any of them leaves, and its threads are gone afterwards.
    """
    size = int(environment.get("WORLD_SIZE", "1"))
    if size == 1:
        yield World(device)
        return
    if device.type == "cuda":
        device = torch.device("cuda", int(environment.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(device)
    for name in ("RANK", "MASTER_ADDR", "MASTER_PORT"):
        if name not in environment:
            raise ConfigError(
                f"`{name}` must be set where `WORLD_SIZE` is {size}, but is not. Start with torchrun, which sets them, "
                "or unset `WORLD_SIZE` to train alone."
            )
    backend = "cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo"
    rank = int(environment["RANK"])
    import_module(_KEEPS_THE_GROUP)
    distributed.init_process_group(backend, rank=rank, world_size=size, timeout=_TIMEOUT)
    world = World(device, rank, size)
    try:
        yield world
        world.wait()
        gc.collect()  # DDP's parts refer to each other, and to the group
    except RuntimeError as problem:
        if not _lost_another_process(problem):
            raise
        raise RunError(
            "every process of this training must go on, but another one has ended, and this one cannot reach it. The "
            "same command again continues from the last checkpoint."
        ) from problem
    finally:
        distributed.destroy_process_group()


def _lost_another_process(problem: RuntimeError) -> bool:
    """Whether a collective operation failed, not something of ours: gloo's errors have no class of their own."""
    return isinstance(problem, distributed.DistError) or "gloo" in str(problem)
