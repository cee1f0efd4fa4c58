"""Figures whose numbers were measured before, and stand in the documents: they are read from there, not copied."""

import json
import re
from pathlib import Path

from tools.course.drawing import bars, lines

DOCUMENTS = Path(__file__).parents[2] / "docs"


def encoder_decoder() -> str:
    """Letters right by the length of a word, with one vector and with attention: claim A4."""
    (row,) = re.findall(r"^\| A4 \|.*$", _document("claims"), re.MULTILINE)
    found = re.search(r"words of ([\d, ]+): one vector ([\d., ]+) after .*?; attention ([\d., ]+) after ", row)
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


def length_penalty() -> str:
    """BLEU of the small base model of Table 3 by length penalty."""
    tried = json.loads((DOCUMENTS / "paper" / "table3.json").read_text(encoding="utf-8"))["tried"]
    scores = {f"alpha {one['value']}": one["bleu"]["mean"] for one in tried if one["varied"] == "length penalty"}
    return bars("BLEU by length penalty, beam 4", scores, digits=1)


def lineage() -> str:
    """BLEU of the systems that were trained alike."""
    rows = re.findall(r"^\| ([\w -]+ \(\d{4}\)) \| ([\d.]+) ± [\d.]+ \| ", _document("lineage"), re.MULTILINE)
    return bars("BLEU, German to English captions", {name: float(score) for name, score in rows}, digits=1)


def recall() -> str:
    """Pairs recalled by the size of what was read."""
    text = _document("lineage-systems")
    (pairs,) = re.findall(r"^\| \| state \| (\d+) pairs \| ([\d |]+) \|$", text, re.MULTILINE)
    counts = [float(number) for number in [pairs[0], *pairs[1].split(" | ")]]
    table = text[text.index("| | state |") :]
    series = {}
    for name, state, numbers in re.findall(r"^\| ([\w-][\w\-, ]+) \| ([\d,]+)[^|]* \| (.*) \|$", table, re.MULTILINE):
        shares = [float(number.split(" ± ")[0]) for number in numbers.split(" | ")]
        size = " growing" if "list" in name else f" {state}"
        series[name.split(",")[0] + "," + size] = list(zip(counts, shares, strict=True))
    return lines(
        "Share of pairs recalled; and how many numbers the state holds",
        series,
        across="pairs read",
        ticks=counts,
        heights=(0, 0.25, 0.5, 0.75, 1),
        digits=2,
    )


def _document(name: str) -> str:
    return (DOCUMENTS / f"{name}.md").read_text(encoding="utf-8")
