"""Alignment functions that draw, and are trained by policy gradient (policy_gradient.py).

    reinforced          one position m ~ Categorical(softmax(e)) takes everything        Xu et al. 2015
    reinforced-subset   z_l ~ Bernoulli(sigma(w e_l + b)), then softmax where z_l = 1    after Shen et al. 2018

Both draw while training and take the most probable afterwards. Shen et al. give the gates a network of their own and
select for self-attention; here a gate hears the score that the softmax hears, through a learned slope w > 0 and
threshold -b / w, so that the subset is an alignment like any other. Its reward is lowered by the share of keys that it
keeps.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.alignment import softmax_where
from saccade.attention.policy_gradient import Draw, Policy


class Reinforced(Policy):
    """One position takes everything; the gradient comes from the reward, without bias and with much noise."""

    name = "reinforced"

    def __init__(self, entropy_bonus: float = 0.01) -> None:
        super().__init__(entropy_bonus)

    def forward(
        self,
        scores: Float[Tensor, "batch query key"],
        real: Bool[Tensor, "batch key"],
        queries: Float[Tensor, "batch query query_width"],  # noqa: ARG002 the scores have heard them
        positions: Int[Tensor, "#batch query"],  # noqa: ARG002
    ) -> Float[Tensor, "batch query key"]:
        """The weight of every key for every query."""
        probabilities = softmax_where(scores, real.unsqueeze(1))
        drawn = probabilities.detach()
        if self.training:  # the largest of p / Exponential(1) is at l with probability p_l
            drawn = drawn / torch.empty_like(drawn).exponential_()
        place = drawn.argmax(-1, keepdim=True)
        if self.training:
            # A probability that has become zero was not drawn, and its logarithm must not poison the sum.
            logarithms = probabilities.clamp(min=torch.finfo(scores.dtype).tiny).log()
            entropy = -(probabilities * logarithms).sum(-1)
            self.report(Draw(self, logarithms.gather(-1, place).squeeze(-1), entropy, torch.zeros_like(entropy)))
        return torch.zeros_like(drawn).scatter_(-1, place, 1.0).masked_fill(~real.unsqueeze(1), 0.0)


class ReinforcedSubset(Policy):
    """A gate for each key, open or shut, and softmax among the open ones; where all are shut, nothing is taken."""

    name = "reinforced-subset"
    sums_to_one = False

    def __init__(self, entropy_bonus: float = 0.01, price: float = 0.1) -> None:
        super().__init__(entropy_bonus)
        self.price = price
        """What it costs to keep every key."""
        self.log_slope = nn.Parameter(torch.zeros(()))
        self.bias = nn.Parameter(torch.ones(()))  # nearly three gates of four are open at first

    def forward(
        self,
        scores: Float[Tensor, "batch query key"],
        real: Bool[Tensor, "batch key"],
        queries: Float[Tensor, "batch query query_width"],  # noqa: ARG002
        positions: Int[Tensor, "#batch query"],  # noqa: ARG002
    ) -> Float[Tensor, "batch query key"]:
        """The weight of every key for every query."""
        seen = real.unsqueeze(1) & (scores > torch.finfo(scores.dtype).min)
        opening = self.log_slope.exp() * scores.masked_fill(~seen, 0.0) + self.bias
        probability = opening.detach().sigmoid()
        chance = torch.rand_like(probability) if self.training else 0.5
        opened = (probability > chance) & seen
        if self.training:
            self._report(opening, opened, seen)
        return softmax_where(scores, opened)

    def _report(
        self,
        opening: Float[Tensor, "batch query key"],
        opened: Bool[Tensor, "batch query key"],
        seen: Bool[Tensor, "batch query key"],
    ) -> None:
        shut = functional.softplus(opening)  # -log(1 - sigma(x)); -log sigma(x) is that minus x
        log_probability = (opening * opened - shut).where(seen, 0.0).sum(-1)
        entropy = (shut - opening * opening.sigmoid()).where(seen, 0.0).sum(-1)
        cost = self.price * opened.sum(-1) / seen.sum(-1).clamp(min=1)
        self.report(Draw(self, log_probability, entropy, cost))
