"""Rotatory attention over a phrase and what stands left and right of it: Zheng and Xia 2018 (LCR-Rot).

    c_l = attend(mean T, L)      c_r = attend(mean T, R)          the phrase asks what surrounds it
    t_l = attend(c_l, T)         t_r = attend(c_r, T)             and what was found there asks the phrase
    c = [c_l; t_l; t_r; c_r]

The phrase means something else beside other words; so it is read twice, once from either side.
"""

from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from saccade.attention.co_attention import mean_of
from saccade.attention.single_query import Attention


class RotatoryAttention(nn.Module):
    """Four looks in two turns. The paper has the activated general score in each of them."""

    def __init__(self, left: Attention, right: Attention, from_left: Attention, from_right: Attention) -> None:
        super().__init__()
        self.left, self.right = left, right
        self.from_left, self.from_right = from_left, from_right

    def forward(
        self,
        left: Float[Tensor, "batch left width"],
        left_real: Bool[Tensor, "batch left"],
        phrase: Float[Tensor, "batch phrase width"],
        phrase_real: Bool[Tensor, "batch phrase"],
        right: Float[Tensor, "batch right width"],
        right_real: Bool[Tensor, "batch right"],
    ) -> Float[Tensor, "batch four_widths"]:
        """What was found, from left to right."""
        asking = mean_of(phrase, phrase_real)
        on_left = self.left.pool(asking, left, left_real)
        on_right = self.right.pool(asking, right, right_real)
        seen_from_left = self.from_left.pool(on_left, phrase, phrase_real)
        seen_from_right = self.from_right.pool(on_right, phrase, phrase_real)
        return torch.cat([on_left, seen_from_left, seen_from_right, on_right], dim=-1)

    if TYPE_CHECKING:
        __call__ = forward
