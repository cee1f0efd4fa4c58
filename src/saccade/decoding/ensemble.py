"""An ensemble: several models whose predictions are averaged at every step."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from saccade.errors import ConfigError
from saccade.models.contract import Memory, State, Transducer
from saccade.sequences import Sequences


@dataclass(frozen=True)
class EnsembleMemory(Memory):
    """The encoder output of each member."""

    members: tuple[Memory, ...]


@dataclass(frozen=True)
class EnsembleState(State):
    """The decoder state of each member."""

    members: tuple[State, ...]

    def branch(self, sentences: int, size: int, capacity: int) -> "EnsembleState":
        """Branches the state of each member."""
        return EnsembleState(tuple(member.branch(sentences, size, capacity) for member in self.members))

    def reorder(self, parents: Int[Tensor, "sentences size"]) -> "EnsembleState":
        """Reorders the state of each member."""
        return EnsembleState(tuple(member.reorder(parents) for member in self.members))

    def keep(self, sentences: Int[Tensor, " kept"], size: int) -> "EnsembleState":
        """Keeps these sentences in the state of each member."""
        return EnsembleState(tuple(member.keep(sentences, size) for member in self.members))


class Ensemble(Transducer[EnsembleMemory, EnsembleState]):
    """P(y | x) = mean over the members of P_m(y | x), for every next token.

    It is a model like any other whose logits are log-probabilities. The members may have different architectures;
    they must share their vocabularies, whose sizes are checked here. An ensemble is for inference only: it and
    its members, which are those given and no copies, are put into evaluation mode.
    """

    def __init__(self, models: Sequence[Transducer[Any, Any]]) -> None:
        if not models:
            raise ConfigError("`models` must contain at least one model, but is empty. Name one.")
        for side in ("source_vocabulary", "target_vocabulary"):
            sizes = [getattr(model, side) for model in models]
            if len(set(sizes)) > 1:
                raise ConfigError(
                    f"`models` of an ensemble must share one {side.replace('_', ' ')}, but have {sizes} entries. "
                    "Use models trained with the same tokenizers."
                )
        super().__init__(
            models[0].source_vocabulary,
            models[0].target_vocabulary,
            maximum_length=min(model.maximum_length for model in models),
            width=max(model.width for model in models),
        )
        self.models = nn.ModuleList(models)
        self.alignment_blocks = tuple(
            f"models.{place}.{block}" for place, model in enumerate(models) for block in model.alignment_blocks
        )
        self.eval()

    @property
    def members(self) -> list[Transducer[Any, Any]]:
        """The models, in the order given."""
        return [cast(Transducer[Any, Any], model) for model in self.models]

    def encode(self, source: Sequences) -> EnsembleMemory:
        """Each member encodes the source."""
        return EnsembleMemory(tuple(model.encode(source) for model in self.members))

    def states(self, reads: Sequences, memory: EnsembleMemory) -> Float[Tensor, "batch target vocabulary"]:
        """The logarithm of the mean probability of the next token after each position."""
        members = zip(self.members, memory.members, strict=True)
        return _mean([model.decode(reads, own) for model, own in members])

    def logits(self, states: Float[Tensor, "*rows vocabulary"]) -> Float[Tensor, "*rows vocabulary"]:
        """The states are already log-probabilities."""
        return states

    def start(self, memory: EnsembleMemory) -> EnsembleState:
        """The state of each member before the first token."""
        members = zip(self.members, memory.members, strict=True)
        return EnsembleState(tuple(model.start(own) for model, own in members))

    def step(
        self, token: Int[Tensor, " batch"], state: EnsembleState
    ) -> tuple[Float[Tensor, "batch vocabulary"], EnsembleState]:
        """Each member reads the token; the logarithm of their mean probability of the next one."""
        steps = [model.step(token, own) for model, own in zip(self.members, state.members, strict=True)]
        return _mean([logits for logits, _ in steps]), EnsembleState(tuple(after for _, after in steps))

    @property
    def attends(self) -> bool:
        """Whether one of the members does."""
        return any(model.attends for model in self.members)

    @property
    def source_attentions(self) -> tuple[str, ...]:
        """Those of the members, one member after the other."""
        return tuple(
            f"models.{place}.{block}" for place, model in enumerate(self.members) for block in model.source_attentions
        )

    def align(self, target: Sequences, memory: EnsembleMemory) -> Float[Tensor, "batch target source"]:
        """The mean attention of the members that attend."""
        attending = [pair for pair in zip(self.members, memory.members, strict=True) if pair[0].attends]
        if not attending:
            raise ConfigError("`models` must contain one that attends, but none does. Leave alignments off.")
        return torch.stack([model.align(target, own) for model, own in attending]).mean(dim=0)


def _mean(logits: list[Float[Tensor, "*shape"]]) -> Float[Tensor, "*shape"]:
    """Log (1/n sum_m softmax(logits_m)), in single precision at least."""
    precision = torch.promote_types(logits[0].dtype, torch.float32)
    each = torch.stack([one.log_softmax(dim=-1, dtype=precision) for one in logits])
    return each.logsumexp(dim=0) - math.log(len(logits))
