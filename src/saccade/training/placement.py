"""How the processes of a run hold the weights that they train: a copy in each, or a share."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

from saccade.models.contract import Transducer
from saccade.sequences import Pairs
from saccade.training.activation_checkpointing import recompute_layers
from saccade.training.config import TrainingConfig
from saccade.training.distributed import World
from saccade.training.objective import Objective
from saccade.training.out_of_memory import Room

Duty = Literal["nothing", "weights", "checkpoint"]
"""What the first process needs the others for: nothing more, all weights, all weights and the optimizer's memory."""


class Placement(ABC):
    """How the processes hold the weights that they train; the loop does not see a difference.

    After backward through `objective`, gradients are the mean over all processes. `model` is what is trained and
    saved; `room` is what the process knows about its memory.
    """

    world: World
    objective: nn.Module
    model: Transducer[Any, Any]
    room: Room

    @abstractmethod
    def quietly(self, quiet: bool) -> AbstractContextManager[None]:
        """Keeps gradients to this process when `quiet`: only the last micro-batch of a step need exchange them."""

    @abstractmethod
    def wary(self, micro_batches: Sequence[Pairs]) -> bool:
        """Whether this process would rather exchange gradients after the step than while it is computed.

        Only before the exchange has begun can a batch that does not fit be taken in halves.
        """

    @abstractmethod
    def exchange(self) -> None:
        """Makes gradients that were computed quietly the mean over all processes."""

    @abstractmethod
    def whole(self) -> AbstractContextManager[Transducer[Any, Any]]:
        """The trained model with all its weights, where the first process can use it."""

    @abstractmethod
    def hand_back(self) -> None:
        """Leaves the trained weights in the model that was given; every process must ask."""

    @abstractmethod
    def attended(self, optimizer: torch.optim.Optimizer) -> AbstractContextManager[None]:
        """What only the first process does goes in here: meanwhile the others give it what it asks for."""

    @abstractmethod
    def summon(self, duty: Duty) -> None:
        """Says to the others, from the first process, what it is about to gather."""


class Replicated(Placement):
    """Every process has all weights; DDP averages gradients, bucket by bucket, while backward still goes on."""

    def __init__(self, objective: Objective, world: World) -> None:
        objective.to(world.device)
        self.world = world
        self.model = objective.model
        self.objective: nn.Module = objective
        self.room = Room()
        if world.size > 1:
            self.objective = DistributedDataParallel(objective, gradient_as_bucket_view=True)
            # Buffers are tables that every process has computed alike. (The argument of this name is gone by and by.)
            self.objective.broadcast_buffers = False

    def quietly(self, quiet: bool) -> AbstractContextManager[None]:
        """DDP's way of saying so; alone, every gradient is."""
        if quiet and isinstance(self.objective, DistributedDataParallel):
            return self.objective.no_sync()
        return nullcontext()

    def wary(self, micro_batches: Sequence[Pairs]) -> bool:
        """Alone always; with others, when a batch is larger than all before: then nobody knows whether it fits."""
        return self.world.size == 1 or not self.room.suffices(micro_batches)

    def exchange(self) -> None:
        """One exchange for each parameter, all under way at once."""
        if self.world.size == 1:
            return
        gradients = [parameter.grad for parameter in self.model.parameters() if parameter.grad is not None]
        for sent in [distributed.all_reduce(gradient, async_op=True) for gradient in gradients]:
            sent.wait()
        for gradient in gradients:
            gradient.div_(self.world.size)

    def whole(self) -> AbstractContextManager[Transducer[Any, Any]]:
        """It is here already."""
        return nullcontext(self.model)

    def hand_back(self) -> None:
        """The given model is the trained one."""

    def attended(self, optimizer: torch.optim.Optimizer) -> AbstractContextManager[None]:  # noqa: ARG002
        """The first process has all it needs."""
        return nullcontext()

    def summon(self, duty: Duty) -> None:
        """Nobody is needed."""


def placed(objective: Objective, config: TrainingConfig, world: World) -> Placement:
    """The placement that the config asks for; a process that is alone has nobody to share with."""
    placement: Placement
    if config.placement == "sharded" and world.size > 1:
        from saccade.training.fsdp import Sharded  # takes seconds to import, which most runs need not spend

        placement = Sharded(objective, world)
    else:
        placement = Replicated(objective, world)
    if config.recompute == "layers":
        recompute_layers(placement.model)
    return placement
