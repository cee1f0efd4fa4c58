"""What makes a training good sooner: optimizers, schedules and batches with the same number of target tokens.

    SACCADE_DATA=... python -m bench.time_to_quality multi30k OUT --tokens 8000000 --seeds 3 --parallel 5

Every arm changes the recipe in one thing and trains for as many tokens as the recipe's own way, whose rate falls in a
straight line. What counts is the BLEU of the finished model (averaged, as the recipe says) on validation text, and how
many tokens it had seen when a validation first reached --goal. All seeds of all arms see the same data.

**The rule**, set before the first run: an arm is better or worse than "as it is" where the mean difference over seeds
is at least three of its standard errors from zero, and at least a tenth of a BLEU; otherwise it is undecided. What is
better on every corpus tried becomes the automatic recipe's way.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import torch

import saccade
from bench.noise.rule import Difference
from bench.shared_data import sharing_data
from saccade.errors import SaccadeError
from saccade.recipes.recipe import Recipe, load_recipe

BASELINE = "as it is"
LEAST = 0.1
"""BLEU that a difference must have to matter."""


@dataclass(frozen=True)
class Arm:
    """What is set, given the recipe's rate and how its batches compare: a factor of the rate, and of the batch."""

    rate: float = 1.0
    batch: float = 1.0
    settings: Mapping[str, object] | None = None

    def overrides(self, recipe: Recipe, tokens: int) -> list[str]:
        """The recipe's keys for this many target tokens."""
        training = recipe.training
        peak = training.learning_rate or training.learning_rate_factor / (recipe.model.width * training.warmup) ** 0.5
        batch = round(training.batch_tokens * self.batch)
        steps = max(2, round(tokens / batch))
        given: dict[str, object] = {
            "learning_rate": peak * self.rate,
            "learning_rate_factor": 1.0,
            "batch_tokens": batch,
            "steps": steps,
            "schedule": "linear",
            "warmup": max(1, steps // 8),
            "validate_every": max(1, steps // 8),
            "checkpoint_every": max(1, steps // 40),
        }
        given |= self.settings or {}
        return [f"training.{key}={json.dumps(value)}" for key, value in given.items()]


ARMS = {
    BASELINE: Arm(),
    "rate x 2": Arm(rate=2.0),
    "rate x 4": Arm(rate=4.0),
    "rate x 0.5": Arm(rate=0.5),
    "cosine": Arm(settings={"schedule": "cosine"}),
    "cosine, rate x 2": Arm(rate=2.0, settings={"schedule": "cosine"}),
    "half the batch": Arm(batch=0.5),
    "twice the batch, rate x 1.4": Arm(rate=1.4, batch=2.0),
    "the last checkpoint alone": Arm(settings={"average": 1}),
    "schedule-free": Arm(settings={"optimizer": "schedule_free", "schedule": "constant", "average": 1}),
    "schedule-free, rate x 2": Arm(
        rate=2.0, settings={"optimizer": "schedule_free", "schedule": "constant", "average": 1}
    ),
    "schedule-free, rate x 4": Arm(
        rate=4.0, settings={"optimizer": "schedule_free", "schedule": "constant", "average": 1}
    ),
    "schedule-free, rate x 8": Arm(
        rate=8.0, settings={"optimizer": "schedule_free", "schedule": "constant", "average": 1}
    ),
    "muon": Arm(settings={"optimizer": "muon", "momentum": 0.95}),
    "muon, rate x 2": Arm(rate=2.0, settings={"optimizer": "muon", "momentum": 0.95}),
    "muon, rate x 4": Arm(rate=4.0, settings={"optimizer": "muon", "momentum": 0.95}),
    "muon, rate x 8": Arm(rate=8.0, settings={"optimizer": "muon", "momentum": 0.95}),
    "muon, rate x 4, half the batch": Arm(rate=4.0, batch=0.5, settings={"optimizer": "muon", "momentum": 0.95}),
}


@dataclass(frozen=True)
class Outcome:
    """What one run came to."""

    bleu: float
    tokens_to_goal: int | None
    seconds: float


def one_run(asked: argparse.Namespace, run: tuple[str, int]) -> Outcome:
    """Trains where it is not trained, and reads the journal."""
    arm, seed = run
    recipe = load_recipe(asked.recipe)
    folder = asked.out / f"{arm.replace(' ', '-').replace(',', '')}-{seed}"
    overrides = [*ARMS[arm].overrides(recipe, asked.tokens), f"training.seed={seed}", *asked.set]
    with sharing_data(folder, asked.out / "data"):
        result = saccade.train(asked.recipe, folder, overrides=overrides, device=asked.device)
        assert not result.interrupted
    events = [json.loads(line) for line in (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
    validations = [event for event in events if event["event"] == "validation"]
    seen = {event["step"]: event["tokens"] for event in events if event["event"] == "train"}
    reached = next((one["step"] for one in validations if one["bleu"] >= asked.goal), None)
    tokens = None if reached is None else sum(count for step, count in seen.items() if step <= reached)
    outcome = Outcome(result.scores["valid"]["bleu"], tokens, events[-1]["seconds"])
    print(f"{arm}, seed {seed}: {outcome}", file=sys.stderr, flush=True)
    return outcome


def verdict(difference: Difference) -> str:
    """By the rule above."""
    if difference.low > 0 and difference.mean >= LEAST:
        return "better"
    if difference.high < 0 and difference.mean <= -LEAST:
        return "worse"
    return "undecided"


def table(found: Mapping[str, Sequence[Outcome]]) -> str:
    """A row for each arm."""
    rows = [
        "| | BLEU, seed by seed | difference | verdict | million tokens to the goal | seconds |",
        "|---|---|---|---|---|---|",
    ]
    for arm, outcomes in found.items():
        scores = ", ".join(f"{one.bleu:.2f}" for one in outcomes)
        difference = Difference.of([one.bleu for one in outcomes], [one.bleu for one in found[BASELINE]])
        change = f"{difference.mean:+.2f} ± {difference.standard_error:.2f}"
        judged = f" | {change} | {verdict(difference)}" if arm != BASELINE else " | | "
        goal = ", ".join("-" if one.tokens_to_goal is None else f"{one.tokens_to_goal / 1e6:.1f}" for one in outcomes)
        seconds = ", ".join(f"{one.seconds:.0f}" for one in outcomes)
        rows.append(f"| {arm} | {scores}{judged} | {goal} | {seconds} |")
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", help="of a translation")
    parser.add_argument("out", type=Path, help="where runs are kept, results.json and table.md")
    parser.add_argument("--tokens", type=int, required=True, help="padded target tokens that each run may read")
    parser.add_argument("--goal", type=float, default=38.0, help="BLEU on validation text")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--arms", nargs="+", choices=list(ARMS), default=list(ARMS))
    parser.add_argument("--parallel", type=int, default=1, help="runs side by side, each in a process of its own")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change every arm alike")
    asked = parser.parse_args(arguments)
    try:
        recipe = load_recipe(asked.recipe)
        recipe.with_overrides([*ARMS[BASELINE].overrides(recipe, asked.tokens), *asked.set])
    except SaccadeError as error:
        parser.error(str(error))
    asked.out.mkdir(parents=True, exist_ok=True)
    arms = list(dict.fromkeys([BASELINE, *asked.arms]))
    runs = [(arm, seed) for seed in range(1, asked.seeds + 1) for arm in arms]
    outcomes = [one_run(asked, runs[0])]  # which prepares the data
    if asked.parallel == 1:
        outcomes += map(partial(one_run, asked), runs[1:])
    else:
        with ProcessPoolExecutor(asked.parallel, get_context("spawn")) as pool:
            outcomes += pool.map(partial(one_run, asked), runs[1:])
    found: dict[str, list[Outcome]] = {arm: [] for arm in arms}
    for (arm, _), outcome in zip(runs, outcomes, strict=True):
        found[arm].append(outcome)
    kept = {arm: [asdict(one) for one in outcomes] for arm, outcomes in found.items()}
    (asked.out / "results.json").write_text(json.dumps(kept, indent=1), encoding="utf-8")
    (asked.out / "table.md").write_text(table(found) + "\n", encoding="utf-8")
    print(table(found))


if __name__ == "__main__":
    main()
