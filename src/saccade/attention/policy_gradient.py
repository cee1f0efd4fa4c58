"""Learning a choice from the reward alone: REINFORCE (Williams 1992), as Xu et al. 2015 train hard attention.

A draw z has no derivative. What has one is its probability, and

    grad E[R] = E[(R - b) grad log p(z)]

for any baseline b that does not know the draw. The reward of a draw at target position t is the log-likelihood of the
words it can still influence, R_t = sum_{u >= t} log p(y_u), less what the draw costs; the baseline is a moving average
of the log-likelihood of one word, times the number of words to come. An entropy bonus keeps the policy from settling
on one choice before it has seen the others:

    loss = sum_t -log p(y_t) - (R_t - b n_t) log p(z_t) - lambda H_t        where R_t - b n_t is a constant

    with drawing() as draws:                    # whoever trains opens it, and policies put their draws in
        log_likelihood = ...
    loss = loss + policy_gradient(draws, log_likelihood, real)
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from saccade.attention.alignment import Alignment

KEPT = 0.9
"""How much of the moving average an update keeps."""


class Policy(Alignment):
    """An alignment that draws, and learns from how well things went.

    The moving average is a buffer: a run that continues continues with it. It is zero before the first update. Where
    several processes train together, each has its own, and a checkpoint keeps that of the first.
    """

    baseline: Float[Tensor, ""]

    def __init__(self, entropy_bonus: float) -> None:
        super().__init__()
        self.entropy_bonus = entropy_bonus
        self.register_buffer("baseline", torch.zeros(()))

    def report(self, draw: "Draw") -> None:
        """Hands a draw to whoever trains; where nobody does, it teaches nothing."""
        draws = _open.get()
        if draws is not None:
            draws.append(draw)

    @torch.no_grad()
    def update_baseline(self, reward: Float[Tensor, ""]) -> Float[Tensor, ""]:
        """Moves the average towards this reward, and returns what it was: the first time, the reward itself."""
        before = torch.where(self.baseline == 0, reward.to(self.baseline), self.baseline)
        after = KEPT * before + (1 - KEPT) * reward.to(before)
        self.baseline.copy_(torch.where(after.isfinite(), after, before))
        return before


@dataclass(frozen=True)
class Draw:
    """What a policy drew for some queries: log p(z) and the entropy, with gradients, and what the draw costs."""

    policy: Policy
    log_probability: Float[Tensor, "batch query"]
    entropy: Float[Tensor, "batch query"]
    cost: Float[Tensor, "batch query"]


_open: ContextVar[list[Draw] | None] = ContextVar("draws", default=None)


@contextmanager
def drawing() -> Iterator[list[Draw]]:
    """Collects the draws of every policy that runs inside the block, in order."""
    draws: list[Draw] = []
    token = _open.set(draws)
    try:
        yield draws
    finally:
        _open.reset(token)


def policy_gradient(
    draws: Sequence[Draw], log_likelihood: Float[Tensor, "batch target"], real: Bool[Tensor, "batch target"]
) -> Float[Tensor, ""]:
    """Zero, with the gradient of the last two terms of the loss above; moves the baselines.

    A policy has drawn once for each target position, at once or one after another. The value is zero so that what is
    reported as the loss stays the loss.
    """
    words = log_likelihood.detach().where(real, 0.0)
    to_come = real.to(words.dtype).flip(1).cumsum(1).flip(1)
    reward = words.flip(1).cumsum(1).flip(1)
    mean = words.sum() / real.sum().clamp(min=1)
    total = words.new_zeros(())
    for policy in dict.fromkeys(draw.policy for draw in draws):
        own = [draw for draw in draws if draw.policy is policy]
        log_probability = torch.cat([draw.log_probability for draw in own], dim=1)
        entropy = torch.cat([draw.entropy for draw in own], dim=1)
        cost = torch.cat([draw.cost for draw in own], dim=1)
        advantage = reward - policy.update_baseline(mean) * to_come - cost.detach()
        wanted = advantage * log_probability + policy.entropy_bonus * entropy
        total = total - wanted.where(real, 0.0).sum()
    return total - total.detach()
