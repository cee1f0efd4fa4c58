"""What an output must not contain: given words, repetitions, an end too early or too late.

    no repetition   no three tokens that the output has already, and no token of letters twice in a row
    blocked words   the last token of a blocked sequence must not follow the others
    length          EOS only after `shortest` tokens, and nothing but EOS after `longest`

Known elsewhere as `no_repeat_ngram_size`, `bad_words`, `min_length` and `max_length`. EOS is never blocked otherwise,
so that every output can end.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from saccade.decoding.constraints import OutputConstraint
from saccade.errors import ConfigError
from saccade.special_tokens import EOS

REPEATED = 3
"""Tokens that must not come again."""
_NONE = -1


@dataclass(frozen=True)
class Blocking:
    """What the output of one sentence must not contain; lengths are in tokens, EOS not counted."""

    repetition: bool = False
    sequences: tuple[tuple[int, ...], ...] = ()
    shortest: int = 0
    longest: int | None = None

    def __post_init__(self) -> None:
        if self.longest is not None and self.shortest > self.longest:
            raise ConfigError(
                f"`shortest` must be at most `longest`, {self.longest}, but is {self.shortest}. Leave one of them out."
            )

    def __bool__(self) -> bool:
        return self != Blocking()


@dataclass(frozen=True)
class NgramBlocking(OutputConstraint):
    """Follows the hypotheses of a batch. Sequences are padded on the left; `letters` marks the tokens of letters."""

    repetition: Bool[Tensor, " sentences"]
    sequences: Int[Tensor, "sentences blocked longest"]
    shortest: Int[Tensor, " sentences"]
    longest: Int[Tensor, " sentences"]
    letters: Bool[Tensor, "sentences vocabulary"]
    history: Int[Tensor, "sentences size length"]

    @classmethod
    def of(cls, blocked: Sequence[Blocking], letters: Bool[Tensor, " vocabulary"]) -> "NgramBlocking":
        """Before the first token."""
        device = letters.device
        most = max(len(one.sequences) for one in blocked)
        width = max((len(tokens) for one in blocked for tokens in one.sequences), default=1)
        rows = [[[_NONE] * (width - len(tokens)) + list(tokens) for tokens in one.sequences] for one in blocked]
        padded = [[*row, *[[_NONE] * width] * (most - len(row))] for row in rows]
        unlimited = torch.iinfo(torch.int64).max
        return cls(
            torch.tensor([one.repetition for one in blocked], device=device),
            torch.tensor(padded, dtype=torch.int64, device=device).view(len(blocked), most, width),
            torch.tensor([one.shortest for one in blocked], device=device),
            torch.tensor([unlimited if one.longest is None else one.longest for one in blocked], device=device),
            letters.repeat(len(blocked), 1),
            torch.zeros(len(blocked), 1, 0, dtype=torch.int64, device=device),
        )

    def branch(self, size: int) -> "NgramBlocking":
        """The same for `size` hypotheses of each sentence."""
        return replace(self, history=self.history.repeat_interleave(size, dim=1))

    def allowed(self, left: Int[Tensor, " sentences"]) -> Bool[Tensor, "sentences size vocabulary"]:
        """The tokens that may follow each hypothesis when so many more may be written, EOS included."""
        sentences, size, length = self.history.shape
        blocked = self._repeats() | self._forbidden()
        blocked[:, :, EOS] = ((length < self.shortest) & (left > 1)).unsqueeze(1).expand(sentences, size)
        over = (length >= self.longest).view(sentences, 1, 1).expand_as(blocked).clone()
        over[:, :, EOS] = False
        return ~(blocked | over)

    def follow(self, parents: Int[Tensor, "sentences size"], tokens: Int[Tensor, "sentences size"]) -> "NgramBlocking":
        """After each hypothesis has become its parent with one more token."""
        kept = self.history.gather(1, parents.unsqueeze(2).expand(-1, -1, self.history.shape[2]))
        return replace(self, history=torch.cat([kept, tokens.unsqueeze(2)], dim=2))

    def _repeats(self) -> Bool[Tensor, "sentences size vocabulary"]:
        """What would repeat three tokens, or the last one."""
        sentences, size, length = self.history.shape
        counts = torch.zeros(sentences, size, self.letters.shape[1], device=self.history.device)
        if length >= REPEATED:
            windows = self.history.unfold(2, REPEATED, 1)
            end = self.history[:, :, 1 - REPEATED :].unsqueeze(2)
            same = (windows[..., :-1] == end).all(dim=3)
            counts.scatter_add_(2, windows[..., -1], same.to(counts.dtype))
        if length:
            last = self.history[:, :, -1:]
            counts.scatter_add_(2, last, self.letters.gather(1, last.squeeze(2)).unsqueeze(2).to(counts.dtype))
        return (counts > 0) & self.repetition.view(sentences, 1, 1)

    def _forbidden(self) -> Bool[Tensor, "sentences size vocabulary"]:
        """What would complete a blocked sequence."""
        sentences, size, length = self.history.shape
        counts = torch.zeros(sentences, size, self.letters.shape[1], device=self.history.device)
        width = self.sequences.shape[2]
        if not self.sequences.shape[1]:
            return counts > 0
        before, last = self.sequences[:, :, :-1], self.sequences[:, :, -1]
        filled = torch.nn.functional.pad(self.history, (max(width - 1 - length, 0), 0), value=_NONE - 1)
        end = filled[:, :, filled.shape[2] - (width - 1) :].unsqueeze(2)
        begun = ((before.unsqueeze(1) == end) | (before.unsqueeze(1) == _NONE)).all(dim=3) & (last >= 0).unsqueeze(1)
        completing = last.clamp(min=0).unsqueeze(1).expand(sentences, size, -1)
        return counts.scatter_add_(2, completing, begun.to(counts.dtype)) > 0
