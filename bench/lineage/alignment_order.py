"""Which system of the lineage aligns an invented language best, all of them read alike.

    saccade compare --recipe reordering --models convs2s:encoder_layers=3,decoder_layers=3 ... --out convs2s
    saccade compare --recipe reordering --models transformer ... --out transformer
    python -m bench.lineage.alignment_order docs/lineage/reordering.json convs2s/report.json transformer/report.json

A system may attend in several layers and with several heads. It is read in three ways: the head and the layer that
align the development part best, and the mean of all layers. A later report replaces the systems of an earlier one that
it has as well. A report from before these readings has one reading of each system; it stands for all three where the
system attends in one place only, and is left out elsewhere.

Of two systems one aligns better, read in one way, if its mean alignment error rate over the seeds is lower by more than
0.02 and by more than three standard errors of the difference. It aligns better if it does so in all three ways; if the
ways disagree or one is undecided, so is the order.
"""

import argparse
import json
import math
import statistics
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from bench.lineage.small_runs import mean_and_deviation

WAYS = ("best_head", "best_layer", "all_layers")
ATTENDS_ONCE = ("rnnsearch", "luong", "lstmn")
LEAST, STANDARD_ERRORS = 0.02, 3
Rates = Mapping[str, Sequence[float]]
"""The alignment error rates of the seeds, by way of reading."""


def rates(reports: Sequence[Mapping[str, Any]]) -> dict[str, Rates]:
    """By system, the last report that has it."""
    found: dict[str, Rates] = {}
    for system in (one for report in reports for one in report["systems"]):
        if "alignment_readings" in system:
            found[system["architecture"]] = {
                way: [seed[way]["alignment_error"]["error_rate"] for seed in system["alignment_readings"]]
                for way in WAYS
            }
        elif system["architecture"] in ATTENDS_ONCE:
            found[system["architecture"]] = dict.fromkeys(
                WAYS, [one["error_rate"] for one in system["alignment_errors"]]
            )
    return found


def ahead(one: Sequence[float], other: Sequence[float]) -> bool | None:
    """Whether the first aligns better than the second, read in one way; None is undecided."""
    if min(len(one), len(other)) < 2:  # a single seed has no spread
        return None
    difference = statistics.mean(other) - statistics.mean(one)
    error = math.sqrt(sum(statistics.variance(each) / len(each) for each in (one, other)))
    return None if abs(difference) <= max(LEAST, STANDARD_ERRORS * error) else difference > 0


def order(one: Rates, other: Rates) -> bool | None:
    """The same, if it is so in all three ways."""
    said = {ahead(one[way], other[way]) for way in WAYS}
    return said.pop() if len(said) == 1 else None


def main() -> None:
    """Prints the table and the order of each two systems."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", type=Path, nargs="+")
    asked = parser.parse_args()
    found = rates([json.loads(path.read_text(encoding="utf-8")) for path in asked.reports])
    print("| system | best head | best layer | all layers |\n|---|---|---|---|")
    for name, read in found.items():
        print(f"| {name} | {' | '.join(mean_and_deviation(read[way], 3) for way in WAYS)} |")
    for one, other in combinations(found, 2):
        first = order(found[one], found[other])
        better, worse = (one, other) if first else (other, one)
        print(f"{one}, {other}: undecided" if first is None else f"{better} aligns better than {worse}")


if __name__ == "__main__":
    main()
