"""The tokenizers that a corpus teaches: how many pieces of which kind, and from how many of its pairs."""

import random

from saccade.data.config import DataConfig
from saccade.data.labels import Labels
from saccade.data.noise import CASES, TextNoise
from saccade.data.piece_learning import COUNTED, SAMPLE_LINES
from saccade.data.sentencepiece_model import PieceKind
from saccade.data.tokenizer import Tokenizer
from saccade.data.tree_symbols import TreeSymbols
from saccade.data.word_rows import WordCounts

# Automatic vocabulary sizes: (pairs at most, tokens). Beyond them, the size the paper uses for 4.5 million pairs.
VOCABULARIES = ((10_000, 4_000), (250_000, 8_000), (1_000_000, 16_000), (3_000_000, 32_000))
LARGEST_VOCABULARY = 37_000

ClosedList = Labels | TreeSymbols
"""What counts the pieces of targets that are one of a list."""


def automatic_vocabulary(pairs: int) -> int:
    """How many bpe or unigram pieces a corpus of this size can teach: rare pieces are never learned well."""
    return next((size for most, size in VOCABULARIES if pairs <= most), LARGEST_VOCABULARY)


def closed_list(config: DataConfig) -> ClosedList | None:
    """What is to see all pairs before pieces are learned, where the targets are a closed list."""
    match config.does.content:
        case "labelled":
            return Labels()
        case "trees":
            return TreeSymbols(config.leaves)
        case _:
            return None


def pairs_to_learn_from(config: DataConfig) -> int:
    """How many pairs are enough of a sample."""
    lines = min(SAMPLE_LINES[kind] for kind in config.kinds)
    return lines // 2 if config.shares_vocabulary else lines


def learned_tokenizers(
    config: DataConfig,
    sample: list[tuple[str, str]],
    pairs: int,
    pieces: ClosedList | None = None,
    noise: TextNoise | None = None,
) -> tuple[Tokenizer, Tokenizer]:
    """Those of the sources and of the targets, from a sample of so many pairs; cases are learned as noise has them."""
    if noise is not None:
        sample, _ = noise.only(CASES).changed(sample, random.Random(config.seed))
    sources, targets = ([pair[side] for pair in sample] for side in (0, 1))
    kinds = config.kinds
    if config.shares_vocabulary:
        joint = _tokenizer(config, kinds[0], sources + targets, pairs)
        return joint, joint
    source = _tokenizer(config, kinds[0], sources, pairs)
    return source, pieces.tokenizer() if pieces else _tokenizer(config, kinds[1], targets, pairs)


def tokenizers_of_words(
    config: DataConfig, counts: tuple[WordCounts, WordCounts], pairs: int
) -> tuple[Tokenizer, Tokenizer]:
    """The same from the words of each side of a sample, or of both together, where `learned_from_words`."""
    kinds = config.kinds
    source = _tokenizer_of_words(config, kinds[0], counts[0], pairs)
    return source, source if config.shares_vocabulary else _tokenizer_of_words(config, kinds[1], counts[1], pairs)


def learned_from_words(config: DataConfig) -> bool:
    """Whether nothing but words and how often they occur is learned from."""
    return config.does.content in ("pairs", "text") and not config.noise and set(config.kinds) <= set(COUNTED)


def _tokenizer(config: DataConfig, kind: PieceKind, lines: list[str], pairs: int) -> Tokenizer:
    return Tokenizer.train(
        lines,
        pieces=kind,
        size=_size(config, kind, pairs),
        sample_lines=len(lines),
        closed=not config.byte_fallback,
        symbols=config.symbols,
    )


def _tokenizer_of_words(config: DataConfig, kind: PieceKind, counts: WordCounts, pairs: int) -> Tokenizer:
    return Tokenizer.train_on_words(
        counts.counted(),
        pieces=kind,
        size=_size(config, kind, pairs),
        closed=not config.byte_fallback,
        symbols=config.symbols,
    )


def _size(config: DataConfig, kind: PieceKind, pairs: int) -> int | None:
    if config.vocabulary is None and kind in ("bpe", "unigram"):
        return automatic_vocabulary(pairs)
    return config.vocabulary
