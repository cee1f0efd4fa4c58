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

from pydantic import NonNegativeInt

from saccade.counted import counted
from saccade.evaluation.report import EvaluationReport
from saccade.folders import atomic_write
from saccade.json_files import StrictContent, checked, damaged, read_json, read_sealed_json, sealed
from saccade.recipes.recipe import Recipe
from saccade.training.progress import Ending

_DECISIVE = ("training.steps", "training.minutes", "training.patience", "training.average")
"""What a run may change and its result depends on; with other values of these, the run is not finished."""
_REMOVE = "Remove it and continue the run."
FORMAT = 1


class ResultFile(StrictContent):
    """result.json."""

    format: int = FORMAT
    steps: NonNegativeInt
    ending: Ending
    scores: dict[str, dict[str, float]]
    limits: dict[str, int | float | None]
    seal: str = ""


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
        lines = [f"finished {'before, ' if self.finished_before else ''}after {counted(self.steps, 'step')}"]
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
    result = read_result(folder)
    asked = _limits(recipe)
    if any(asked.get(key) != value for key, value in result.limits.items()):
        return None
    return RunResult(folder, result.steps, result.ending, result.scores, finished_before=True)


def read_result(folder: Path) -> "ResultFile":
    """How the run ended, as it wrote it; a result without a format is from before results were sealed."""
    path = folder / "result.json"
    content = read_json(path, advice=_REMOVE)
    if "format" in content or "seal" in content:
        content = read_sealed_json(path, FORMAT, advice=_REMOVE)
    return checked(ResultFile, content, path, _REMOVE)


def write_result(recipe: Recipe, result: RunResult) -> None:
    """Marks the run as finished."""
    said = {"steps": result.steps, "ending": result.ending, "scores": result.scores, "limits": _limits(recipe)}
    content = sealed({"format": FORMAT, **said})
    atomic_write(result.folder / "result.json", json.dumps(content, indent=2, ensure_ascii=False))


def read_evaluation(folder: Path) -> dict[str, dict[str, Any]]:
    """The report of each split, as `write_evaluation` wrote it; one without a seal is from before there were any."""
    path, advice = folder / "evaluation.json", "Remove it, and the run is evaluated again."
    content = read_json(path, advice=advice)
    if "seal" in content and content != sealed(content):
        raise damaged(path, advice)
    reports = {split: report for split, report in content.items() if split != "seal"}
    if not reports or not all(isinstance(report, dict) for report in reports.values()):
        raise damaged(path, advice)
    return reports


def write_evaluation(folder: Path, reports: Mapping[str, EvaluationReport]) -> None:
    """Writes everything that the final evaluation found."""
    content = sealed({split: report.to_data() for split, report in reports.items()})
    atomic_write(folder / "evaluation.json", json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))


def _limits(recipe: Recipe) -> dict[str, Any]:
    keys = recipe.keys()
    return {key: keys[key] for key in _DECISIVE}
