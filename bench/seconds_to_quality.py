"""From pressing Enter to a score: the wall time of `saccade train`, its start included.

    SACCADE_DATA=... python -m bench.seconds_to_quality multi30k OUT --goal 38 --seeds 3 --set training.steps=1000 ...

Every seed is a command of its own in a new folder, data prepared from nothing, one after the other with nothing beside
it. Before the first that counts, one command runs uncounted, so that kernels are compiled as they are on a machine that
has trained before. The clock starts with the process, and is read when its journal first has a line of a kind: training
begins, the first steps are told, a validation reaches the goal. OUT/result.json has all of it, and the CPU seconds that
the command had used when training began, which other work on the machine does not change.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.descendants import cpu_seconds
from bench.machine import description, environment_of_users

EVERY = 0.02
"""Seconds between two looks at the journal."""


def timed_run(command: Sequence[str], folder: Path, goal: float) -> dict[str, Any]:
    """Seconds after the start at which training began, its first steps were told, and the goal was reached."""
    began = time.perf_counter()
    found: dict[str, Any] = {"begins": None, "cpu_seconds": None, "first_steps": None, "validations": [], "goal": None}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment_of_users()) as process:
        read = 0
        while True:
            ended = process.poll() is not None
            lines = _whole_lines(folder / "journal.jsonl")
            for line in lines[read:]:
                _note(json.loads(line), time.perf_counter() - began, goal, found)
            read = len(lines)
            if ended:
                break
            time.sleep(EVERY)
    if process.returncode:
        raise SystemExit(f"`{' '.join(command)}` ended with exit code {process.returncode}.")
    return found | {"ends": time.perf_counter() - began}


def _whole_lines(journal: Path) -> list[str]:
    if not journal.exists():
        return []
    *lines, _ = journal.read_text(encoding="utf-8").split("\n")  # the last may still be written
    return lines


def _note(event: dict[str, Any], seconds: float, goal: float, found: dict[str, Any]) -> None:
    kind = event["event"]
    if kind == "start" and found["begins"] is None:
        found["begins"], found["cpu_seconds"] = seconds, cpu_seconds(os.getpid())
    if kind == "train" and found["first_steps"] is None:
        found["first_steps"] = seconds
    if kind == "validation":
        found["validations"].append({"seconds": seconds, "step": event["step"], "bleu": event["bleu"]})
        if event["bleu"] >= goal and found["goal"] is None:
            found["goal"] = seconds


def told(name: str, run: dict[str, Any]) -> str:
    """One run in a line."""
    goal = "not reached" if run["goal"] is None else f"{run['goal']:.1f} s"
    validations = ", ".join(f"{one['bleu']:.1f} at {one['seconds']:.1f} s" for one in run["validations"])
    kinds = {"begins": "begins", "cpu_seconds": "CPU until then", "first_steps": "first steps"}
    parts = [f"{kind} {run[key]:.1f} s" for key, kind in kinds.items() if run[key] is not None]
    return f"{name}: goal {goal}; {'; '.join(parts)}; {validations}; ends {run['ends']:.1f} s"


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe")
    parser.add_argument("out", type=Path, help="where runs are kept, and result.json; must not exist")
    parser.add_argument("--goal", type=float, default=38.0, help="BLEU on validation text")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--device")
    parser.add_argument("--workers", type=int, default=1, help="processes that encode text, as of `saccade train`")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a key of the recipe")
    parser.add_argument("--no-warm-up", dest="warm_up", action="store_false", help="count the first command, too")
    asked = parser.parse_args(arguments)
    if asked.out.exists():
        parser.error(f"{asked.out} must not exist: what was prepared there would not be prepared again")
    asked.out.mkdir(parents=True)
    device = ["--device", asked.device] if asked.device else []
    workers = ["--workers", str(asked.workers)]

    def run(name: str, seed: int) -> dict[str, Any]:
        folder = asked.out / name
        sets = [part for each in [*asked.set, f"training.seed={seed}"] for part in ("--set", each)]
        command = [sys.executable, "-m", "saccade.cli.main", "train", asked.recipe, "--out", str(folder)]
        found = timed_run([*command, *device, *workers, *sets], folder, asked.goal)
        print(told(name, found), file=sys.stderr, flush=True)
        return found

    result: dict[str, Any] = {"machine": description(), "recipe": asked.recipe, "set": asked.set, "goal": asked.goal}
    if asked.warm_up:
        result["uncounted"] = run("warm-up", seed=0)
    runs = [run(f"seed-{seed}", seed) for seed in range(1, asked.seeds + 1)]
    reached = [one["goal"] for one in runs if one["goal"] is not None]
    result |= {"runs": runs, "reached": len(reached)}
    result["seconds_to_goal"] = statistics.mean(reached) if len(reached) == len(runs) else None
    (asked.out / "result.json").write_text(json.dumps(result, indent=1), encoding="utf-8")
    print(json.dumps({key: result[key] for key in ("machine", "reached", "seconds_to_goal")}))


if __name__ == "__main__":
    main()
