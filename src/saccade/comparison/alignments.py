"""Where each system looked when it had to write the same translations."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.data.catalogue import find
from saccade.data.corpus import read_lines
from saccade.data.prepare import DataConfig
from saccade.evaluation.alignment_error import AlignmentError, alignment_error, read_links
from saccade.sequences import EOS, Sequences
from saccade.serving.translator import Translator
from saccade.serving.word_alignment import align_words, word_weights

_TOGETHER = 32
_WORDS = (6, 12)
"""Sentences of so many words are shown: long enough for something to move, short enough to be read."""


@dataclass(frozen=True)
class Looked:
    """The words of a pair, and how much each target word was written from each source word."""

    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    weights: Float[Tensor, "target source"]
    links: tuple[tuple[int, int], ...]


@torch.inference_mode()
def looked(translator: Translator, pairs: Sequence[tuple[str, str]]) -> list[Looked]:
    """Forces the model through each target and records its attention, word by word."""
    found = []
    for start in range(0, len(pairs), _TOGETHER):
        chunk = pairs[start : start + _TOGETHER]
        sources = [[*row, EOS] for row in translator.source_tokenizer.encode([source for source, _ in chunk])]
        targets = [[*row, EOS] for row in translator.target_tokenizer.encode([target for _, target in chunk])]
        memory = translator.model.encode(Sequences.of(sources, device=translator.device))
        weights = translator.model.align(Sequences.of(targets, device=translator.device), memory).cpu()
        for matrix, source, target in zip(weights, sources, targets, strict=True):
            source_words, target_words = (
                translator.source_tokenizer.words(source),
                translator.target_tokenizer.words(target),
            )
            found.append(
                Looked(
                    _texts(translator, "source", source, source_words),
                    _texts(translator, "target", target, target_words),
                    word_weights(matrix, source_words, target_words),
                    align_words(matrix, source_words, target_words),
                )
            )
    return found


def aligns(translator: Translator) -> bool:
    """Whether the model attends to its source at all."""
    return bool(translator.model.alignment_blocks)


def gold_links(data: DataConfig) -> Path | None:
    """The file with the right alignments of the test split, for a corpus that has one."""
    if data.corpus is None:
        return None
    return find(data.corpus, data.source_language, data.target_language).links.get("test")


def error_against(translator: Translator, pairs: Sequence[tuple[str, str]], gold: Path) -> AlignmentError:
    """How far the model's alignments of these pairs are from the right ones."""
    right = [read_links(line) for line in read_lines(gold)]
    return alignment_error([one.links for one in looked(translator, pairs)], right)


def sentences_to_show(pairs: Sequence[tuple[str, str]], count: int) -> list[tuple[str, str]]:
    """A few pairs of middling length, taken evenly from the whole."""
    least, most = _WORDS
    fitting = [pair for pair in pairs if all(least <= len(side.split()) <= most for side in pair)] or list(pairs)
    return fitting[:: max(len(fitting) // count, 1)][:count]


def _texts(translator: Translator, side: str, tokens: Sequence[int], words: list[list[int]]) -> tuple[str, ...]:
    tokenizer = translator.source_tokenizer if side == "source" else translator.target_tokenizer
    return tuple(tokenizer.decode([tokens[position] for position in pieces]) for pieces in words)
