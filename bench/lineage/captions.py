"""Captions of Multi30k in so few words that a model can learn them in a minute.

Text is lowercased and cut into words and punctuation. What is not among the most frequent words of its side becomes the
one word `unk`, as in the papers of the time; pieces of rare words would shift all others away from their translations.
"""

import gzip
import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from saccade.data.config import DataConfig
from saccade.data.prepare import prepare
from saccade.data.prepared_corpus import Prepared

Lines = Sequence[tuple[str, str]]

SPARE = 400
"""Room in a vocabulary for entries that are no words: specials, bytes, characters."""


def captions(folder: Path, words: int, longest: int, source: str = "de", target: str = "en") -> Prepared:
    """Pairs of at most `longest` words a side, ready to train on."""
    train, valid = (_cut(multi30k(split, source, target), longest) for split in ("train", "val"))
    known = [
        {word for word, _ in Counter(w for pair in train for w in pair[side]).most_common(words)} for side in (0, 1)
    ]
    lines = [[_text(pair, known) for pair in pairs] for pairs in (train, valid)]
    return prepare_lines(*lines, folder, vocabulary=words + SPARE)


def prepare_lines(train: Lines, valid: Lines, folder: Path, **data: Any) -> Prepared:
    """The pairs as token stores; whole words unless `data` says otherwise."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {}
    for split, lines in (("", train), ("valid_", valid)):
        for side, number in (("source", 0), ("target", 1)):
            path = folder / f"{split}{side}.txt"
            path.write_text("".join(f"{line[number]}\n" for line in lines), encoding="utf-8")
            names[f"{split}{side}"] = str(path)
    settings: dict[str, Any] = {"pieces": "word", "joint": False, **data}
    return prepare(DataConfig(**names, **settings), folder / "data")


def multi30k(split: str, source: str, target: str) -> Lines:
    """Pairs of Multi30k from the folder that SACCADE_DATA names."""
    folder = Path(os.environ["SACCADE_DATA"]) / "multi30k"
    return list(zip(*(_lines(folder / f"{split}.{language}") for language in (source, target)), strict=True))


def _lines(path: Path) -> list[str]:
    packed = path.with_name(f"{path.name}.gz")
    text = path.read_text(encoding="utf-8") if path.is_file() else gzip.decompress(packed.read_bytes()).decode()
    return text.splitlines()


def _cut(pairs: Lines, longest: int) -> list[tuple[list[str], list[str]]]:
    cut = [tuple(re.findall(r"\w+|[^\w\s]", side.lower()) for side in pair) for pair in pairs]
    return [(one, other) for one, other in cut if 0 < len(one) <= longest and 0 < len(other) <= longest]


def _text(pair: tuple[list[str], list[str]], known: list[set[str]]) -> tuple[str, str]:
    source, target = (
        " ".join(word if word in words else "unk" for word in side) for side, words in zip(pair, known, strict=True)
    )
    return source, target
