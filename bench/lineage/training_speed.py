"""How fast each system trains on a GPU: steps captured into CUDA graphs beside eager ones, and the products alone.

    python -m bench.lineage.training_speed OUT [--recipe lm-multi30k] [--systems convs2s,luong] [--profile]

Every system that does the recipe's task and learns by gradient descent, at the size of the recipe's own model within
5 % (`multi30k`: 9.4 million parameters), as `saccade compare` plans it. Each is trained twice on one card, one after
the other: with `training.layout=padded`, whose batches have many shapes, so that steps are eager; and as it comes.
Counted are target tokens per second of the median step, once every shape has been met several times. The floor are the
system's matrix products, forward and backward, at the size of one large batch; for a recurrent system it is out of
reach, since its positions wait for each other.

With `--profile` the kernels that take most of ten captured steps are listed as well. SACCADE_DATA must name the folder
of corpora.
"""

import argparse
import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from bench.machine import description
from saccade.comparison.budget import Budget
from saccade.comparison.execute import share_data
from saccade.comparison.plan import ComparisonRequest, base_recipe, make_plan
from saccade.comparison.system_spec import read_system_specs, systems_for_task
from saccade.comparison.throughput import Enough, train_until_enough
from saccade.data.prepare import prepare
from saccade.errors import SaccadeError
from saccade.models.capabilities import CountingModel
from saccade.recipes.recipe import Recipe

_KERNELS, _PROFILED = 12, 10
"""How many kernels are listed, of how many steps."""


class Stopwatch:
    """Collects what the run says of itself and of its steps, and stops it after so many seconds of steps."""

    def __init__(self, seconds: float, profiled: bool) -> None:
        self.seconds, self.profiled = seconds, profiled
        self.start: Mapping[str, Any] = {}
        self.speeds: list[float] = []
        self.first = 0.0
        self.profile: Any = None

    def __call__(self, event: Mapping[str, Any]) -> None:
        """One event of the journal or of the progress."""
        if event["event"] == "start":
            self.start = event
        if event["event"] != "step":
            return
        if not self.speeds:
            self.first = event["seconds"]
        self.speeds.append(event["tokens"] / event["step_seconds"])
        over = event["seconds"] - self.first - self.seconds
        if over >= 0 and self.profiled and self.profile is None:
            self.profile = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
            self.profile.__enter__()
            self.profiled_to = len(self.speeds) + _PROFILED
        elif self.profile is not None and len(self.speeds) >= self.profiled_to:
            torch.cuda.synchronize()
            self.profile.__exit__(None, None, None)
            raise Enough
        elif over >= 0 and self.profile is None:
            raise Enough

    @property
    def tokens_per_second(self) -> float:
        """Of the median step of the later half."""
        return statistics.median(self.speeds[len(self.speeds) // 2 :])


def measured(recipe: Recipe, out: Path, layout: str, device: str, seconds: float, profiled: bool) -> dict[str, Any]:
    """One system, trained for so long, and its folder removed again."""
    folder = out / "runs" / f"{recipe.architecture}-{layout}"
    share_data(out, folder)
    watch = Stopwatch(seconds, profiled)
    train_until_enough(recipe, folder, watch, device, [f"training.layout={layout}"])
    found: dict[str, Any] = {"tokens_per_second": watch.tokens_per_second, "steps": len(watch.speeds)}
    found |= {name: watch.start.get(name) for name in ("layout", "recorded", "floor_tokens_per_second", "parameters")}
    if watch.profile is not None:
        kernels = sorted(watch.profile.key_averages(), key=lambda one: -one.device_time_total)[:_KERNELS]
        found["kernels"] = [(one.key[:90], one.count / _PROFILED, _milliseconds(one)) for one in kernels]
        found["device_ms"] = sum(map(_milliseconds, watch.profile.key_averages()))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=8.0, help="of steps, for each of the two")
    parser.add_argument("--recipe", default="multi30k")
    parser.add_argument("--systems", help="all that learn by gradient descent, unless given")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--profile", action="store_true", help="list the kernels of ten captured steps")
    parser.add_argument("--captured-only", action="store_true", help="leave the eager steps out")
    given = parser.parse_args(arguments)
    out = given.out.absolute()
    base = base_recipe(given.recipe, ())
    systems = read_system_specs(given.systems or ",".join(_learning(base.data.task)), base.data.task)
    request = ComparisonRequest(given.recipe, systems, Budget("steps", 1000.0, "1000steps"), seeds=1)
    prepared = prepare(base.data, out / "data")
    plan = make_plan(request, prepared, out, lambda recipes: [1.0] * len(recipes), given.device)
    found: dict[str, Any] = {"machine": description()}
    print("| system | parameters | eager, tokens/s | captured | times | share of the products |")
    print("|---|---|---|---|---|---|")
    for entry in plan.entries:
        row: dict[str, Any] = {}
        for layout in ("auto",) if given.captured_only else ("padded", "auto"):
            try:
                profiled = given.profile and layout == "auto"
                row[layout] = measured(entry.recipe, out, layout, given.device, given.seconds, profiled)
            except (SaccadeError, RuntimeError) as error:
                row[layout] = {"error": str(error).splitlines()[0][:200]}
                print(f"{entry.spec.label}, {layout}: {row[layout]['error']}", flush=True)
        found[entry.spec.label] = row
        if all("error" not in one for one in row.values()):
            print(_line(entry.spec.label, row), flush=True)
        (out / "training_speed.json").write_text(json.dumps(found, indent=1))


def _learning(task: str) -> list[str]:
    able = systems_for_task(task)
    return [name for name, system in able.items() if not issubclass(system.model, CountingModel)]


def _milliseconds(kernel: Any) -> float:
    """On the card, of one step."""
    return float(kernel.device_time_total / 1000 / _PROFILED)


def _line(label: str, row: Mapping[str, Mapping[str, Any]]) -> str:
    eager, captured = row.get("padded", row["auto"]), row["auto"]
    fast, slow, floor = captured["tokens_per_second"], eager["tokens_per_second"], captured["floor_tokens_per_second"]
    cells = [label, f"{captured['parameters']:,}", f"{slow:,.0f}", f"{fast:,.0f}", f"{fast / slow:.1f}"]
    lines = [f"| {' | '.join([*cells, f'{fast / floor:.2f}'])} |"]
    if "kernels" in captured:
        lines.append(f"  device {captured['device_ms']:.2f} ms a step")
        lines += [f"  {ms:8.3f} ms {count:8.1f} x {name}" for name, count, ms in captured["kernels"]]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
