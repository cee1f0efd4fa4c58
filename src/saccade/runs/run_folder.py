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
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from saccade.evaluation.report import EvaluationReport
from saccade.folders import atomic_write, damaged, read_json
from saccade.recipes.recipe import Recipe

_DECISIVE = ("training.steps", "training.minutes", "training.patience", "training.average")
"""What a run may change and its result depends on; with other values of these, the run is not finished."""
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
            shown = {metric: value for metric, value in scores.items() if metric != "compound_split_bleu"}
            lines.append(f"{split}: " + ", ".join(f"{metric} {value:.2f}" for metric, value in shown.items()))
        return "\n".join(lines)


def has_started(folder: Path) -> bool:
    """Whether training has started here; until then the folder may be given another recipe."""
    return (folder / "journal.jsonl").is_file()


def finished(recipe: Recipe, folder: Path) -> RunResult | None:
    """The result of a run that needs nothing more, or None."""
    path = folder / "result.json"
    if not path.is_file() or not (folder / "model" / "config.json").is_file():
        return None
    result = read_json(path, advice=_REMOVE)
    try:
        asked = _limits(recipe)
        if any(asked[key] != value for key, value in result["limits"].items()):
            return None
        return RunResult(folder, result["steps"], result["ending"], result["scores"], finished_before=True)
    except (KeyError, TypeError, AttributeError) as error:
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
    return {key: keys[key] for key in _DECISIVE}
