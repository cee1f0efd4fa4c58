"""Recurrent visual attention: a picture read in a few glimpses, each where the last ones suggest.

    g_t = ReLU(W_p p(x, l_t) + W_l l_t)          the sensor: pieces of the picture around place l_t, and the place
    h_t = GRU(g_t, h_{t-1})                      the core
    l_{t+1} ~ softmax(W h_t)                     the policy: one of a grid of places, drawn
    class = softmax(W_c h_T)

Mnih et al. 2014, "Recurrent Models of Visual Attention": the piece is seen sharply in the middle and blurred around it.
There the place is drawn from a Gaussian; here from a grid, so that it is the hard attention of the other models: the
alignment is given, and one that draws (`reinforced`) learns from the reward alone, since no gradient leads to a place.
"""

from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.alignment import Alignment


class GlimpseSensor(nn.Module):
    """Two pieces of `side` by `side` points around each place of a grid: as it is, and twice as wide but blurred.

    Places are `side` / 2 apart. What lies outside of the picture is zero.
    """

    def __init__(self, side: int) -> None:
        super().__init__()
        assert side % 4 == 0, "half of a piece, and half of that, must be whole numbers of points"
        self.side = side

    def places(self, size: int) -> int:
        """How many places the grid of a picture of this size has in each direction."""
        return size // (self.side // 2)

    def forward(self, pictures: Float[Tensor, "batch size size"]) -> Float[Tensor, "batch place points"]:
        """The points of both pieces, for every place, row by row."""
        side, step = self.side, self.side // 2
        sharp = functional.unfold(functional.pad(pictures, [side // 4] * 4).unsqueeze(1), side, stride=step)
        blurred = functional.avg_pool2d(functional.pad(pictures, [3 * side // 4] * 4).unsqueeze(1), 2)
        wide = functional.unfold(blurred, side, stride=step // 2)
        return torch.cat([sharp, wide], dim=1).transpose(1, 2)

    if TYPE_CHECKING:
        __call__ = forward


class RecurrentGlimpses(nn.Module):
    """Reads a picture of `size` by `size` points in so many glimpses, the first in the middle."""

    def __init__(self, size: int, side: int, glimpses: int, width: int, classes: int, alignment: Alignment) -> None:
        super().__init__()
        self.sensor = GlimpseSensor(side)
        across = self.sensor.places(size)
        self.middle = (across // 2) * across + across // 2
        self.glimpses = glimpses
        self.piece = nn.Linear(2 * side * side, width)
        self.place = nn.Embedding(across * across, width)
        self.core = nn.GRUCell(width, width)
        self.look = nn.Linear(width, across * across)
        self.alignment = alignment
        self.output = nn.Linear(width, classes)

    def forward(self, pictures: Float[Tensor, "batch size size"]) -> Float[Tensor, "batch classes"]:
        """The scores of the classes."""
        scores: Tensor = self.output(self.read(pictures)[0])
        return scores

    def read(
        self, pictures: Float[Tensor, "batch size size"]
    ) -> tuple[Float[Tensor, "batch width"], Int[Tensor, "batch glimpses"]]:
        """The last state of the core, and the places that were looked at."""
        pieces = self.sensor(pictures)
        rows = torch.arange(len(pictures), device=pictures.device)
        place = torch.full_like(rows, self.middle)
        state = pieces.new_zeros(len(pictures), self.core.hidden_size)
        everywhere = torch.ones(pieces.shape[:2], dtype=torch.bool, device=pictures.device)
        places = []
        for number in range(self.glimpses):
            places.append(place)
            state = self.core(functional.relu(self.piece(pieces[rows, place]) + self.place(place)), state)
            if number + 1 < self.glimpses:
                # Only the reward teaches where to look: the core learns to see from what is seen.
                scores = self.look(state.detach()).unsqueeze(1)
                weights = self.alignment(scores, everywhere, state.unsqueeze(1), rows.new_zeros(1, 1))
                place = weights[:, 0].argmax(dim=-1)
        return state, torch.stack(places, dim=1)

    if TYPE_CHECKING:
        __call__ = forward
