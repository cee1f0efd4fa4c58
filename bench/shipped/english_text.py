"""English text without German: what the German-English model learns beside its pairs.

Only text whose licence lets a model trained on it be given away under another licence, as in
`saccade/data/general_corpora.py`. Lines that are in the German-English corpus, be it to train or to test on, are left
out: parliament's debates are in both. Of the long sources a part is drawn, so that none drowns the others.
"""

import lzma
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from saccade.data.general_corpora import ENGLISH_SPANISH, TATOEBA

WORDS = range(3, 61)
"""How many a line may have."""
SOURCES = {
    "real-en-es/train/europarl.en.xz": 150_000,
    "real-en-es/train/novels.en.xz": None,
    "real-en-es/mono/common-voice.en.xz": None,
    "tatoeba-en-es/train.en.xz": None,
    "real-en-es/train/ms-dynamics-operations.en.xz": 30_000,
    "real-en-es/train/python-docs.en.xz": 25_000,
    "real-en-es/train/ms-business-central.en.xz": 10_000,
    "real-en-es/train/ms-visualstudio.en.xz": 15_000,
    "real-en-es/train/ethereum-docs.en.xz": 15_000,
    "real-en-es/train/godot-docs.en.xz": None,
    "real-en-es/train/react-docs.en.xz": None,
    "real-en-es/train/rust-book.en.xz": None,
    "real-en-es/train/programming-historian.en.xz": None,
    "real-en-es/train/us-civic.en.xz": None,
    "real-en-es/train/kubernetes-docs.en.xz": None,
    "real-en-es/train/gnome-help.en.xz": None,
    "real-en-es/train/opensource-guide.en.xz": None,
    "real-en-es/train/tico19-dev.en.xz": None,
}
"""Files of the folder of corpora, and how many lines are taken at most."""


def whose_text() -> list[tuple[str, str]]:
    """Whose text it is, and its licence, in the order of the sources."""
    others = {"common-voice": ("Common Voice, sentences to be read aloud", "CC0"), "train": TATOEBA}
    names = [Path(name).name.removesuffix(".en.xz") for name in SOURCES]
    return [ENGLISH_SPANISH.get(name) or others[name] for name in names]


def english_text(data: Path, known: Iterable[str]) -> list[str]:
    """The lines, each once, in an order drawn once; none of them says the same as one of `known`."""
    draw = random.Random(0)
    seen = {_bare(line) for line in known}
    kept = []
    for name, most in SOURCES.items():
        lines = []
        for line in _lines(data / name):
            bare = _bare(line)
            if len(line.split()) in WORDS and bare not in seen:
                seen.add(bare)
                lines.append(line)
        kept += lines if most is None else draw.sample(lines, min(most, len(lines)))
    draw.shuffle(kept)
    return kept


def _lines(path: Path) -> Iterator[str]:
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.rstrip("\n")


def _bare(line: str) -> str:
    return " ".join(re.findall(r"\w+", line.lower()))
