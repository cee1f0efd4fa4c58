"""The rule for all experiments of this folder, and their tables.

Two arms are compared seed by seed. The first is better ("holds") or worse ("does not hold") if the mean of the
differences in BLEU is further from zero than three of its standard errors, taken from the spread over seeds, and than
0.3 BLEU. Anything else is "undecided".
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LEAST = 0.3
STANDARD_ERRORS = 3

Scores = Mapping[str, Mapping[str, Mapping[str, float]]]
"""BLEU by arm, test set and seed."""


@dataclass(frozen=True)
class Question:
    """Whether one arm is better than another on a test set."""

    better: str
    than: str
    test: str


def verdict(differences: Sequence[float]) -> tuple[float, float, str]:
    """The mean difference, its standard error, and the judgement."""
    mean = statistics.mean(differences)
    if len(differences) < 2:  # a single seed has no spread
        return mean, math.inf, "undecided"
    error = statistics.stdev(differences) / math.sqrt(len(differences))
    if abs(mean) <= max(STANDARD_ERRORS * error, LEAST):
        return mean, error, "undecided"
    return mean, error, "holds" if mean > 0 else "does not hold"


def report(scores: Scores, questions: Sequence[Question]) -> str:
    """A table of all arms, and an answer to each question that can be answered."""
    tests = list(dict.fromkeys(test for arm in scores.values() for test in arm))
    lines = [f"| BLEU, mean of seeds | {' | '.join(tests)} |", f"|---|{'---|' * len(tests)}"]
    for arm, by_test in scores.items():
        lines.append(f"| {arm} | {' | '.join(_cell(by_test.get(test, {})) for test in tests)} |")
    lines.append("")
    for question in questions:
        lines.append(f"- {_answer(scores, question)}")
    return "\n".join(lines)


def _cell(by_seed: Mapping[str, float]) -> str:
    values = list(by_seed.values())
    if not values:
        return ""
    spread = f" ± {statistics.stdev(values):.2f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.2f}{spread}"


def _answer(scores: Scores, question: Question) -> str:
    ours, theirs = (scores.get(arm, {}).get(question.test, {}) for arm in (question.better, question.than))
    seeds = [seed for seed in ours if seed in theirs]
    asked = f"{question.better} better than {question.than} on {question.test}"
    if not seeds:
        return f"{asked}: not run"
    mean, error, said = verdict([ours[seed] - theirs[seed] for seed in seeds])
    return f"{asked}: {said} ({mean:+.2f} BLEU, standard error {error:.2f}, {len(seeds)} seeds)"
