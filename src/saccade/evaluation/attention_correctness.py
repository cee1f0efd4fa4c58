"""Attention correctness: how much weight is on the right words (Liu et al. 2017).

    correctness = mean over the target words t that are linked of  sum over the source words s linked to t of  A_ts

Alignment error counts only where the largest weight is; this counts how much of it is there. Beside it stands what even
weights would reach, the mean share of the source words that are right.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from saccade.errors import InputError
from saccade.evaluation.alignment_error import Link


@dataclass(frozen=True)
class AttentionCorrectness:
    """The mean weight on the right words, that of even weights, and the number of target words."""

    correctness: float
    even: float
    words: int


def attention_correctness(
    weights: Sequence[Float[Tensor, "_target _source"]], gold: Sequence[Collection[Link]]
) -> AttentionCorrectness:
    """Compares the weights of each sentence with its links, as (source word, target word)."""
    if len(weights) != len(gold):
        raise InputError(
            f"alignments must be of the same sentences, but there are {len(weights)} predicted and {len(gold)} "
            "reference ones. Give one line per sentence in each."
        )
    mass = even = 0.0
    words = 0
    for number, (matrix, links) in enumerate(zip(weights, gold, strict=True), start=1):
        targets, sources = matrix.shape
        if any(source >= sources or target >= targets for source, target in links):
            raise InputError(
                f"a link must join words of its sentences, but line {number} has one beyond {sources} source and "
                f"{targets} target words. Count words from 0."
            )
        for target in {target for _, target in links}:
            right = sorted({source for source, own in links if own == target})
            mass += matrix[target, right].sum().item()
            even += len(right) / sources
            words += 1
    if not words:
        raise InputError("alignments must have at least one link, but have none. Give sentences with words.")
    return AttentionCorrectness(mass / words, even / words, words)
