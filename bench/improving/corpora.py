"""The corpora of these experiments, from the folder that SACCADE_DATA names, as plain files.

Tatoeba pairs train the models to begin with. Other domains are sets of `real-en-es`, of which every tenth pair is held
out for testing, and every tenth of the rest for validation.
"""

import lzma
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from saccade.data.config import DataConfig

LANGUAGES = ("en", "es")
Pair = tuple[str, str]


def tatoeba(folder: Path, most: int | None = None) -> DataConfig:
    """English to Spanish, with its own validation and test files; at most so many pairs, spread over all."""
    return _written(
        folder / "tatoeba",
        train=spread(list(_pairs("tatoeba-en-es/train")), most),
        valid=spread(list(_pairs("tatoeba-en-es/valid")), None if most is None else 100),
        test=spread(list(_pairs("tatoeba-en-es/test")), None if most is None else 40),
    )


def domain(folder: Path, name: str, most: int | None = None) -> DataConfig:
    """A set of real-en-es, split into training, validation and test."""
    pairs = spread(list(_pairs(f"real-en-es/train/{name}")), most)
    rest = [pair for number, pair in enumerate(pairs) if number % 10]
    return _written(
        folder / name,
        train=[pair for number, pair in enumerate(rest) if number % 10],
        valid=rest[::10],
        test=pairs[::10],
    )


def held_out_set(name: str, most: int | None = None) -> list[Pair]:
    """A test set of real-en-es."""
    return spread(list(_pairs(f"real-en-es/test/{name}")), most)


def spanish_text(folder: Path, most: int) -> Path:
    """Spanish without English: all of Common Voice, and sentences of Parliament up to so many lines together."""
    place = folder / "text.es"
    lines = list(_lines("real-en-es/mono/common-voice.es"))[:most]
    lines += spread(list(_lines("real-en-es/train/europarl.es")), most - len(lines))
    folder.mkdir(parents=True, exist_ok=True)
    place.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return place


def pairs_for_testing(data: DataConfig) -> list[Pair]:
    """The test pairs of what `tatoeba` or `domain` returned."""
    sides = [
        Path(str(path)).read_text(encoding="utf-8").split("\n")[:-1] for path in (data.test_source, data.test_target)
    ]
    return list(zip(*sides, strict=True))


def spread(items: Sequence, most: int | None) -> list:
    """At most so many of them, taken evenly."""
    if most is None or len(items) <= most:
        return list(items)
    return [items[number * len(items) // most] for number in range(most)]


def _written(folder: Path, **splits: list[Pair]) -> DataConfig:
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for split, pairs in splits.items():
        for side, kind in enumerate(("source", "target")):
            path = folder / f"{split}.{LANGUAGES[side]}"
            text = "".join(f"{pair[side]}\n" for pair in pairs)
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
            files[kind if split == "train" else f"{split}_{kind}"] = str(path)
    return DataConfig(**files, source_language=LANGUAGES[0], target_language=LANGUAGES[1])


def _pairs(name: str) -> Iterator[Pair]:
    yield from zip(*(_lines(f"{name}.{language}") for language in LANGUAGES), strict=True)


def _lines(name: str) -> Iterator[str]:
    place = Path(os.environ["SACCADE_DATA"]) / name
    packed = place.with_name(f"{place.name}.xz")
    with lzma.open(packed, "rt", encoding="utf-8") if packed.exists() else place.open(encoding="utf-8") as file:
        for line in islice(file, None):
            yield line.rstrip("\n")
