"""A run folder: which recipe it belongs to, and whether it is finished.

recipe.toml       every key, resolved; enough to run it again
data/             tokenizers and token stores
journal.jsonl     one line per event
checkpoints/      weights and optimizer state to continue from
model/            the model folder, once training has ended
evaluation.json   every score of the model, with intervals and by length, for each held-out split
result.json       how it ended, and the scores; written last, so a run that has it is finished
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from saccade.errors import ConfigError, SaccadeError
from saccade.evaluation.report import EvaluationReport
from saccade.folders import atomic_write, damaged, read_json
from saccade.recipes.recipe import Recipe, load_recipe
from saccade.recipes.toml import write_recipe

_RAISABLE = ("training.steps", "training.minutes", "training.patience")
"""Limits that may be raised when a run continues."""
_FREE = ("training.accumulate", "training.placement", "training.recompute")
"""How the work is divided, which may change with the number of processes and with their memory."""
_LISTED = 6
"""How many differences between two recipes an error lists."""
_REMOVE = "Remove it and continue the run."


@dataclass(frozen=True)
class RunResult:
    """How a run ended. `scores` holds the value of each metric by split: {"test": {"bleu": 38.4}}.

    The same command continues an interrupted run; `finished_before` means that there was nothing left to do.
    """

    folder: Path
    steps: int
    ending: str
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    finished_before: bool = False

    @property
    def interrupted(self) -> bool:
        """Whether the same command would continue from here."""
        return self.ending == "interrupted"

    @property
    def model(self) -> Path | None:
        """The folder of the model, once there is one."""
        return None if self.interrupted else self.folder / "model"

    @property
    def summary(self) -> str:
        """How it ended and what it reached, in a few lines."""
        if self.interrupted:
            return f"stopped after step {self.steps:,}; the same command continues"
        lines = [f"finished {'before, ' if self.finished_before else ''}after {self.steps:,} steps"]
        for split, scores in self.scores.items():
            lines.append(f"{split}: " + ", ".join(f"{metric} {value:.2f}" for metric, value in scores.items()))
        return "\n".join(lines)


def adopt_recipe(recipe: Recipe, folder: Path) -> None:
    """Writes the recipe into the folder; once training has started, only what may change is allowed to differ."""
    path = folder / "recipe.toml"
    if path.is_file() and has_started(folder):
        earlier, wanted = load_recipe(path).keys(), recipe.keys()
        changes = {key: (earlier.get(key), wanted.get(key)) for key in {**earlier, **wanted}}
        changes = {key: (old, new) for key, (old, new) in changes.items() if old != new}
        refused = [key for key, (old, new) in changes.items() if not _may_change(key, old, new, recipe)]
        if refused:
            listed = ", ".join(
                f"{key} ({_shown(changes[key][0])} -> {_shown(changes[key][1])})" for key in refused[:_LISTED]
            )
            if len(refused) > _LISTED:
                listed += f" and {len(refused) - _LISTED} more"
            raise ConfigError(
                f"the run in `{folder}` must continue with the recipe it began with, but these differ: {listed}. "
                "Choose another --out, or leave them as they were."
            )
        if not changes:
            return
    write_recipe(recipe, path)


def has_started(folder: Path) -> bool:
    """Whether training has started here; until then the folder may be given another recipe."""
    return (folder / "journal.jsonl").is_file()


@contextmanager
def removing_refused_recipe(folder: Path) -> Iterator[None]:
    """Removes the recipe from the folder when an error before the first step shows that it cannot be run."""
    try:
        yield
    except SaccadeError:
        if not has_started(folder):
            (folder / "recipe.toml").unlink(missing_ok=True)
        raise


def finished(recipe: Recipe, folder: Path) -> RunResult | None:
    """The result of a run that needs nothing more, or None."""
    path = folder / "result.json"
    if not path.is_file() or not (folder / "model" / "config.json").is_file():
        return None
    result = read_json(path, advice=_REMOVE)
    try:
        if result["limits"] != _limits(recipe):
            return None
        return RunResult(folder, result["steps"], result["ending"], result["scores"], finished_before=True)
    except (KeyError, TypeError) as error:
        raise damaged(path, _REMOVE) from error


def write_result(recipe: Recipe, result: RunResult) -> None:
    """Marks the run as finished."""
    content = {"steps": result.steps, "ending": result.ending, "scores": result.scores, "limits": _limits(recipe)}
    atomic_write(result.folder / "result.json", json.dumps(content, indent=2, ensure_ascii=False))


def write_evaluation(folder: Path, reports: Mapping[str, EvaluationReport]) -> None:
    """Writes everything that the final evaluation found."""
    content = {split: report.to_data() for split, report in reports.items()}
    atomic_write(folder / "evaluation.json", json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))


def _limits(recipe: Recipe) -> dict[str, Any]:
    keys = recipe.keys()
    return {key: keys[key] for key in _RAISABLE}


def _may_change(key: str, old: Any, new: Any, recipe: Recipe) -> bool:
    """How the work is divided may change; limits may be raised, unless the learning rate depends on the last step."""
    if key in _FREE:
        return True
    if key not in _RAISABLE or recipe.training.schedule == "linear":
        return False
    return new is None or (old is not None and new > old)


def _shown(value: object) -> str:
    return "none" if value is None else str(value)
