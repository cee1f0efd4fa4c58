"""Where each system looked when it had to write the same translations."""

from collections.abc import Sequence
from pathlib import Path

from saccade.data.catalogue import find
from saccade.data.config import DataConfig
from saccade.data.parallel_text import read_lines
from saccade.evaluation.alignment_error import AlignmentError, alignment_error, read_links
from saccade.sequences import EOS
from saccade.serving.translator import Translator
from saccade.serving.word_alignment import Aligner, WordAlignment

_TOGETHER = 32
_WORDS = (6, 12)
"""Sentences of so many words are shown: long enough for something to move, short enough to be read."""


def word_alignments(translator: Translator, pairs: Sequence[tuple[str, str]]) -> list[WordAlignment]:
    """The alignment of each pair by the attention weights of the model."""
    aligner = Aligner(translator.model, translator.source_tokenizer, translator.target_tokenizer, translator.device)
    found = []
    for start in range(0, len(pairs), _TOGETHER):
        chunk = pairs[start : start + _TOGETHER]
        sources = translator.source_tokenizer.encode([source for source, _ in chunk])
        targets = translator.target_tokenizer.encode([target for _, target in chunk])
        found += [one for (one,) in aligner.align(sources, [[[*target, EOS]] for target in targets])]
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
    return alignment_error([one.links for one in word_alignments(translator, pairs)], right)


def sentences_to_show(pairs: Sequence[tuple[str, str]], count: int) -> list[tuple[str, str]]:
    """A few pairs of middling length, taken evenly from the whole."""
    least, most = _WORDS
    fitting = [pair for pair in pairs if all(least <= len(side.split()) <= most for side in pair)] or list(pairs)
    return fitting[:: max(len(fitting) // count, 1)][:count]
