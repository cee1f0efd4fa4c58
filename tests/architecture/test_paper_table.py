"""docs/paper.md against the report of the run that it tells of."""

import json
import math
import re
from pathlib import Path
from statistics import fmean, stdev

import pytest

DOCS = Path(__file__).parents[2] / "docs"
REPORT = json.loads((DOCS / "paper" / "table3.json").read_text(encoding="utf-8"))
PAGE = (DOCS / "paper.md").read_text(encoding="utf-8")
TABLE = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE[PAGE.index("| the paper's row (here)") :].split("\n\n", 1)[0].splitlines()[2:]
]


@pytest.mark.parametrize("place", range(len(REPORT["rows"])), ids=[row["name"] for row in REPORT["rows"]])
def test_each_row_of_table_3_has_the_figures_of_its_report(place):
    row, (_, perplexity, change, theirs, _, bleu, difference, their_bleu, _) = REPORT["rows"][place], TABLE[place]
    assert bleu == f"{row['bleu']['mean']:.1f} ± {row['bleu']['deviation']:.1f}"
    if row["perplexity"]["mean"] < 100:
        assert perplexity == f"{row['perplexity']['mean']:.2f} ± {row['perplexity']['deviation']:.2f}"
    if row["by_bleu"]:
        assert difference == f"{row['by_bleu']['difference']:+.1f} ± {row['by_bleu']['standard_error']:.1f}"
    if change:
        own = row["by_perplexity"]
        times = math.exp(own["difference"])
        assert change == f"{100 * (times - 1):+.1f} ± {100 * times * own['standard_error']:.1f} %"
    if row["paper"]:
        assert theirs.split()[0] == f"{row['paper']['perplexity']:.2f}"
        assert their_bleu.split()[0] == f"{row['paper']['bleu']:.1f}"


def test_the_table_has_every_row_and_every_outcome():
    assert len(TABLE) == len(REPORT["rows"])
    words = {"as in the paper": "as there", "otherwise": "otherwise", "undecided": "undecided", None: ""}
    for row, cells in zip(REPORT["rows"], TABLE, strict=True):
        if row["by_bleu"]:
            assert (cells[4], cells[8]) == (
                words[row["by_perplexity"]["outcome"]],
                words[row["by_bleu"]["outcome"]],
            ), row["name"]


def test_what_search_and_average_change_is_what_the_report_says():
    lines = {
        "beam": "beam, from 4",
        "length penalty": "length penalty, from 0.6",
        "average of checkpoints": "average of checkpoints, from the last alone",
    }
    base = REPORT["rows"][0]["bleu"]["values"]
    for varied, begins in lines.items():
        (told,) = re.findall(rf"^\| {begins} \| (.*) \|$", PAGE, re.MULTILINE)
        found = []
        for one in REPORT["tried"]:
            differences = [now - own for now, own in zip(one["bleu"]["values"], base, strict=True)]
            if one["varied"] == varied and any(differences):
                found.append(f"{one['value']}: {fmean(differences):+.2f} ± {stdev(differences) / math.sqrt(3):.2f}")
        assert told == ", ".join(found)
