"""Attention on several levels of the same input.

    hierarchical              words make sentences, sentences make a document            Yang et al. 2016
        s_i = sum_t a_it h_it        d = sum_i a_i f(s_i)        each a by a learned query (learned_query.py)
    attention-via-attention   what was found above says where to look below              Zhao and Zhang 2018
        c_high = attend(q, high)     c_low = attend([q; c_high], low)     c = [c_high; c_low]

Yang et al. put a bidirectional GRU before each of their two attentions; f is what stands between them here. The survey
leaves open how the lower level hears the upper one; a concatenation is our choice.
"""

from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from saccade.attention.learned_query import LearnedQueryAttention
from saccade.attention.single_query import Attention


class HierarchicalAttention(nn.Module):
    """A document of sentences of words as one vector; `between` sees all sentences of a document together."""

    def __init__(self, width: int, hidden_width: int, between: nn.Module | None = None) -> None:
        super().__init__()
        self.words = LearnedQueryAttention(width, hidden_width)
        self.between = between or nn.Identity()
        self.sentences = LearnedQueryAttention(width, hidden_width)

    def forward(
        self, words: Float[Tensor, "batch sentence word width"], real: Bool[Tensor, "batch sentence word"]
    ) -> Float[Tensor, "batch width"]:
        """The document; a sentence without a real word is not there."""
        sentences = self.words(words.flatten(0, 1), real.flatten(0, 1)).view(*words.shape[:2], -1)
        return self.sentences(self.between(sentences), real.any(-1))

    if TYPE_CHECKING:
        __call__ = forward


class AttentionViaAttention(nn.Module):
    """A look at the upper level, and then one at the lower level that knows what the first has found."""

    def __init__(self, high: Attention, low: Attention) -> None:
        super().__init__()
        self.high, self.low = high, low

    def forward(
        self,
        query: Float[Tensor, "batch query_width"],
        high: Float[Tensor, "batch high high_width"],
        high_real: Bool[Tensor, "batch high"],
        low: Float[Tensor, "batch low low_width"],
        low_real: Bool[Tensor, "batch low"],
    ) -> Float[Tensor, "batch both_widths"]:
        """What was found above and below, side by side."""
        above = self.high.pool(query, high, high_real)
        below = self.low.pool(torch.cat([query, above], dim=-1), low, low_real)
        return torch.cat([above, below], dim=-1)

    if TYPE_CHECKING:
        __call__ = forward
