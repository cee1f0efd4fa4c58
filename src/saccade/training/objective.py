"""What training minimises: cross-entropy against a smoothed target."""

from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from saccade.kernels import triton_available_for
from saccade.models.contract import Transducer
from saccade.sequences import Packed, Pairs, Sequences
from saccade.training.cross_entropy_cpu import linear_cross_entropy
from saccade.training.packing import unpadded

# For products of bfloat16 a processor's library makes a program for each new shape: so few shapes, and little padding.
_SHAPES = 256


class Loss(NamedTuple):
    """Sums over the real target tokens of a batch; only the first carries a gradient.

    `smoothed` is minimised, and holds the model's own penalty where it has one; `plain` is the negative log-likelihood
    perplexity is made of, and `correct` counts tokens whose probability no other token exceeds.
    """

    smoothed: Float[Tensor, ""]
    plain: Float[Tensor, ""]
    correct: Float[Tensor, ""]


def smoothed_cross_entropy(
    logits: Float[Tensor, "batch target vocabulary"], target: Sequences | Packed, smoothing: float
) -> Loss:
    """Cross-entropy against q: 1 - e on the right token, e / (V - 1) on each other one (section 5.4).

    With u the mean of -log p over the vocabulary, that is (1 - e') (-log p_gold) + e' u for e' = e V / (V - 1): the
    form that spreads e' over all V tokens, gold included, which is how torch smooths. The paper's own code spreads
    e over the V - 1 wrong tokens, hence e'. The softmax is taken in float32 at least, whatever the model computes in.
    """
    vocabulary = logits.shape[-1]
    spread = smoothing * vocabulary / (vocabulary - 1)
    log_probabilities = logits.to(torch.promote_types(logits.dtype, torch.float32)).log_softmax(-1)
    plain = -log_probabilities.gather(-1, target.tokens.unsqueeze(-1)).squeeze(-1)
    smoothed = (1 - spread) * plain - spread * log_probabilities.mean(-1)
    real = target.mask
    with torch.no_grad():
        correct = plain <= -log_probabilities.amax(-1)
    return Loss(
        smoothed=smoothed.where(real, 0.0).sum(),
        plain=plain.detach().where(real, 0.0).sum(),
        correct=(correct & real).float().sum(),
    )


class Objective(nn.Module):
    """A model and its loss as one module, from pairs to sums: what is compiled and what DDP wraps.

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
        """Teacher forcing: the decoder reads the right tokens and is asked for each next one."""
        on_processor = pairs.target.tokens.device.type == "cpu" and not torch.compiler.is_compiling()
        if on_processor and self.model.packs:
            pairs = unpadded(pairs, _SHAPES if self.autocast else 1)
        target, projection = pairs.target, self.model.projection
        with torch.autocast(target.tokens.device.type, dtype=torch.bfloat16, enabled=self.autocast):
            memory = self.model.encode(pairs.source)
            states = self.model.states(target.reads, memory)
            penalty = self.model.penalty(memory)
            if projection is not None and (triton_available_for(states) or on_processor):
                loss = self._never_whole(states, projection, target)
            else:
                loss = smoothed_cross_entropy(self.model.logits(states), target, self.smoothing)
        return loss if penalty is None else loss._replace(smoothed=loss.smoothed + penalty.to(loss.smoothed.dtype))

    def _never_whole(
        self, states: Float[Tensor, "batch target width"], projection: Tensor, target: Sequences | Packed
    ) -> Loss:
        """Without writing down the logits of the whole batch: by a program of ours on a GPU, in pieces elsewhere."""
        rows = states.flatten(0, 1)
        if self.autocast:
            rows = rows.to(torch.bfloat16)
        last = rows, projection, target.tokens.flatten(), target.mask.flatten(), self.smoothing
        if triton_available_for(states):
            from saccade.kernels import cross_entropy

            return Loss(*cross_entropy.linear_cross_entropy(*last))
        return Loss(*linear_cross_entropy(*last))
