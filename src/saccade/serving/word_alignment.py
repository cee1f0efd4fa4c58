"""Which source word each target word was written from, read off the attention of a forced pass.

A model aligns tokens; a reader sees words. The weight between two words is

    A_ij = mean over the pieces t of target word i of  sum over the pieces s of source word j of  a_ts

because a target piece spreads one unit of attention over the source, while each piece of a target word spreads one of
its own. Each target word is linked to the source word of largest weight; EOS is no word on either side.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.data.tokenizer import Tokenizer


@dataclass(frozen=True)
class WordAlignment:
    """The words of both sides and the links between them, as (source word, target word), by target word."""

    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    links: tuple[tuple[int, int], ...]

    @property
    def pharaoh(self) -> str:
        """The links as alignment tools write them: `0-0 2-1`."""
        return " ".join(f"{source}-{target}" for source, target in self.links)


def word_weights(
    weights: Float[Tensor, "target source"],
    source_words: list[list[int]],
    target_words: list[list[int]],
) -> Float[Tensor, "target_words source_words"]:
    """A: how much each target word was written from each source word, in double precision."""
    weights = weights.double()
    by_source_word = torch.stack([weights[:, pieces].sum(dim=1) for pieces in source_words], dim=1)
    return torch.stack([by_source_word[pieces].mean(dim=0) for pieces in target_words])


def align_words(
    weights: Float[Tensor, "target source"],
    source_words: list[list[int]],
    target_words: list[list[int]],
) -> tuple[tuple[int, int], ...]:
    """Links each target word to one source word; words are given by the positions of their pieces."""
    if not source_words or not target_words:
        return ()
    by_words = word_weights(weights, source_words, target_words)
    return tuple((source, target) for target, source in enumerate(by_words.argmax(dim=1).tolist()))


def word_alignment(
    weights: Float[Tensor, "target source"],
    source: Sequence[int],
    target: Sequence[int],
    source_tokenizer: Tokenizer,
    target_tokenizer: Tokenizer,
) -> WordAlignment:
    """The alignment of two token sequences; EOS at the end of either belongs to no word."""
    source_words, target_words = source_tokenizer.words(source), target_tokenizer.words(target)
    return WordAlignment(
        _texts(source, source_words, source_tokenizer),
        _texts(target, target_words, target_tokenizer),
        align_words(weights, source_words, target_words),
    )


def _texts(tokens: Sequence[int], words: list[list[int]], tokenizer: Tokenizer) -> tuple[str, ...]:
    return tuple(tokenizer.decode([tokens[position] for position in pieces]) for pieces in words)
