"""One step of training: gradients of a few micro-batches, clipped where the config says so, and the update."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor
from torch.nn.utils import clip_grads_with_norm_, get_total_norm

from saccade.sequences import Pairs
from saccade.tensor_files import full_tensor
from saccade.training.config import TrainingConfig
from saccade.training.distributed import World
from saccade.training.out_of_memory import Split, take_all
from saccade.training.placement import Placement
from saccade.training.seeds import reseed


@dataclass(frozen=True)
class StepLoss:
    """Sums over all target tokens of a step, whichever process they are in, and the norm of its gradient."""

    smoothed: float
    plain: float
    correct: float
    gradient_norm: float
    split: Split = Split()
    """What had to be halved to fit into memory."""

    @property
    def finite(self) -> bool:
        """Whether the step did any good; one that is not finite has changed no weight."""
        return isfinite(self.smoothed) and isfinite(self.gradient_norm)


@runtime_checkable
class Outcome(Protocol):
    """What comes of a step, perhaps while it is still being computed."""

    def loss(self) -> StepLoss:
        """Its loss; waits for it."""


@runtime_checkable
class Stepper(Protocol):
    """Takes steps."""

    ahead: int
    """How many steps may be under way before the loss of the first is asked for."""

    def take(self, micro_batches: Sequence[Pairs], tokens: int, step: int, rate: float) -> Outcome:
        """Takes step number `step`, of `tokens` target tokens over all processes, at this learning rate."""


@dataclass(frozen=True)
class Known:
    """The outcome of a step that is done."""

    value: StepLoss

    def loss(self) -> StepLoss:
        """Its loss."""
        return self.value


class PlainStepper:
    """Takes one step at a time, operation by operation.

    The one transfer of a few numbers is also where the host waits for a GPU. It is the price of never letting an
    update from a loss that is not finite reach the weights.
    """

    ahead = 0

    def __init__(
        self, placement: Placement, optimizer: torch.optim.Optimizer, config: TrainingConfig, world: World
    ) -> None:
        self.placement = placement
        self.optimizer = optimizer
        self.config = config
        self.world = world

    def take(self, micro_batches: Sequence[Pairs], tokens: int, step: int, rate: float) -> Known:
        """Takes a step; where the loss is not finite, the weights stay as they are."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        loss = self._gradients(micro_batches, tokens, step)
        if loss.finite:
            self.optimizer.step()
        return Known(loss)

    def _gradients(self, micro_batches: Sequence[Pairs], tokens: int, step: int) -> StepLoss:
        placement, config, world = self.placement, self.config, self.world
        # All must exchange gradients in the same way: if one process may run out of memory, then after the step.
        wary = any(worry for [worry] in world.gather([float(placement.wary(micro_batches))]))

        def take(number: int, pairs: Pairs) -> Tensor:
            with placement.quietly(wary or number + 1 < len(micro_batches)):
                loss = placement.objective(pairs.to(world.device))
                # What is exchanged becomes the mean over processes where the sum is meant.
                (loss.smoothed * (world.size / tokens)).backward()
            return torch.stack([part.detach().double() for part in loss])

        def begin(number: int) -> None:
            if number == 0:
                placement.objective.zero_grad(set_to_none=True)
            reseed(config.seed, step, number * world.size + world.rank)

        sums, split = (placement.room.take_fitting if wary else take_all)(micro_batches, begin, take)
        if wary:
            placement.exchange()
        parameters = list(placement.model.parameters())
        norm = get_total_norm([parameter.grad for parameter in parameters if parameter.grad is not None])
        if config.clip is not None:
            clip_grads_with_norm_(parameters, config.clip, norm)
        *own, gradient_norm = torch.cat([sums, full_tensor(norm).double().reshape(1)]).tolist()
        everybody = world.gather([*own, float(split.halvings), float(split.sentences)])
        smoothed, plain, correct, halvings, _ = (sum(column) for column in zip(*everybody, strict=True))
        split = Split(sentences=int(max(numbers[-1] for numbers in everybody)), halvings=int(halvings))
        return StepLoss(smoothed, plain, correct, gradient_norm, split)
