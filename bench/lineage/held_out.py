"""A small run through saccade's own training loop, measured by the likelihood of pairs it has not seen."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any

import torch

from saccade.data.batches import Batches, evaluation_batches
from saccade.data.store import TokenStore
from saccade.decoding.scoring import score_pairs
from saccade.models.catalogue import architecture, build
from saccade.models.contract import Seq2Seq
from saccade.sequences import Pairs
from saccade.training import loop
from saccade.training.config import TrainingConfig
from saccade.training.distributed import World
from saccade.training.keeper import Validation

TOKENS = 4096


@dataclass(frozen=True)
class Learned:
    """A model after its run. `loss` is that of held-out tokens, in nats."""

    model: Seq2Seq[Any, Any]
    loss: float
    parameters: int
    seconds: float

    @property
    def perplexity(self) -> float:
        """Per token."""
        return exp(self.loss)


def learned(
    name: str,
    settings: Mapping[str, Any],
    stores: tuple[TokenStore, TokenStore],
    vocabularies: tuple[int, int],
    training: TrainingConfig,
    folder: Path,
    device: str = "cpu",
) -> Learned:
    """Trains one model on the first store and measures it on the second; the folder must be new."""
    assert not folder.exists(), f"{folder} holds a run already"
    train, valid = stores
    torch.manual_seed(training.seed)
    model = build(name, architecture(name).config(**settings), *vocabularies)
    world = World(torch.device(device))

    def validate(model: Seq2Seq[Any, Any], step: int) -> Validation:  # noqa: ARG001 the loop tells, nobody asks
        loss = held_out_loss(model, valid, device)
        return Validation(loss=loss, score=-loss)

    batches = Batches([train], training.batch_tokens, training.seed)
    result = loop.train(model, batches, training, loop.Run(folder, world, validate))
    model.eval()
    parameters = sum(parameter.numel() for parameter in model.parameters())
    return Learned(model, held_out_loss(model, valid, device), parameters, result.standing.seconds)


@torch.no_grad()
def held_out_loss(model: Seq2Seq[Any, Any], store: TokenStore, device: str) -> float:
    """The mean negative log-likelihood of a token."""
    total, tokens = 0.0, 0
    for _, pairs in evaluation_batches(store, TOKENS):
        pairs = Pairs(pairs.source, pairs.target).to(device)
        total -= score_pairs(model, pairs)[pairs.target.mask].sum().item()
        tokens += pairs.target.total
    return total / tokens
