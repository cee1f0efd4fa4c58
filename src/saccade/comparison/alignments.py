"""Where each system looked when it had to write the same translations."""

from collections.abc import Sequence
from dataclasses import dataclass

from saccade.data.catalogue import find
from saccade.data.config import DataConfig
from saccade.data.parallel_text import every_pair
from saccade.data.text_lines import read_lines
from saccade.evaluation.alignment_error import AlignmentError, Link, alignment_error, read_links
from saccade.serving.attention_report import ALL_LAYERS, AlignmentReading, alignment_readings, best_head, best_layer
from saccade.serving.translator import Translator
from saccade.serving.word_alignment import Aligner, WordAlignment

_WORDS = (6, 12)
"""Sentences of so many words are shown: long enough for something to move, short enough to be read."""


def word_alignments(translator: Translator, pairs: Sequence[tuple[str, str]]) -> list[WordAlignment]:
    """The alignment of each pair by the attention weights of the model."""
    return Aligner(
        translator.model, translator.source_tokenizer, translator.target_tokenizer, translator.device
    ).align_pairs(pairs)


def aligns(translator: Translator) -> bool:
    """Whether the model attends to its source at all."""
    return bool(translator.model.alignment_blocks)


@dataclass(frozen=True)
class AlignedPairs:
    """Pairs, and which of their words belong together."""

    pairs: Sequence[tuple[str, str]]
    links: Sequence[tuple[Link, ...]]

    @classmethod
    def of(cls, data: DataConfig, split: str) -> "AlignedPairs | None":
        """A split of the corpus, where its right alignments are known."""
        if data.corpus is None:
            return None
        corpus = find(data.corpus, data.source_language, data.target_language)
        if split not in corpus.links:
            return None
        links = [read_links(line) for line in read_lines(corpus.links[split])]
        return cls(list(every_pair(corpus.splits[split])), links)


@dataclass(frozen=True)
class SystemAlignment:
    """How well one run aligns, read in the same three ways as every other system."""

    own: AlignmentError
    """As the model reads itself when it is asked for an alignment."""
    layer: str
    """Which layer aligned the development part best; the heads of a layer are averaged."""
    best_layer: AlignmentReading
    head: str
    """Which single head aligned the development part best."""
    best_head: AlignmentReading
    all_layers: AlignmentReading


def system_alignment(translator: Translator, development: AlignedPairs, test: AlignedPairs) -> SystemAlignment:
    """Reads every head, every layer and the mean of all; the best head and layer are chosen on the development part."""
    known = alignment_readings(translator, development.pairs, development.links)
    layer, head = best_layer(known), best_head(known)
    readings = {one.reading: one for one in alignment_readings(translator, test.pairs, test.links)}
    own = alignment_error([one.links for one in word_alignments(translator, test.pairs)], test.links)
    return SystemAlignment(own, layer, readings[layer], head, readings[head], readings.get(ALL_LAYERS, readings[layer]))


def sentences_to_show(pairs: Sequence[tuple[str, str]], count: int) -> list[tuple[str, str]]:
    """A few pairs of middling length, taken evenly from the whole."""
    least, most = _WORDS
    fitting = [pair for pair in pairs if all(least <= len(side.split()) <= most for side in pair)] or list(pairs)
    return fitting[:: max(len(fitting) // count, 1)][:count]
