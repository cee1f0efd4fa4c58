"""A step that is recorded once and then played back by the GPU alone.

A step of a small model is a thousand kernels of a few microseconds each; starting them one by one takes the host
longer than running them. When every batch has the same shape, the whole step - forward, backward, norm, update - is
recorded into a CUDA graph at the first batch and afterwards launched by one call, and the host runs one step ahead.

Since the host learns of a loss only after the next step has begun, a loss that is not finite pulls a brake on the GPU:
from then on no update changes the weights. So they are still those before the bad step when the host hears of it.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.utils import clip_grads_with_norm_, get_total_norm

from saccade.kernels.parameter_copies import ParameterCopies
from saccade.sequences import Pairs
from saccade.training.config import TrainingConfig
from saccade.training.seeds import reseed
from saccade.training.step import StepLoss

# Batches with which the kernels are compiled and memory is laid out before the recording.
_REHEARSALS = 2


@dataclass(frozen=True)
class Played:
    """A step under way on the GPU."""

    numbers: Float[Tensor, "4"]
    done: torch.cuda.Event

    def loss(self) -> StepLoss:
        """Waits for the step, and gives its loss."""
        self.done.synchronize()
        return StepLoss(*self.numbers.tolist())


class CudaGraphStepper:
    """Takes steps of one shape on one GPU by playing a recording."""

    ahead = 1

    def __init__(
        self, objective: nn.Module, optimizer: torch.optim.Optimizer, config: TrainingConfig, device: torch.device
    ) -> None:
        self.objective = objective
        self.optimizer = optimizer
        self.config = config
        self.rate = torch.zeros((), device=device)
        self.share = torch.zeros((), device=device)
        self.brake = torch.zeros((), device=device)
        self.numbers = torch.zeros(4, dtype=torch.float64, device=device)
        self.graph: torch.cuda.CUDAGraph | None = None
        self.stage: list[Pairs] = []
        coarse = config.autocasts(device, packed=True)
        self.copies = ParameterCopies(list(objective.parameters()), torch.bfloat16) if coarse else None
        for group in optimizer.param_groups:
            group["lr"], group["capturable"] = self.rate, True
        optimizer.found_inf = self.brake  # type: ignore[attr-defined]

    def take(self, micro_batches: Sequence[Pairs], tokens: int, step: int, rate: float) -> Played:
        """Puts the batches on the stage and plays the step."""
        if self.graph is None:
            self._record(micro_batches)
        assert self.graph is not None
        for ours, given in zip(self.stage, micro_batches, strict=True):
            for place, tensor in zip(ours.tensors(), given.tensors(), strict=True):
                place.copy_(tensor, non_blocking=True)
        self.rate.fill_(rate)
        self.share.fill_(1 / tokens)
        reseed(self.config.seed, step, 0)
        self.graph.replay()
        numbers = torch.empty(4, dtype=torch.float64, pin_memory=True)
        numbers.copy_(self.numbers, non_blocking=True)
        done = torch.cuda.Event()  # type: ignore[no-untyped-call]
        done.record()
        return Played(numbers, done)

    def withdraw(self) -> None:
        """Leaves the optimizer to whoever takes steps instead."""
        self.graph, self.stage, self.copies = None, [], None
        self.objective.zero_grad(set_to_none=True)
        for group in self.optimizer.param_groups:
            group["capturable"] = False
        del self.optimizer.found_inf  # type: ignore[attr-defined]

    def _record(self, micro_batches: Sequence[Pairs]) -> None:
        self.stage = [pairs.to(self.rate.device) for pairs in micro_batches]
        self.share.fill_(1.0)
        held = self.brake.clone()
        # With the brake on, a rehearsal gives the optimizer its memory and changes no weight.
        self.brake.fill_(1.0)
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        try:
            with torch.cuda.stream(side):
                for _ in range(_REHEARSALS):
                    self._step()
        finally:
            # Where it fails, for want of memory, what was begun aside still works on weights that others read next.
            torch.cuda.current_stream().wait_stream(side)
        self.brake.copy_(held)
        self.objective.zero_grad(set_to_none=True)
        self.graph = torch.cuda.CUDAGraph()
        # On the stream of the rehearsals: autograd may keep nodes of those, and each belongs to its stream.
        with torch.cuda.graph(self.graph, stream=side):
            self._step()

    def _step(self) -> None:
        self.objective.zero_grad(set_to_none=True)
        if self.copies is not None:
            self.copies.refresh()
        losses = []
        for pairs in self.stage:
            with nullcontext() if self.copies is None else self.copies.active():
                loss = self.objective(pairs)
            (loss.smoothed * self.share).backward()
            losses.append(torch.stack([part.detach() for part in loss]))
        gradients = [parameter.grad for parameter in self.objective.parameters() if parameter.grad is not None]
        norm = get_total_norm(gradients)
        if self.config.clip is not None:
            clip_grads_with_norm_(self.objective.parameters(), self.config.clip, norm)
        self.numbers.copy_(torch.cat([torch.stack(losses).double().sum(0), norm.double().reshape(1)]))
        good = self.numbers[0].isfinite() & self.numbers[3].isfinite()
        self.brake.copy_(torch.where(good, self.brake, 1.0))
        self.optimizer.step()
