"""Where the test sets of a pair of languages lie below the folder of corpora; the first is news."""

from collections.abc import Mapping
from pathlib import Path

SETS: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("en", "es"): {
        "newstest2012": "real-en-es/test/newstest2012",
        "newstest2011": "real-en-es/test/newstest2011",
        "tatoeba-test": "tatoeba-en-es/test",
        "europarl-heldout": "real-en-es/test/europarl-heldout",
        "ud-pud": "real-en-es/test/ud-pud",
    },
    ("de", "en"): {
        "newstest2013": "wmt-newstest/newstest2013",
        "tatoeba-test": "tatoeba-en-de/test",
        "europarl-test": "europarl-de-en/test",
    },
}

Pairs = list[tuple[str, str]]


def stems(languages: tuple[str, str]) -> Mapping[str, str]:
    """The sets of these languages, in whichever direction they are listed."""
    return SETS.get(languages) or SETS.get((languages[1], languages[0]), {})


def read_set(data: Path, name: str, languages: tuple[str, str], lines: int | None) -> Pairs:
    """The first lines of a test set, all by default; pairs with an empty side are left out."""
    stem = data / stems(languages)[name]
    sides = [stem.with_name(f"{stem.name}.{side}").read_text(encoding="utf-8").split("\n") for side in languages]
    return [pair for pair in zip(*sides, strict=True) if all(side.strip() for side in pair)][:lines]
