"""Several representations of the same item, mixed by attention: Kiela et al. 2018, "Dynamic Meta-Embeddings".

    f'_i = P_i f_i + b_i        e_i = u^T f'_i + b        a = softmax over the representations        f = sum_i a_i f'_i

Each word decides for itself which of its vectors to trust.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor, nn

from saccade.attention.recording import watcher


class MultiRepresentationalAttention(nn.Module):
    """One vector of several; a recording receives a query for each item and a key for each representation."""

    def __init__(self, widths: Sequence[int], width: int) -> None:
        super().__init__()
        self.projections = nn.ModuleList(nn.Linear(own, width) for own in widths)
        self.query = nn.Linear(width, 1)

    def forward(
        self, representations: Sequence[Float[Tensor, "batch item _width"]]
    ) -> Float[Tensor, "batch item width"]:
        """The mixture for every item."""
        projected = torch.stack(
            [projection(each) for projection, each in zip(self.projections, representations, strict=True)], dim=2
        )
        weights: Tensor = self.query(projected).softmax(dim=2)
        if watch := watcher(self):
            watch(weights=weights.squeeze(-1).unsqueeze(1))
        return (weights * projected).sum(dim=2)

    if TYPE_CHECKING:
        __call__ = forward
