"""Label-smoothed cross-entropy: Szegedy et al. 2016, section 7, as Vaswani et al. 2017 use it (section 5.4).

The target distribution has 1 - e on the right token and e / (V - 1) on each of the others. With u the mean of -log p
over the vocabulary, the cross-entropy against it is

    (1 - e') (-log p_gold) + e' u        with e' = e V / (V - 1)

This is the form that spreads e' evenly over all V tokens, the right one included, which is how torch smooths. The
paper's own code spreads e over the V - 1 wrong tokens, hence e'. `label_smoothing_fast` computes it on a CPU without
writing down all logits, `kernels/cross_entropy` on a GPU.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


class Loss(NamedTuple):
    """Sums over the real target tokens of a batch; only the first carries a gradient.

    `smoothed` is minimised, and includes the model's own penalty where it has one; `plain` is the negative
    log-likelihood that perplexity is made of; `correct` counts tokens whose probability no other token exceeds.
    """

    smoothed: Float[Tensor, ""]
    plain: Float[Tensor, ""]
    correct: Float[Tensor, ""]


def uniform_share(smoothing: float, vocabulary: int) -> float:
    """e': the probability that is spread evenly over all tokens, the right one included."""
    return smoothing * vocabulary / (vocabulary - 1)


def smoothed_cross_entropy(
    logits: Float[Tensor, "*rows vocabulary"], gold: Int[Tensor, "*rows"], real: Bool[Tensor, "*rows"], smoothing: float
) -> Loss:
    """The equation above, summed over the real tokens; the softmax is taken in float32 at least."""
    share = uniform_share(smoothing, logits.shape[-1])
    log_probabilities = logits.to(torch.promote_types(logits.dtype, torch.float32)).log_softmax(-1)
    plain = -log_probabilities.gather(-1, gold.unsqueeze(-1)).squeeze(-1)
    smoothed = (1 - share) * plain - share * log_probabilities.mean(-1)
    with torch.no_grad():
        correct = plain <= -log_probabilities.amax(-1)
    return Loss(
        smoothed=smoothed.where(real, 0.0).sum(),
        plain=plain.detach().where(real, 0.0).sum(),
        correct=(correct & real).float().sum(),
    )
