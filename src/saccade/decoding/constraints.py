"""Constraints on outputs: length limits, forbidden tokens, forced prefixes, and rules that follow a hypothesis."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from saccade.errors import ConfigError, InputError, RunError
from saccade.models.contract import Transducer
from saccade.sequences import Sequences, TensorRows
from saccade.special_tokens import BOS, EOS, PAD

LONGEST_EXTRA = 1_000_000
"""Far more tokens than any output has: a mistyped number must not overflow."""


def check_lengths(extra_length: int, unscored_prefix: int) -> None:
    """Refuses settings of a search that no output can have."""
    if not 0 <= extra_length <= LONGEST_EXTRA:
        raise ConfigError(
            f"`extra_length` must be from 0 to {LONGEST_EXTRA:,}, but is {extra_length}. The paper uses 50."
        )
    if unscored_prefix < 0:
        raise ConfigError(f"`unscored_prefix` must be 0 or more, but is {unscored_prefix}. Use 0 to score every token.")


@dataclass(frozen=True)
class Constraints(TensorRows):
    """The length limit and the prefix of every sentence of a batch, each independent of the other sentences."""

    limits: Int[Tensor, " batch"]
    prefix: Sequences
    unscored: int = 0

    @classmethod
    def of(
        cls,
        model: Transducer[Any, Any],
        source: Sequences,
        extra_length: int,
        prefix: Sequences | None,
        unscored: int = 0,
    ) -> "Constraints":
        """An output may be `extra_length` tokens longer than its source or its prefix, EOS included in all lengths.

        The model's maximum length applies as well. A prefix contains neither BOS nor EOS, may be empty, and must
        leave room for at least one more token. Its first `unscored` tokens cost nothing.
        """
        if prefix is None:
            nothing = source.tokens.new_zeros(len(source), 0)
            prefix = Sequences(nothing, torch.zeros_like(source.lengths))
        if len(prefix) != len(source):
            raise InputError(
                f"`prefix` must have one entry per source, but there are {len(prefix)} for {len(source)} sources. "
                "Give an empty one where nothing is forced."
            )
        limits = torch.maximum(source.lengths, prefix.lengths + 1) + extra_length
        limits = limits.clamp(1, model.maximum_length)
        special = (prefix.tokens == PAD) | (prefix.tokens == EOS) | (prefix.tokens == BOS)
        special |= (prefix.tokens < 0) | (prefix.tokens >= model.target_vocabulary)
        if bool((special & prefix.mask).any()):
            raise InputError(
                "`prefix` must contain ordinary tokens of the target vocabulary, but contains PAD, EOS, BOS or an "
                "unknown id. Give only tokens of text."
            )
        if bool((prefix.lengths >= limits).any()):
            worst = int((prefix.lengths - limits).argmax())
            raise InputError(
                f"`prefix` must be shorter than the longest output allowed, {int(limits[worst])} tokens, but has "
                f"{int(prefix.lengths[worst])}. Shorten it or raise `extra_length`."
            )
        return cls(limits, prefix, unscored)

    @property
    def given(self) -> bool:
        """Whether every sentence has a prefix that costs nothing, and no more than that."""
        return self.unscored > 0 and bool((self.prefix.lengths == self.unscored).all())

    def log_probabilities(
        self, logits: Float[Tensor, "rows vocabulary"], position: int
    ) -> Float[Tensor, "rows vocabulary"]:
        """Log P of every token at this position, minus infinity where it is not allowed.

        The rest is not renormalised: a model never learns to write PAD or BOS, and a forced token keeps the
        probability the model gives it, unless it is unscored. With several rows per sentence, the rows of a sentence
        are consecutive.
        """
        precision = torch.promote_types(logits.dtype, torch.float32)
        log_probabilities = logits.log_softmax(dim=1, dtype=precision)
        log_probabilities[:, [PAD, BOS]] = -torch.inf
        if position >= self.prefix.tokens.shape[1]:
            return log_probabilities
        size = logits.shape[0] // len(self.prefix)
        forced = self.prefix.tokens[:, position].repeat_interleave(size).unsqueeze(1)
        free = (position >= self.prefix.lengths).repeat_interleave(size).unsqueeze(1)
        only = torch.full_like(log_probabilities, -torch.inf)
        cost = log_probabilities.gather(1, forced)
        only.scatter_(1, forced, torch.zeros_like(cost) if position < self.unscored else cost)
        return torch.where(free, log_probabilities, only)


@dataclass(frozen=True)
class OutputConstraint(TensorRows):
    """Rules for the tokens of an output that depend on those before: a state that search carries for each hypothesis.

    Its tensors have the sentences as their first axis; those that belong to hypotheses have these as their second.
    Whatever was written by the rules, some token must be allowed to follow it, and EOS before the length limit.
    """

    @abstractmethod
    def branch(self, size: int) -> "OutputConstraint":
        """The same for `size` hypotheses of each sentence, where there is one."""

    @abstractmethod
    def allowed(self, left: Int[Tensor, " sentences"]) -> Bool[Tensor, "sentences size vocabulary"]:
        """The tokens that may follow each hypothesis when so many more may be written, EOS included."""

    @abstractmethod
    def follow(
        self, parents: Int[Tensor, "sentences size"], tokens: Int[Tensor, "sentences size"]
    ) -> "OutputConstraint":
        """After each hypothesis has become its parent with one more token."""


def impossible() -> RunError:
    """The error for a sentence whose every output has probability zero or NaN."""
    return RunError(
        "`model` must give some output a probability above zero, but gives none. Its weights are not finite, or it "
        "excludes the prefix: use another checkpoint, or leave the prefix out."
    )
