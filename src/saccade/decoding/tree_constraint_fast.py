"""The fast twin of `tree_constraint.py`: the same rules for all hypotheses of a batch at once, as tensors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from saccade.data.trees import closes, opens
from saccade.decoding.constraints import OutputConstraint
from saccade.decoding.tree_constraint import DEEPEST, LONGEST_RUN
from saccade.special_tokens import BOS, EOS, PAD, UNK

ANY = -1
"""In place of the token of a leaf: any leaf may be written."""
_NONE = -1


@dataclass(frozen=True)
class TreeVocabulary:
    """What each token of the target vocabulary is: the number of the label it opens or closes (or -1), or a leaf."""

    opens: Int[Tensor, " vocabulary"]
    closes: Int[Tensor, " vocabulary"]
    leaf: Bool[Tensor, " vocabulary"]

    @classmethod
    def of(cls, symbols: Sequence[str], device: torch.device | str = "cpu") -> "TreeVocabulary":
        """Of the symbol of every token. An unknown word is a leaf too, written where leaves are words."""
        labels: dict[str, int] = {}
        opening, closing = [_NONE] * len(symbols), [_NONE] * len(symbols)
        leaf = [False] * len(symbols)
        for token, symbol in enumerate(symbols):
            if token in (PAD, EOS, BOS) or not symbol:
                continue
            if opens(symbol):
                opening[token] = labels.setdefault(symbol[1:], len(labels))
            elif closes(symbol):
                closing[token] = labels.setdefault(symbol[1:], len(labels))
            else:
                leaf[token] = token != UNK
        tensors = (torch.tensor(values, device=device) for values in (opening, closing, leaf))
        return cls(*tensors)

    @cached_property
    def tokens(self) -> Int[Tensor, " vocabulary"]:
        """All token ids."""
        return torch.arange(len(self.leaf), device=self.leaf.device)


@dataclass(frozen=True)
class TreeConstraint(OutputConstraint):
    """How far each hypothesis has come: its open brackets, its words so far, and brackets just opened in a row.

    `leaves` are the tokens that must be written for the words of each sentence, or ANY; `words` is their number.
    """

    vocabulary: TreeVocabulary
    leaves: Int[Tensor, "sentences words"]
    words: Int[Tensor, " sentences"]
    stack: Int[Tensor, "sentences size depth"]
    depth: Int[Tensor, "sentences size"]
    used: Int[Tensor, "sentences size"]
    run: Int[Tensor, "sentences size"]

    @classmethod
    def of(cls, vocabulary: TreeVocabulary, leaves: Sequence[Sequence[int]]) -> "TreeConstraint":
        """Before the first symbol, for sentences with these leaves: one for each word."""
        device = vocabulary.leaf.device
        longest = max(map(len, leaves))
        padded = [[*row, *[ANY] * (longest - len(row))] for row in leaves]
        zeros = torch.zeros(len(leaves), 1, dtype=torch.int64, device=device)
        return cls(
            vocabulary,
            torch.tensor(padded, dtype=torch.int64, device=device).view(len(leaves), longest),
            torch.tensor([len(row) for row in leaves], dtype=torch.int64, device=device),
            torch.zeros(len(leaves), 1, DEEPEST, dtype=torch.int64, device=device),
            zeros,
            zeros,
            zeros,
        )

    def branch(self, size: int) -> "TreeConstraint":
        """The same for `size` hypotheses of each sentence."""
        return replace(
            self,
            stack=self.stack.repeat_interleave(size, dim=1),
            depth=self.depth.repeat_interleave(size, dim=1),
            used=self.used.repeat_interleave(size, dim=1),
            run=self.run.repeat_interleave(size, dim=1),
        )

    def allowed(self, left: Int[Tensor, " sentences"]) -> Bool[Tensor, "sentences size vocabulary"]:
        """The tokens that may follow each hypothesis when so many more may be written, EOS included."""
        known = self.vocabulary
        remaining = self.words.unsqueeze(1) - self.used
        spare = left.unsqueeze(1) - (remaining + self.depth + 1)
        may_open = (remaining > 0) & (spare >= 2) & (self.depth < DEEPEST) & (self.run < LONGEST_RUN)
        may_close = (self.depth > 0) & (self.run == 0)
        innermost = self.stack.gather(2, (self.depth - 1).clamp(min=0).unsqueeze(2))
        leaf = self.leaves.gather(1, self.used.clamp(max=self.leaves.shape[1] - 1)).unsqueeze(2)
        fits = torch.where(leaf == ANY, known.leaf, known.tokens == leaf)
        return (
            (may_open.unsqueeze(2) & (known.opens >= 0))
            | (may_close.unsqueeze(2) & (known.closes == innermost))
            | ((remaining > 0).unsqueeze(2) & fits)
            | (((remaining == 0) & (self.depth == 0)).unsqueeze(2) & (known.tokens == EOS))
        )

    def follow(self, parents: Int[Tensor, "sentences size"], tokens: Int[Tensor, "sentences size"]) -> "TreeConstraint":
        """After each hypothesis has become its parent with one more token.

        An empty place of the beam may hold a token that was not allowed; what follows there stays within bounds.
        """
        stack = self.stack.gather(1, parents.unsqueeze(2).expand_as(self.stack))
        depth, used, run = (each.gather(1, parents) for each in (self.depth, self.used, self.run))
        opened, closed = self.vocabulary.opens[tokens], self.vocabulary.closes[tokens]
        opening, closing = opened >= 0, closed >= 0
        place = depth.clamp(max=DEEPEST - 1).unsqueeze(2)
        stack = stack.scatter(2, place, torch.where(opening.unsqueeze(2), opened.unsqueeze(2), stack.gather(2, place)))
        return replace(
            self,
            stack=stack,
            depth=(depth + opening.long() - closing.long()).clamp(0, DEEPEST),
            used=torch.minimum(used + (~opening & ~closing).long(), self.words.unsqueeze(1)),
            run=torch.where(opening, run + 1, 0),
        )
