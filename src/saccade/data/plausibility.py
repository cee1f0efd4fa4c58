"""Files that can be read but are hardly what the user meant, noticed from their first lines and names.

Nothing is refused here: a copying task has targets equal to its sources, and is none the worse for it.
"""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from statistics import StatisticsError, correlation

from saccade.data.config import DataConfig, corpus_files, files_for_testing
from saccade.data.parallel_text import TextPair, every_pair
from saccade.errors import InputError

LINES = 1_000
_ENOUGH = 20
"""With fewer lines, nothing is evident."""
_UNRELATED = 0.1
"""The lengths of sentences and their translations are strongly correlated; of sentences drawn at random, not at all."""


def doubts_about(data: DataConfig) -> list[str]:
    """What looks wrong about a user's own files, a sentence each."""
    if data.corpus is not None or data.does.content != "pairs":
        return []
    try:
        files = corpus_files(data) | files_for_testing(data)
        pairs = {split: list(islice(every_pair(named), LINES)) for split, named in files.items()}
    except InputError:
        return []  # text that is gone is no obstacle where it has been prepared before
    doubts = [*_names(data), *_sides(pairs["train"])]
    by_characters = data.does.source_pieces == "character"
    return doubts + [
        f"the {split} files look as if source and target were swapped. Check their order."
        for split in pairs
        if split != "train" and _swapped(pairs[split], pairs["train"], by_characters)
    ]


def _names(data: DataConfig) -> list[str]:
    """Whether the languages in the names of the files are those of the recipe, the other way round."""
    source, target = data.source_language, data.target_language
    if not (data.source and data.target and source and target) or source == target:
        return []
    if (Path(data.source).suffix, Path(data.target).suffix) != (f".{target}", f".{source}"):
        return []
    return [
        f"the source language is {source} and the target language {target}, but the files are called "
        f"{Path(data.source).name} and {Path(data.target).name}. Check their order."
    ]


def _sides(pairs: Sequence[TextPair]) -> list[str]:
    """Whether the two sides belong together, and are two."""
    if len(pairs) < _ENOUGH:
        return []
    same = sum(source == target for source, target in pairs)
    if 2 * same > len(pairs):
        return [f"{same:,} of the first {len(pairs):,} targets are the same as their sources. Check the files."]
    if _length_correlation(pairs) < _UNRELATED:
        return [
            f"in the first {len(pairs):,} lines long sources have no longer targets than short ones. Check that line n "
            "of one file belongs to line n of the other."
        ]
    return []


def _length_correlation(pairs: Sequence[TextPair]) -> float:
    try:
        return correlation([len(source) for source, _ in pairs], [len(target) for _, target in pairs])
    except StatisticsError:
        return 1.0  # all lines of one side are equally long


def _swapped(pairs: Sequence[TextPair], train: Sequence[TextPair], by_characters: bool) -> bool:
    """Whether the words of each side are found on the other side of the training text rather than on the same."""
    if min(len(pairs), len(train)) < _ENOUGH:
        return False
    source, target = (_symbols(pairs, side, by_characters) for side in (0, 1))
    train_source, train_target = (_symbols(train, side, by_characters) for side in (0, 1))
    straight = _share(source, train_source) + _share(target, train_target)
    crossed = _share(source, train_target) + _share(target, train_source)
    return crossed > 1.5 * straight


def _symbols(pairs: Sequence[TextPair], side: int, by_characters: bool) -> set[str]:
    return {symbol for pair in pairs for symbol in (pair[side] if by_characters else pair[side].split())}


def _share(symbols: set[str], known: set[str]) -> float:
    return len(symbols & known) / max(len(symbols), 1)
