"""The Transformer's decoder alone beside an LSTM, as language models with equal parameters and equal time.

    saccade compare --recipe lm-europarl --seeds 3 --budget 100s --parallel 4 --out DIR --models ...
    python -m bench.lineage.decoder_alone --models     # prints the systems for --models
    python -m bench.lineage.decoder_alone DIR          # reads DIR/report.json and judges

Each is trained at two learning rates, and the better of its two, by perplexity at the last validation, counts.

The rule: the decoder alone is better ("holds") or worse ("does not hold") if the means of the logarithm of its
perplexity of a test word and of the LSTM's differ by more than three standard errors of that difference, taken from the
spread over seeds, and by more than 0.01, one per cent of perplexity. Anything else is "undecided".
"""

import argparse
import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from saccade.comparison.report import read_report

LSTM = "rnn-language-model:cell=lstm,layers=2,tie=target"
SYSTEMS = (
    "transformer-language-model",
    "transformer-language-model:training.learning_rate=5e-4",
    LSTM,
    f"{LSTM},training.learning_rate=3e-3",
)
LEAST = 0.01
STANDARD_ERRORS = 3


def verdict(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float, str]:
    """How much lower our log perplexities are than theirs on average, the standard error of that, and the judgement."""
    lower = statistics.mean(theirs) - statistics.mean(ours)
    if min(len(ours), len(theirs)) < 2:  # a single seed has no spread
        return lower, math.inf, "undecided"
    error = math.sqrt(sum(statistics.variance(each) / len(each) for each in (ours, theirs)))
    if abs(lower) <= max(STANDARD_ERRORS * error, LEAST):
        return lower, error, "undecided"
    return lower, error, "holds" if lower > 0 else "does not hold"


def best(systems: Sequence[Mapping[str, Any]], architecture: str) -> Mapping[str, Any]:
    """Of the systems of this architecture the one with the lowest mean perplexity at its last validation."""
    able = [one for one in systems if one["architecture"] == architecture]
    return min(able, key=lambda one: statistics.mean(run["curve"][-1]["perplexity"] for run in one["runs"]))


def judge(report: Mapping[str, Any]) -> str:
    """The table of all systems, and what the rule says."""
    lines = []
    for one in report["systems"]:
        scores = [run["score"] for run in one["runs"]]
        speed = statistics.mean(run["tokens"] / run["seconds"] for run in one["runs"])
        spread = statistics.stdev(scores) if len(scores) > 1 else 0.0
        lines.append(
            f"{one['label']}: perplexity of a word {statistics.mean(scores):.2f} ± {spread:.2f} on "
            f"{report['metric']['split']}, {one['parameters']:,} parameters, {speed:,.0f} tokens/s"
        )
    chosen = [best(report["systems"], name) for name in ("transformer-language-model", "rnn-language-model")]
    ours, theirs = ([math.log(run["score"]) for run in one["runs"]] for one in chosen)
    lower, error, said = verdict(ours, theirs)
    lines.append(f"compared: {chosen[0]['label']} with {chosen[1]['label']}")
    lines.append(f"log perplexity lower by {lower:.4f}, standard error {error:.4f}: {said}")
    return "\n".join(lines)


def main() -> None:
    """Prints the systems, or judges a finished comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("comparison", type=Path, nargs="?")
    parser.add_argument("--models", action="store_true")
    asked = parser.parse_args()
    if asked.models or asked.comparison is None:
        print(",".join(SYSTEMS))
    else:
        print(judge(read_report(asked.comparison / "report.json")))


if __name__ == "__main__":
    main()
