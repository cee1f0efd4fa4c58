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
from saccade.kernels import usable
from saccade.sequences import BOS, PAD

BLOCK = 64


class Continuations(NamedTuple):
    """Continuations of the hypotheses of each sentence, the best first.

    `ranks` orders them and has no ties; a continuation is named parent * vocabulary + token. Where `unclear`, a tie
    on the grid may reach beyond what was looked at, or the scores are not finite: only a full sort can tell.
    """

    names: Int[Tensor, "sentences count"]
    scores: Float[Tensor, "sentences count"]
    ranks: Float[Tensor, "sentences count"]
    unclear: Bool[Tensor, " sentences"]


def continuations(
    logits: Float[Tensor, "rows vocabulary"], totals: Float[Tensor, "sentences size"], count: int
) -> Continuations:
    """The `count` best continuations of each sentence, by log P so far plus log P of the token.

    The logits are used up: what may never be written is struck out in place.
    """
    sentences, size = totals.shape
    vocabulary = logits.shape[1]
    normaliser, maxima = _survey(logits)
    logits[:, PAD : BOS + 1 : BOS - PAD] = -torch.inf
    # From here on in double precision, on few numbers: a total grows with the output, its differences do not.
    offsets = totals - normaliser.view(sentences, size)

    blocks, listed = maxima.shape[1], min(count + MARGIN, size * vocabulary)
    highest = (maxima.view(sentences, size, blocks) + offsets.unsqueeze(2)).flatten(1)
    picked = highest.topk(min(listed, size * blocks), dim=1, sorted=False).indices
    parents = picked // blocks
    tokens = (picked - parents * blocks).unsqueeze(2) * BLOCK + torch.arange(BLOCK, device=logits.device)
    names = parents.unsqueeze(2) * vocabulary + tokens
    if vocabulary % BLOCK:
        beyond = tokens >= vocabulary
        names = names.masked_fill(beyond, 0)
    values = logits.view(sentences, size * vocabulary).gather(1, names.flatten(1)).view_as(names)
    scores = values + offsets.gather(1, parents).unsqueeze(2)
    if vocabulary % BLOCK:
        scores = scores.masked_fill(beyond, -torch.inf)

    scores, places = scores.flatten(1).topk(listed, dim=1)
    grid = on_grid(scores)
    count = min(count, listed)
    unclear = ~normaliser.view(sentences, size).isfinite().all(dim=1)
    if listed < size * vocabulary:
        unclear |= (grid[:, count - 1] <= grid[:, -1]) & ~grid[:, -1].isneginf()
    names = names.flatten(1).gather(1, places)
    ranks, order = (grid * (size * vocabulary) - names).topk(count, dim=1)
    return Continuations(names.gather(1, order), scores.gather(1, order), ranks, unclear)


def _survey(
    logits: Float[Tensor, "rows vocabulary"],
) -> tuple[Float[Tensor, " rows"], Float[Tensor, "rows blocks"]]:
    """The normaliser of each row, and the maximum of each block of it but for what may never be written."""
    if usable(logits):
        from saccade.kernels.vocabulary import survey

        return survey(logits, BLOCK, (PAD, BOS))
    precision = torch.promote_types(logits.dtype, torch.float32)
    normaliser = logits.logsumexp(dim=1) if logits.dtype == precision else logits.to(precision).logsumexp(dim=1)
    logits[:, PAD : BOS + 1 : BOS - PAD] = -torch.inf
    whole = logits.shape[1] // BLOCK * BLOCK
    maxima = logits[:, :whole].unflatten(1, (whole // BLOCK, BLOCK)).amax(dim=2)
    if whole < logits.shape[1]:
        maxima = torch.cat([maxima, logits[:, whole:].amax(dim=1, keepdim=True)], dim=1)
    return normaliser, maxima
