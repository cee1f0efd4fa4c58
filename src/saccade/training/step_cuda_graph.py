"""A training step captured into a CUDA graph once for each shape, and replayed for every batch of that shape.

The whole step - forward, backward, gradient norm, update - is captured at the first batch of a shape and afterwards
launched by one call, and the host runs one step ahead of the GPU. Packed batches have one shape, bucketed ones a few,
whose graphs share their memory: only one of them runs at a time, and nothing is left in it from step to step.

The host learns of a loss only after the next step has begun. So a loss that is not finite sets `found_inf` on the GPU,
which torch's fused Adam reads: from then on no update changes the weights, and they are still those before the bad step
when the host learns of it.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.utils import clip_grads_with_norm_, get_total_norm

from saccade.cuda_graph import capture, warm_up
from saccade.kernels.parameter_copies import ParameterCopies
from saccade.sequences import Pairs
from saccade.training.config import TrainingConfig
from saccade.training.distributed import World
from saccade.training.optimizer import abandon_step, begin_step
from saccade.training.seeds import reseed
from saccade.training.step import StepLoss

Shapes = tuple[torch.Size, ...]
"""Of all tensors of a step's micro-batches."""


def captures_steps(config: TrainingConfig, world: World) -> bool:
    """Whether steps are captured where batches have few shapes: on a single GPU, by who reads `found_inf`."""
    return world.device.type == "cuda" and world.size == 1 and config.optimizer in ("adam", "schedule_free", "muon")


@dataclass(frozen=True)
class PendingStep:
    """The result of a step that may still be running on the GPU."""

    sums: Float[Tensor, "4"]
    done: torch.cuda.Event

    def loss(self) -> StepLoss:
        """Waits for the step and returns its loss."""
        self.done.synchronize()
        return StepLoss(*self.sums.tolist())


@dataclass(frozen=True)
class _CapturedStep:
    """A graph, and the batches it reads."""

    graph: torch.cuda.CUDAGraph
    batches: list[Pairs]


class CudaGraphStepper:
    """Takes steps on one GPU by replaying CUDA graphs."""

    ahead = 1

    def __init__(
        self, objective: nn.Module, optimizer: torch.optim.Optimizer, config: TrainingConfig, device: torch.device
    ) -> None:
        self.objective = objective
        self.optimizer = optimizer
        self.config = config
        self.learning_rate = torch.zeros((), device=device)
        self.loss_scale = torch.zeros((), device=device)
        self.found_inf = torch.zeros((), device=device)
        self.sums = torch.zeros(4, dtype=torch.float64, device=device)
        self.captured: dict[Shapes, _CapturedStep] = {}
        self.pool = torch.cuda.graph_pool_handle()
        self.side = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        bfloat16 = config.autocasts(device, packed=True)
        self.copies = ParameterCopies(list(objective.parameters()), torch.bfloat16) if bfloat16 else None
        for group in optimizer.param_groups:
            group["lr"], group["capturable"] = self.learning_rate, True
        optimizer.found_inf = self.found_inf  # type: ignore[attr-defined]

    def take(self, micro_batches: Sequence[Pairs], tokens: int, step: int, rate: float) -> PendingStep:
        """Copies the batches into the static ones and replays the step."""
        shapes = tuple(tensor.shape for pairs in micro_batches for tensor in pairs.tensors())
        if shapes not in self.captured:
            self.captured[shapes] = self._capture(micro_batches)
        step_of_shape = self.captured[shapes]
        for static, given in zip(step_of_shape.batches, micro_batches, strict=True):
            for buffer, tensor in zip(static.tensors(), given.tensors(), strict=True):
                buffer.copy_(tensor, non_blocking=True)
        self.learning_rate.fill_(rate)
        self.loss_scale.fill_(1 / tokens)
        reseed(self.config.seed, step, 0)
        step_of_shape.graph.replay()
        sums = torch.empty(4, dtype=torch.float64, pin_memory=True)
        sums.copy_(self.sums, non_blocking=True)
        done = torch.cuda.Event()  # type: ignore[no-untyped-call]
        done.record()
        return PendingStep(sums, done)

    def withdraw(self) -> None:
        """Drops the graphs and returns the optimizer to a state in which plain steps can use it."""
        abandon_step(self.optimizer)
        self.captured, self.copies = {}, None
        self.objective.zero_grad(set_to_none=True)
        for group in self.optimizer.param_groups:
            group["capturable"] = False
        del self.optimizer.found_inf  # type: ignore[attr-defined]

    def _capture(self, micro_batches: Sequence[Pairs]) -> _CapturedStep:
        batches = [pairs.to(self.learning_rate.device) for pairs in micro_batches]
        step = partial(self._step, batches)
        self.loss_scale.fill_(1.0)
        before = self.found_inf.clone()
        # With found_inf set, the warm-up allocates the optimizer's moments and changes no weight.
        self.found_inf.fill_(1.0)
        warm_up(step, forbid_synchronization=True, stream=self.side)
        self.found_inf.copy_(before)
        self.objective.zero_grad(set_to_none=True)
        graph, _ = capture(step, stream=self.side, pool=self.pool)
        return _CapturedStep(graph, batches)

    def _step(self, batches: Sequence[Pairs]) -> None:
        self.objective.zero_grad(set_to_none=True)
        begin_step(self.optimizer)
        if self.copies is not None:
            self.copies.refresh()
        losses = []
        for pairs in batches:
            with nullcontext() if self.copies is None else self.copies.active():
                loss = self.objective(pairs)
            (loss.smoothed * self.loss_scale).backward()
            losses.append(torch.stack([part.detach() for part in loss]))
        gradients = [parameter.grad for parameter in self.objective.parameters() if parameter.grad is not None]
        norm = get_total_norm(gradients)
        if self.config.clip is not None:
            clip_grads_with_norm_(self.objective.parameters(), self.config.clip, norm)
        self.sums.copy_(torch.cat([torch.stack(losses).double().sum(0), norm.double().reshape(1)]))
        finite = self.sums[0].isfinite() & self.sums[3].isfinite()
        self.found_inf.copy_(torch.where(finite, self.found_inf, 1.0))
        self.optimizer.step()
