"""The best candidates of each sentence's beam, without sorting the vocabulary.

The vocabulary is divided into blocks. One pass gives the maximum of each block; the best `count` candidates can only be
in the `count` blocks with the highest maxima, and only those are searched. All hypotheses of a sentence compete at
once. The order is that of `ranking.py`: by the score on the grid, then by parent, then by token.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from saccade.decoding.ranking import MARGIN, on_grid
from saccade.special_tokens import BOS, PAD

BLOCK = 64


class Candidates(NamedTuple):
    """Extensions of the hypotheses of each sentence by one token, the best first.

    The id of a candidate is parent * vocabulary + token. `ranks` orders the candidates and has no ties. `margin` is by
    how many grid steps, give or take one, the last candidate beats the best one that may have been missed: where it is
    not above one, a tie may reach beyond the candidates that were compared, and only a full sort can tell.
    """

    ids: Int[Tensor, "sentences count"]
    scores: Float[Tensor, "sentences count"]
    ranks: Float[Tensor, "sentences count"]
    margin: Float[Tensor, " sentences"]


def best_candidates(
    logits: Float[Tensor, "rows vocabulary"],
    totals: Float[Tensor, "sentences size"],
    count: int,
    allowed: Bool[Tensor, "rows vocabulary"] | None = None,
) -> Candidates:
    """The `count` best candidates of each sentence, by log P of the hypothesis plus log P of the token.

    The logits are overwritten: their memory is used for the log-probabilities. A token that is not `allowed` is
    impossible, and the others keep their probabilities.
    """
    values = log_probabilities(logits)
    if allowed is not None:
        values.masked_fill_(~allowed, -torch.inf)
    return best_of_values(values, block_maxima(values), totals, count)


def best_of_values(
    values: Float[Tensor, "rows vocabulary"],
    maxima: Float[Tensor, "rows blocks"],
    totals: Float[Tensor, "sentences size"],
    count: int,
) -> Candidates:
    """The same from log P of every token and the maximum of each block."""
    sentences, size = totals.shape
    vocabulary = values.shape[1]
    # Only candidates close to the best of the sentence matter here, and their differences fit single precision.
    offsets = (totals - totals.amax(dim=1, keepdim=True).clamp(min=_LOWEST)).to(maxima.dtype)

    blocks, listed = maxima.shape[1], min(count + MARGIN, size * vocabulary)
    highest = (maxima.view(sentences, size, blocks) + offsets.unsqueeze(2)).flatten(1)
    chosen = highest.topk(min(listed, size * blocks), dim=1, sorted=False).indices
    parents = chosen // blocks
    ids, beyond = _ids_in_blocks(parents, chosen - parents * blocks, vocabulary)
    of_sentence = values.view(sentences, size * vocabulary)
    relative = of_sentence.gather(1, ids.flatten(1)).view_as(ids) + offsets.gather(1, parents).unsqueeze(2)
    if beyond is not None:
        relative = relative.masked_fill(beyond, -torch.inf)
    ids = ids.flatten(1).gather(1, relative.flatten(1).topk(listed, dim=1, sorted=False).indices)

    # The few that are left are compared in double precision: totals grow with the length of the output.
    scores = of_sentence.gather(1, ids) + totals.gather(1, ids // vocabulary)
    grid = on_grid(scores)
    ranks, order = (grid * (size * vocabulary) - ids).topk(min(count, listed), dim=1)
    edge = grid.amin(dim=1) if listed < size * vocabulary else -torch.inf
    margin = grid.gather(1, order[:, -1:]).squeeze(1) - edge
    return Candidates(ids.gather(1, order), scores.gather(1, order), ranks, margin)


# Replaces minus infinity where a sentence has no hypothesis left: the difference of two infinities is not a number.
_LOWEST = -1e30


def _ids_in_blocks(
    parents: Int[Tensor, "sentences chosen"], blocks: Int[Tensor, "sentences chosen"], vocabulary: int
) -> tuple[Int[Tensor, "sentences chosen block"], Bool[Tensor, "sentences chosen block"] | None]:
    """The ids of all candidates in these blocks, and which of them lie beyond the end of the vocabulary."""
    within = torch.arange(BLOCK, device=blocks.device)
    ids = (parents * vocabulary + blocks * BLOCK).unsqueeze(2) + within
    if not vocabulary % BLOCK:
        return ids, None
    beyond = blocks.unsqueeze(2) * BLOCK + within >= vocabulary
    return ids.masked_fill(beyond, 0), beyond


def log_probabilities(logits: Float[Tensor, "rows vocabulary"]) -> Float[Tensor, "rows vocabulary"]:
    """Log P of every token, minus infinity for PAD and BOS; the memory of the logits is used where it can be."""
    forbidden = slice(PAD, BOS + 1, BOS - PAD)
    if logits.dtype in (torch.float32, torch.float64) and logits.is_contiguous():
        values = torch.log_softmax(logits, dim=1, out=logits)
    else:
        values = logits.contiguous().log_softmax(dim=1, dtype=torch.promote_types(logits.dtype, torch.float32))
    values[:, forbidden] = -torch.inf
    return values


def block_maxima(values: Float[Tensor, "rows vocabulary"]) -> Float[Tensor, "rows blocks"]:
    """The maximum of each block of the vocabulary."""
    in_full_blocks = values.shape[1] // BLOCK * BLOCK
    maxima = values[:, :in_full_blocks].view(len(values), in_full_blocks // BLOCK, BLOCK).amax(dim=2)
    if in_full_blocks < values.shape[1]:
        maxima = torch.cat([maxima, values[:, in_full_blocks:].amax(dim=1, keepdim=True)], dim=1)
    return maxima
