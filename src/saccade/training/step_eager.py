"""A training step taken eagerly: gradients of its micro-batches, clipped where the config says so, and the update."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils import clip_grads_with_norm_, get_total_norm

from saccade.sequences import Pairs
from saccade.tensor_files import full_tensor
from saccade.training.config import TrainingConfig
from saccade.training.distributed import World
from saccade.training.optimizer import abandon_step, begin_step
from saccade.training.out_of_memory import run_whole
from saccade.training.placement import Placement
from saccade.training.seeds import reseed
from saccade.training.step import FinishedStep, Split, StepLoss


class EagerStepper:
    """Takes one step at a time, operation by operation.

    Reading the loss makes the host wait for a GPU. In return, the update of a loss that is not finite never reaches
    the weights.
    """

    ahead = 0

    def __init__(
        self, placement: Placement, optimizer: torch.optim.Optimizer, config: TrainingConfig, world: World
    ) -> None:
        self.placement = placement
        self.optimizer = optimizer
        self.config = config
        self.world = world

    def take(self, micro_batches: Sequence[Pairs], tokens: int, step: int, rate: float) -> FinishedStep:
        """Takes a step; where the loss is not finite, the weights stay as they are."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        begin_step(self.optimizer)
        loss = self._gradients(micro_batches, tokens, step)
        if loss.finite:
            self.optimizer.step()
        else:
            abandon_step(self.optimizer)
        return FinishedStep(loss)

    def _gradients(self, micro_batches: Sequence[Pairs], tokens: int, step: int) -> StepLoss:
        placement, config, world = self.placement, self.config, self.world
        # All processes must sync gradients in the same way: if one of them may run out of memory, then after backward.
        wishes = world.gather([float(placement.syncs_after_backward(micro_batches))])
        sync_after = any(wish for [wish] in wishes)
        passes = _Passes(placement, config.seed, step, tokens, len(micro_batches), sync_after)
        run = placement.memory_limits.run_halving if sync_after else run_whole
        sums, split = run(micro_batches, passes)
        if sync_after:
            placement.all_reduce_gradients()
        parameters = list(placement.model.parameters())
        norm = get_total_norm([parameter.grad for parameter in parameters if parameter.grad is not None])
        if config.clip is not None:
            clip_grads_with_norm_(parameters, config.clip, norm)
        *own, gradient_norm = torch.cat([sums, full_tensor(norm).double().reshape(1)]).tolist()
        all_processes = world.gather([*own, float(split.halvings), float(split.sentences)])
        smoothed, plain, correct, halvings, _ = (sum(column) for column in zip(*all_processes, strict=True))
        split = Split(sentences=int(max(numbers[-1] for numbers in all_processes)), halvings=int(halvings))
        return StepLoss(smoothed, plain, correct, gradient_norm, split)


class _Passes:
    """The forward and backward passes of one step."""

    def __init__(
        self, placement: Placement, seed: int, step: int, tokens: int, micro_batches: int, sync_after: bool
    ) -> None:
        self.placement = placement
        self.seed = seed
        self.step = step
        self.tokens = tokens
        self.last = micro_batches - 1
        self.sync_after = sync_after

    def begin(self, number: int) -> None:
        world = self.placement.world
        if number == 0:
            self.placement.objective.zero_grad(set_to_none=True)
        reseed(self.seed, self.step, number * world.size + world.rank)

    def run(self, number: int, pairs: Pairs) -> Tensor:
        placement, world = self.placement, self.placement.world
        with placement.no_sync(self.sync_after or number < self.last):
            loss = placement.objective(pairs.to(world.device))
            # Gradient sync takes the mean over processes; a step is the sum over all tokens divided by their number.
            (loss.smoothed * (world.size / self.tokens)).backward()
        return torch.stack([part.detach().double() for part in loss])
