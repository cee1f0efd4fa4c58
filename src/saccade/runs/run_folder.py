"""A run folder: which recipe it belongs to, and whether it is finished.

runs/NAME/
recipe.toml     everything, resolved; enough to run it again
data/           vocabulary and token stores
journal.jsonl   one line per event
checkpoints/    where continuing starts
model/          the bundle, once training has ended
evaluation.json every score of the model, with intervals and by length, for each held-out split
result.json     how it ended and what it reached; written last, so that its presence means finished
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from saccade.errors import ConfigError, FormatError, SaccadeError
from saccade.evaluation.report import EvaluationReport
from saccade.folders import write_whole
from saccade.recipes.recipe import Recipe, load_recipe
from saccade.recipes.toml import write_recipe

_RAISABLE = ("training.steps", "training.minutes", "training.patience")
"""What ends a run may move further away; everything before it stays as it was."""
_FREE = ("training.accumulate", "training.placement", "training.recompute")
"""How the work is divided, which may change with the number of processes and with their memory."""
_LISTED = 6
"""How many differences between two recipes are worth reading in one line."""


@dataclass(frozen=True)
class RunResult:
    """How a run stands. `scores` holds the value of each metric by split, as {"test": {"bleu": 38.4}}.

    An interrupted run goes on with the same command; one that was finished before was left as it is.
    """

    folder: Path
    steps: int
    ending: str
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    finished_before: bool = False

    @property
    def interrupted(self) -> bool:
        """Whether the same command would go on from here."""
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


def settle(recipe: Recipe, folder: Path) -> None:
    """Makes the recipe that of the folder; a folder that began to train with another one refuses, and names how."""
    path = folder / "recipe.toml"
    if path.is_file() and began(folder):
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
                f"the run in `{folder}` must go on with the recipe it began with, but these differ: {listed}. "
                "Choose another --out, or leave them as they were."
            )
        if not changes:
            return
    write_recipe(recipe, path)


def began(folder: Path) -> bool:
    """Whether a step was ever taken here; until then the folder holds nothing that belongs to one recipe alone."""
    return (folder / "journal.jsonl").is_file()


@contextmanager
def withdrawn_if_refused(folder: Path) -> Iterator[None]:
    """Takes the recipe back out of the folder when it turns out, before the first step, that it cannot be run."""
    try:
        yield
    except SaccadeError:
        if not began(folder):
            (folder / "recipe.toml").unlink(missing_ok=True)
        raise


def finished(recipe: Recipe, folder: Path) -> RunResult | None:
    """The result of a run that needs nothing more, or None."""
    path = folder / "result.json"
    if not path.is_file() or not (folder / "model" / "config.json").is_file():
        return None
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        if result["limits"] != _limits(recipe):
            return None
        return RunResult(folder, result["steps"], result["ending"], result["scores"], finished_before=True)
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"`{path}` must be what saccade wrote, but is damaged. Remove it and continue.") from error


def write_result(recipe: Recipe, result: RunResult) -> None:
    """Marks the run as finished."""
    content = {"steps": result.steps, "ending": result.ending, "scores": result.scores, "limits": _limits(recipe)}
    write_whole(result.folder / "result.json", json.dumps(content, indent=2, ensure_ascii=False))


def write_evaluation(folder: Path, reports: Mapping[str, EvaluationReport]) -> None:
    """Keeps everything that the final evaluation found."""
    content = {split: report.to_data() for split, report in reports.items()}
    write_whole(folder / "evaluation.json", json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))


def _limits(recipe: Recipe) -> dict[str, Any]:
    keys = recipe.keys()
    return {key: keys[key] for key in _RAISABLE}


def _may_change(key: str, old: Any, new: Any, recipe: Recipe) -> bool:
    """How the work is divided; and what ends a run, only upwards, unless the learning rate depends on the last step."""
    if key in _FREE:
        return True
    if key not in _RAISABLE or recipe.training.schedule == "linear":
        return False
    return new is None or (old is not None and new > old)


def _shown(value: object) -> str:
    return "none" if value is None else str(value)
