"""The best continuations of a sentence's hypotheses, found without sorting or even normalising the vocabulary.

The vocabulary is cut into blocks. One pass gives each row's normaliser and the maximum of each block; the best `count`
continuations can only lie in the `count` blocks with the best maxima, and only those are looked at. All hypotheses of
a sentence compete at once. The order is that of `ranking.py`: by the score on the grid, then by parent, then by token.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from saccade.decoding.ranking import MARGIN, on_grid
from saccade.sequences import BOS, PAD

BLOCK = 64


class Continuations(NamedTuple):
    """Continuations of the hypotheses of each sentence, the best first.

    `ranks` orders them and has no ties; a continuation is named parent * vocabulary + token. `margin` is by how many
    steps of the grid the last of them is better than the best that may have been overlooked, one step more or less:
    where it is not above one, a tie may reach beyond what was looked at, and only a full sort can tell.
    """

    names: Int[Tensor, "sentences count"]
    scores: Float[Tensor, "sentences count"]
    ranks: Float[Tensor, "sentences count"]
    margin: Float[Tensor, " sentences"]


def continuations(
    logits: Float[Tensor, "rows vocabulary"], totals: Float[Tensor, "sentences size"], count: int
) -> Continuations:
    """The `count` best continuations of each sentence, by log P so far plus log P of the token.

    The logits are used up: their memory serves as work space.
    """
    sentences, size = totals.shape
    vocabulary = logits.shape[1]
    values, maxima = _survey(logits)
    # What is far from the sentence's best is not picked, and what is near it needs few digits: single precision does.
    offsets = (totals - totals.amax(dim=1, keepdim=True).clamp(min=_LOWEST)).to(maxima.dtype)

    blocks, listed = maxima.shape[1], min(count + MARGIN, size * vocabulary)
    highest = (maxima.view(sentences, size, blocks) + offsets.unsqueeze(2)).flatten(1)
    picked = highest.topk(min(listed, size * blocks), dim=1, sorted=False).indices
    parents = picked // blocks
    names, beyond = _of_blocks(parents, picked - parents * blocks, vocabulary)
    of_sentence = values.view(sentences, size * vocabulary)
    near = of_sentence.gather(1, names.flatten(1)).view_as(names) + offsets.gather(1, parents).unsqueeze(2)
    if beyond is not None:
        near = near.masked_fill(beyond, -torch.inf)
    names = names.flatten(1).gather(1, near.flatten(1).topk(listed, dim=1, sorted=False).indices)

    # The few that are left are ordered in double precision: a total grows with the output, its differences do not.
    scores = of_sentence.gather(1, names) + totals.gather(1, names // vocabulary)
    grid = on_grid(scores)
    ranks, order = (grid * (size * vocabulary) - names).topk(min(count, listed), dim=1)
    edge = grid.amin(dim=1) if listed < size * vocabulary else -torch.inf
    margin = grid.gather(1, order[:, -1:]).squeeze(1) - edge
    return Continuations(names.gather(1, order), scores.gather(1, order), ranks, margin)


# A number where there is no hypothesis left: the difference of two infinities is none.
_LOWEST = -1e30


def _of_blocks(
    parents: Int[Tensor, "sentences picked"], blocks: Int[Tensor, "sentences picked"], vocabulary: int
) -> tuple[Int[Tensor, "sentences picked block"], Bool[Tensor, "sentences picked block"] | None]:
    """The names of all continuations in these blocks, and which of them lie beyond the end of the vocabulary."""
    within = torch.arange(BLOCK, device=blocks.device)
    names = (parents * vocabulary + blocks * BLOCK).unsqueeze(2) + within
    if not vocabulary % BLOCK:
        return names, None
    beyond = blocks.unsqueeze(2) * BLOCK + within >= vocabulary
    return names.masked_fill(beyond, 0), beyond


def _survey(
    logits: Float[Tensor, "rows vocabulary"],
) -> tuple[Float[Tensor, "rows vocabulary"], Float[Tensor, "rows blocks"]]:
    """Log P of every token but those that may never be written, and the maximum of each block."""
    never = slice(PAD, BOS + 1, BOS - PAD)
    if logits.dtype in (torch.float32, torch.float64):
        values = torch.log_softmax(logits, dim=1, out=logits)
    else:
        values = logits.log_softmax(dim=1, dtype=torch.float32)
    values[:, never] = -torch.inf
    whole = values.shape[1] // BLOCK * BLOCK
    maxima = values[:, :whole].view(len(values), whole // BLOCK, BLOCK).amax(dim=2)
    if whole < values.shape[1]:
        maxima = torch.cat([maxima, values[:, whole:].amax(dim=1, keepdim=True)], dim=1)
    return values, maxima
