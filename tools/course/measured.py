"""Figures whose numbers were measured before, and stand in the documents: they are read from there, not copied."""

import re
from pathlib import Path

from tools.course.drawing import lines

DOCUMENTS = Path(__file__).parents[2] / "docs"


def encoder_decoder() -> str:
    """Letters right by the length of a word, with one vector and with attention: claim A4."""
    (row,) = re.findall(r"^\| A4 \|.*$", (DOCUMENTS / "claims.md").read_text(encoding="utf-8"), re.MULTILINE)
    found = re.search(r"words of ([\d, ]+): one vector ([\d., ]+), attention ([\d., ]+);", row)
    assert found is not None
    lengths, one, attention = ([float(number) for number in part.split(", ")] for part in found.groups())
    return lines(
        "Share of letters that are right, copying words (claim A4)",
        {
            "attention": list(zip(lengths, attention, strict=True)),
            "one vector": list(zip(lengths, one, strict=True)),
        },
        across="letters in the word",
        ticks=lengths,
        heights=(0.4, 0.6, 0.8, 1.0),
    )
