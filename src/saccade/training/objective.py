"""The training objective: a model and its loss as one module, from pairs of sentences to sums over target tokens."""

from contextlib import nullcontext
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from saccade.data.packed import without_padding
from saccade.hardware import emulated_bfloat16, native_bfloat16_matmul
from saccade.kernels import triton_available_for
from saccade.models.capabilities import Penalised, projection_of, reads_packed
from saccade.models.contract import Transducer
from saccade.sequences import Packed, Pairs, Sequences
from saccade.training.label_smoothing import Loss, smoothed_cross_entropy, uniform_share
from saccade.training.label_smoothing_fast import linear_cross_entropy

# On a CPU, oneDNN compiles a kernel for each new shape of a product in bfloat16. Both sides of a batch are therefore
# filled up to a multiple of this: few shapes, and at most a few per cent of empty slots.
_SLOTS_MULTIPLE = 256


class Objective(nn.Module):
    """A model and its loss as one module: what DDP and FSDP wrap.

    A model may add a penalty P on what it made of each source x (Lin et al. 2017 do), so that a step minimises

        L = (1 / T) (sum_t -log p(y_t | y_<t, x) + sum_x P(x))

    over the T target tokens and all sources of the step. Both are sums, so it does not matter how the sentences of a
    step are divided among micro-batches, halves of them, or processes.
    """

    def __init__(self, model: Transducer[Any, Any], smoothing: float, autocast: bool) -> None:
        super().__init__()
        self.model = model
        self.smoothing = smoothing
        self.autocast = autocast

    def forward(self, pairs: Pairs) -> Loss:
        """Teacher forcing: the decoder reads the right tokens and predicts each next one."""
        device = pairs.target.tokens.device.type
        on_cpu = device == "cpu" and not torch.compiler.is_compiling()
        if on_cpu and reads_packed(self.model):
            pairs = without_padding(pairs, _SLOTS_MULTIPLE if self.autocast else 1)
        emulated = on_cpu and self.autocast and not native_bfloat16_matmul()
        with (
            emulated_bfloat16() if emulated else nullcontext(),
            torch.autocast(device, dtype=torch.bfloat16, enabled=self.autocast),
        ):
            memory, states = self.model.teacher_forced(pairs)
            penalty = self.model.penalty(memory) if isinstance(self.model, Penalised) else None
            loss = self._loss(states, pairs.target, on_cpu)
        return loss if penalty is None else loss._replace(smoothed=loss.smoothed + penalty.to(loss.smoothed.dtype))

    def _loss(self, states: Float[Tensor, "batch target width"], target: Sequences | Packed, on_cpu: bool) -> Loss:
        """From decoder states to the loss; where it can be avoided, the logits of a whole batch are never in memory."""
        projection, on_gpu = projection_of(self.model), triton_available_for(states)
        if projection is None or not (on_gpu or on_cpu):
            return smoothed_cross_entropy(self.model.logits(states), target.tokens, target.mask, self.smoothing)
        rows = states.flatten(0, 1)
        if self.autocast:
            rows = rows.to(torch.bfloat16)
        share = uniform_share(self.smoothing, len(projection))
        arguments = rows, projection, target.tokens.flatten(), target.mask.flatten(), share
        if on_gpu:
            from saccade.kernels import cross_entropy

            return Loss(*cross_entropy.linear_cross_entropy(*arguments))
        return linear_cross_entropy(*arguments)
