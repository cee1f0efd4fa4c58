"""How the processes of a run hold the weights that they train: the interface of DDP and FSDP to the loop."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal

import torch
from torch import nn

from saccade.models.contract import Transducer
from saccade.sequences import Pairs
from saccade.training.distributed import World
from saccade.training.out_of_memory import MemoryLimits

Gather = Literal["nothing", "weights", "checkpoint"]
"""What the first process needs gathered: nothing more, all weights, or all weights and the optimizer's state."""


class Placement(ABC):
    """How the processes hold the weights that they train; the loop sees no difference.

    After backward through `objective`, gradients are the mean over all processes. `model` is what is trained and
    saved.
    """

    world: World
    objective: nn.Module
    model: Transducer[Any, Any]
    memory_limits: MemoryLimits

    @abstractmethod
    def no_sync(self, skip: bool) -> AbstractContextManager[None]:
        """Where `skip` is true, backward does not sync gradients: only the last micro-batch of a step needs to."""

    @abstractmethod
    def syncs_after_backward(self, micro_batches: Sequence[Pairs]) -> bool:
        """Whether this process needs gradients to be synced after the whole step rather than during backward.

        Only before the sync has begun can a batch that does not fit into memory be halved.
        """

    @abstractmethod
    def all_reduce_gradients(self) -> None:
        """Makes gradients computed under `no_sync` the mean over all processes."""

    @abstractmethod
    def full_model(self) -> AbstractContextManager[Transducer[Any, Any]]:
        """The trained model with all its weights, for the first process to use."""

    @abstractmethod
    def gather_weights(self) -> None:
        """Puts the trained weights into the model that was given; every process must call it."""

    @abstractmethod
    def joining_gathers(self, optimizer: torch.optim.Optimizer) -> AbstractContextManager[None]:
        """Around work that only the first process does: meanwhile the others take part in the gathers it requests."""

    @abstractmethod
    def request_gather(self, what: Gather) -> None:
        """Tells the other processes, from the first one, what it is about to gather."""
