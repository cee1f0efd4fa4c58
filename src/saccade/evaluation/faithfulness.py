"""Whether what a model attends to is what its output depends on: a heat map alone is no evidence.

Every attention to the source is given other weights, and the outputs are compared with the model's own:

    most       each query loses the k source positions that it weighs most; what is left is scaled to the same sum
    random     it loses k others, drawn at random
    permuted   it keeps its weights, but on other positions (Jain and Wallace 2019)

    change = mean over the target tokens of  1/2 sum_y |p(y) - p'(y)|        loss = mean of log p(y_t) - log p'(y_t)

Attention that means something changes more without its most-weighted positions than without random ones.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from saccade.attention.altering import Alter, altering
from saccade.errors import ConfigError, InputError
from saccade.models.contract import Transducer
from saccade.sequences import Pairs, Sequences

DRAWS = 5
"""How often what is random is drawn, for each batch."""


@dataclass(frozen=True)
class OutputChange:
    """How much the output distributions move, from 0 to 1, and what the right tokens lose, in nats a token."""

    change: float
    loss: float


@dataclass(frozen=True)
class Faithfulness:
    """What dropping and permuting attention weights does to the outputs, and how much was tried."""

    dropped: int
    most: OutputChange
    random: OutputChange
    permuted: OutputChange
    sentences: int
    tokens: int


@torch.no_grad()
def faithfulness(
    model: Transducer[Any, Any], batches: Iterable[Pairs], dropped: int, generator: Generator
) -> Faithfulness:
    """Tries all three on given pairs; sources with no more positions than are dropped are left out."""
    if not model.source_attentions:
        raise ConfigError(f"`{type(model).__name__}` does not attend, so there is nothing to drop. Leave this out.")
    assert not model.training, "dropout would change the outputs: call model.eval() first"
    sums = {name: torch.zeros(2, dtype=torch.float64) for name in ("most", "random", "permuted")}
    sentences = tokens = 0
    for pairs in batches:
        source, target = pairs.source, pairs.target
        assert isinstance(source, Sequences)
        assert isinstance(target, Sequences)
        enough = (source.lengths > dropped).nonzero().flatten()
        if not len(enough):
            continue
        source, target = source.select(enough), target.select(enough)
        own = _probabilities(model, source, target, None)
        for name, (alter, draws) in _alterations(source.mask, dropped, generator).items():
            for _ in range(draws):
                sums[name] += _moved(own, _probabilities(model, source, target, alter), target) / draws
        sentences, tokens = sentences + len(enough), tokens + int(target.mask.sum())
    if not tokens:
        raise InputError(f"sources must have more than {dropped} positions, but none has. Drop fewer, or give longer.")
    changes = {name: OutputChange(*(total / tokens).tolist()) for name, total in sums.items()}
    return Faithfulness(dropped, changes["most"], changes["random"], changes["permuted"], sentences, tokens)


def without(
    weights: Float[Tensor, "batch *between key"], order: Float[Tensor, "batch *between key"], count: int
) -> Float[Tensor, "batch *between key"]:
    """The weights without the `count` keys that come first by `order`, scaled to the sum they had."""
    gone = torch.zeros_like(weights, dtype=torch.bool).scatter(-1, order.topk(count, dim=-1).indices, True)
    left = weights.masked_fill(gone, 0.0)
    total = left.sum(-1, keepdim=True)
    return left * torch.where(total > 0, weights.sum(-1, keepdim=True) / total, 0.0)


def permuted(
    weights: Float[Tensor, "batch *between key"], order: Float[Tensor, "batch *between key"]
) -> Float[Tensor, "batch *between key"]:
    """The weights of the real keys in the order of `order`, which has all real keys before all others."""
    places = order.argsort(dim=-1, descending=True)
    # Real keys come first in a source, so the first places take their weights and the rest is zero anyway.
    return torch.zeros_like(weights).scatter(-1, places, weights)


def _alterations(real: Bool[Tensor, "batch key"], dropped: int, generator: Generator) -> dict[str, tuple[Alter, int]]:
    """What is done to weights, and how often."""

    def chance(weights: Tensor) -> Tensor:
        """Random numbers, lower on padding than anywhere else."""
        drawn = torch.rand(weights.shape, generator=generator).to(weights)
        return drawn.masked_fill(~real.view(len(real), *[1] * (weights.dim() - 2), -1), -1.0)

    return {
        "most": (lambda weights: without(weights, weights, dropped), 1),
        "random": (lambda weights: without(weights, chance(weights), dropped), DRAWS),
        "permuted": (lambda weights: permuted(weights, chance(weights)), DRAWS),
    }


def _probabilities(
    model: Transducer[Any, Any], source: Sequences, target: Sequences, alter: Alter | None
) -> Float[Tensor, "batch target vocabulary"]:
    if alter is None:
        logits = model.decode(target.reads, model.encode(source))
    else:
        with altering(model, model.source_attentions, alter):
            logits = model.decode(target.reads, model.encode(source))
    return logits.double().log_softmax(-1)


def _moved(
    own: Float[Tensor, "batch target vocabulary"], other: Float[Tensor, "batch target vocabulary"], target: Sequences
) -> Float[Tensor, "2"]:
    """Both sums over the real target tokens."""
    change = (own.exp() - other.exp()).abs().sum(-1) / 2
    loss = (own - other).gather(-1, target.tokens.unsqueeze(-1)).squeeze(-1)
    return torch.stack([change[target.mask].sum(), loss[target.mask].sum()]).cpu()
