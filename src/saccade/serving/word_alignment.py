"""Which source word each target word was written from, read off the attention weights.

A model aligns tokens; a reader sees words. The weight between two words is

    A_ij = mean over the tokens t of target word i of  sum over the tokens s of source word j of  a_ts

because each target token spreads one unit of attention over the source. Each target word is linked to the source word
of largest weight; EOS belongs to no word. The weights come from one more pass through the model, forced to the target:
recording attention during the search would slow it down.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.data.tokenizer import Tokenizer
from saccade.models.contract import Transducer
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

TOGETHER = 32
"""Pairs aligned in one batch."""


@dataclass(frozen=True)
class WordAlignment:
    """The words of both sides, the links between them as (source word, target word), and the weights A."""

    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    links: tuple[tuple[int, int], ...]
    weights: Float[Tensor, "target source"] = field(
        default_factory=lambda: torch.zeros(0, 0), compare=False, repr=False
    )

    @property
    def pharaoh(self) -> str:
        """The links in the format of alignment tools: `0-0 2-1`."""
        return " ".join(f"{source}-{target}" for source, target in self.links)


Ways = Callable[
    [Mapping[str, Float[Tensor, "batch heads target source"]]], Mapping[str, Float[Tensor, "batch target source"]]
]
"""Ways to make one matrix of the heads of several attentions, by name."""


@dataclass(frozen=True)
class Aligner:
    """A model with its tokenizers, for word alignments of given translations."""

    model: Transducer[Any, Any]
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    device: torch.device

    def align_pairs(self, pairs: Sequence[tuple[str, str]]) -> list[WordAlignment]:
        """The alignment of each pair of texts."""
        found = []
        for start in range(0, len(pairs), TOGETHER):
            sources, targets = self._tokens(pairs[start : start + TOGETHER])
            found += [one for (one,) in self.align(sources, [[[*target, EOS]] for target in targets])]
        return found

    @torch.inference_mode()
    def align_in_ways(
        self, pairs: Sequence[tuple[str, str]], blocks: Sequence[str], ways: Ways
    ) -> dict[str, list[WordAlignment]]:
        """The alignment of each pair in every way that the attention of these blocks can be read, from one pass."""
        found: dict[str, list[WordAlignment]] = {}
        for start in range(0, len(pairs), TOGETHER):
            sources, targets = self._tokens(pairs[start : start + TOGETHER])
            source, target = (
                Sequences.of([[*tokens, EOS] for tokens in side], device=self.device) for side in (sources, targets)
            )
            heads = self.model.attention_heads(target, self.model.encode(source), blocks)
            for name, weights in ways({block: own.cpu() for block, own in heads.items()}).items():
                found.setdefault(name, []).extend(
                    word_alignment(matrix, own, [*written, EOS], self.source_tokenizer, self.target_tokenizer)
                    for matrix, own, written in zip(weights, sources, targets, strict=True)
                )
        return found

    @torch.inference_mode()
    def align(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[Sequence[int]]]
    ) -> list[list[WordAlignment]]:
        """The alignment of each source, without EOS, with each of its targets, in one batch."""
        owners = [row for row, own in enumerate(targets) for _ in own]
        source = Sequences.of([[*tokens, EOS] for tokens in sources], device=self.device)
        target = Sequences.of([tokens for own in targets for tokens in own], device=self.device)
        memory = self.model.encode(source).select(torch.tensor(owners, device=self.device))
        weights = self.model.align(target, memory).cpu()
        aligned: list[list[WordAlignment]] = [[] for _ in sources]
        for owner, tokens, matrix in zip(owners, (one for own in targets for one in own), weights, strict=True):
            aligned[owner].append(
                word_alignment(matrix, sources[owner], tokens, self.source_tokenizer, self.target_tokenizer)
            )
        return aligned

    def _tokens(self, pairs: Sequence[tuple[str, str]]) -> tuple[list[list[int]], list[list[int]]]:
        sources = self.source_tokenizer.encode([source for source, _ in pairs])
        return sources, self.target_tokenizer.encode([target for _, target in pairs])


def word_alignment(
    weights: Float[Tensor, "target source"],
    source: Sequence[int],
    target: Sequence[int],
    source_tokenizer: Tokenizer,
    target_tokenizer: Tokenizer,
) -> WordAlignment:
    """The alignment of two token sequences; EOS at the end of either belongs to no word."""
    source_words, target_words = source_tokenizer.words(source), target_tokenizer.words(target)
    by_words = word_weights(weights, source_words, target_words)
    return WordAlignment(
        _texts(source, source_words, source_tokenizer),
        _texts(target, target_words, target_tokenizer),
        links(by_words),
        by_words,
    )


def word_weights(
    weights: Float[Tensor, "target source"],
    source_words: list[list[int]],
    target_words: list[list[int]],
) -> Float[Tensor, "target_words source_words"]:
    """A, in double precision; words are given by the positions of their tokens."""
    if not source_words or not target_words:
        return torch.zeros(len(target_words), len(source_words), dtype=torch.float64)
    weights = weights.double()
    by_source_word = torch.stack([weights[:, tokens].sum(dim=1) for tokens in source_words], dim=1)
    return torch.stack([by_source_word[tokens].mean(dim=0) for tokens in target_words])


def links(weights: Float[Tensor, "target_words source_words"]) -> tuple[tuple[int, int], ...]:
    """Each target word with the source word of largest weight."""
    if not weights.numel():
        return ()
    return tuple((source, target) for target, source in enumerate(weights.argmax(dim=1).tolist()))


def _texts(tokens: Sequence[int], words: list[list[int]], tokenizer: Tokenizer) -> tuple[str, ...]:
    return tuple(tokenizer.decode([tokens[position] for position in pieces]) for pieces in words)
