"""Captions of Multi30k in so few words that a model of a minute can learn them.

Text is lowercased and cut into words and signs. What is not among the most frequent words of its side becomes the one
word `unk`, as in the papers of the time; pieces of rare words would shift all the others away from their translations.
"""

import re
from collections import Counter
from pathlib import Path

from bench.lineage.trial import Lines, Prepared, multi30k, prepared

SPARE = 400
"""Room in a vocabulary for what are no words: specials, bytes, characters."""


def captions(folder: Path, words: int, longest: int, source: str = "de", target: str = "en") -> Prepared:
    """Pairs of at most `longest` words a side, ready to train on."""
    train, valid = (_cut(multi30k(split, None, source, target), longest) for split in ("train", "val"))
    known = [
        {word for word, _ in Counter(w for pair in train for w in pair[side]).most_common(words)} for side in (0, 1)
    ]

    def lines(pairs: list[tuple[list[str], list[str]]]) -> Lines:
        return [_text(pair, known) for pair in pairs]

    return prepared(lines(train), lines(valid), folder, vocabulary=words + SPARE)


def _cut(pairs: Lines, longest: int) -> list[tuple[list[str], list[str]]]:
    cut = [tuple(re.findall(r"\w+|[^\w\s]", side.lower()) for side in pair) for pair in pairs]
    return [(one, other) for one, other in cut if 0 < len(one) <= longest and 0 < len(other) <= longest]


def _text(pair: tuple[list[str], list[str]], known: list[set[str]]) -> tuple[str, str]:
    source, target = (
        " ".join(word if word in words else "unk" for word in side) for side, words in zip(pair, known, strict=True)
    )
    return source, target
