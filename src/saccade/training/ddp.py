"""A copy of all weights in every process: DistributedDataParallel."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

from saccade.models.contract import Transducer
from saccade.sequences import Pairs
from saccade.training.distributed import World
from saccade.training.objective import Objective
from saccade.training.out_of_memory import MemoryLimits
from saccade.training.placement import Gather, Placement


class Replicated(Placement):
    """Every process has all weights; DDP averages gradients, bucket by bucket, during backward."""

    def __init__(self, objective: Objective, world: World) -> None:
        objective.to(world.device)
        self.world = world
        self.model = objective.model
        self.objective: nn.Module = objective
        self.memory_limits = MemoryLimits()
        if world.size > 1:
            self.objective = DistributedDataParallel(objective, gradient_as_bucket_view=True)
            # Buffers are tables that every process computes alike. (The constructor's argument is deprecated.)
            self.objective.broadcast_buffers = False

    def no_sync(self, skip: bool) -> AbstractContextManager[None]:
        """DDP's `no_sync`; a single process never syncs."""
        if skip and isinstance(self.objective, DistributedDataParallel):
            return self.objective.no_sync()
        return nullcontext()

    def syncs_after_backward(self, micro_batches: Sequence[Pairs]) -> bool:
        """Always for a single process; for several, when a batch is larger than all that have fitted so far."""
        return self.world.size == 1 or not self.memory_limits.allow(micro_batches)

    def all_reduce_gradients(self) -> None:
        """One all-reduce for each parameter, all in flight at once."""
        if self.world.size == 1:
            return
        gradients = [parameter.grad for parameter in self.model.parameters() if parameter.grad is not None]
        for pending in [distributed.all_reduce(gradient, async_op=True) for gradient in gradients]:
            pending.wait()
        for gradient in gradients:
            gradient.div_(self.world.size)

    def full_model(self) -> AbstractContextManager[Transducer[Any, Any]]:
        """The trained model itself."""
        return nullcontext(self.model)

    def gather_weights(self) -> None:
        """Nothing to do: the given model is the trained one."""

    def joining_gathers(self, optimizer: torch.optim.Optimizer) -> AbstractContextManager[None]:  # noqa: ARG002
        """Nothing to do: the first process has all it needs."""
        return nullcontext()

    def request_gather(self, what: Gather) -> None:
        """Nothing to do."""
