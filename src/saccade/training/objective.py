"""The training objective: a model and its loss as one module, from pairs of sentences to sums over target tokens."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from saccade.attention.policy_gradient import Draw, Policy, drawing, policy_gradient
from saccade.data.packed import without_padding
from saccade.hardware import emulated_bfloat16, native_bfloat16_matmul
from saccade.kernels import triton_available_for
from saccade.layers.biased_projection import as_one_product
from saccade.models.capabilities import Penalised, projection_bias_of, projection_of, reads_packed
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

    A model with a reinforced alignment draws where to look, and its policy learns from the log-likelihood that each
    draw led to (attention/policy_gradient.py). That adds a gradient to the loss, and nothing to its value.
    """

    def __init__(self, model: Transducer[Any, Any], smoothing: float, autocast: bool) -> None:
        super().__init__()
        self.model = model
        self.smoothing = smoothing
        self.autocast = autocast
        self.draws = any(isinstance(module, Policy) for module in model.modules())

    def forward(self, pairs: Pairs) -> Loss:
        """Teacher forcing: the decoder reads the right tokens and predicts each next one."""
        device = pairs.target.tokens.device.type
        on_cpu = device == "cpu" and not torch.compiler.is_compiling()
        if on_cpu and reads_packed(self.model):
            pairs = without_padding(pairs, _SLOTS_MULTIPLE if self.autocast else 1)
        collected: AbstractContextManager[list[Draw]] = drawing() if self.draws else nullcontext([])
        emulated = on_cpu and self.autocast and not native_bfloat16_matmul()
        with (
            emulated_bfloat16() if emulated else nullcontext(),
            torch.autocast(device, dtype=torch.bfloat16, enabled=self.autocast),
            collected as draws,
        ):
            memory, states = self.model.teacher_forced(pairs)
            penalty = self.model.penalty(memory) if isinstance(self.model, Penalised) else None
            loss = self._loss(states, pairs.target, on_cpu)
            if draws:
                penalty = self._policy_gradient(draws, states, pairs.target) + (0.0 if penalty is None else penalty)
        return loss if penalty is None else loss._replace(smoothed=loss.smoothed + penalty.to(loss.smoothed.dtype))

    def _policy_gradient(
        self, draws: Sequence[Draw], states: Float[Tensor, "batch target width"], target: Sequences | Packed
    ) -> Float[Tensor, ""]:
        """Zero, with the gradient of the policies. The reward is needed word by word, so here all logits are."""
        with torch.no_grad():
            logits = self.model.logits(states).float()
            log_likelihood = logits.log_softmax(-1).gather(-1, target.tokens.unsqueeze(-1)).squeeze(-1)
        return policy_gradient(draws, log_likelihood, target.mask)

    def _loss(self, states: Float[Tensor, "batch target width"], target: Sequences | Packed, on_cpu: bool) -> Loss:
        """From decoder states to the loss; where it can be avoided, the logits of a whole batch are never in memory."""
        projection, on_gpu = projection_of(self.model), triton_available_for(states)
        if projection is None or not (on_gpu or on_cpu):
            return smoothed_cross_entropy(self.model.logits(states), target.tokens, target.mask, self.smoothing)
        rows, bias = states.flatten(0, 1), projection_bias_of(self.model)
        if bias is not None:
            rows, projection = as_one_product(rows, projection, bias)
        if self.autocast:
            rows = rows.to(torch.bfloat16)
        share = uniform_share(self.smoothing, len(projection))
        arguments = rows, projection, target.tokens.flatten(), target.mask.flatten(), share
        if on_gpu:
            from saccade.kernels import cross_entropy

            return Loss(*cross_entropy.linear_cross_entropy(*arguments))
        return linear_cross_entropy(*arguments)
