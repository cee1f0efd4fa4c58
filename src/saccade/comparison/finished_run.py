"""The results of a finished run, read from its folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, model_validator

from saccade.data.config import files_for_testing
from saccade.errors import FormatError, InputError
from saccade.json_files import StrictContent, checked
from saccade.recipes.recipe import Recipe, load_recipe
from saccade.runs.final_model import held_out_pairs
from saccade.runs.run_folder import read_evaluation, read_result, write_evaluation
from saccade.serving.evaluate import evaluate_model
from saccade.serving.loading import load
from saccade.serving.translation_options import TranslationOptions
from saccade.training.journal import read_journal

_SETTLED = 0.25
"""The share of a run left out of its speed: at first kernels are chosen and memory is allocated."""
_DENSITY = 1.06
"""How much further on the next point of a training curve is."""


@dataclass(frozen=True)
class ValidationPoint:
    """One validation: its step and time, and its results."""

    step: int
    seconds: float
    tokens: int
    perplexity: float | None
    score: float | None


@dataclass(frozen=True)
class TrainingPoint:
    """The loss of the steps up to one line of the journal: nats a target token, without label smoothing."""

    step: int
    seconds: float
    tokens: int
    loss: float


@dataclass(frozen=True)
class BucketScore:
    """The main metric on sources of one range of lengths."""

    label: str
    examples: int
    value: float


@dataclass(frozen=True)
class FinishedRun:
    """One finished run. `score` is the task's main metric on the test split, or on validation where there is no test.

    `low` and `high` are where it would lie on 95 of 100 test sets like this one.
    """

    folder: str
    recipe: Recipe
    seed: int
    parameters: int
    steps: int
    ending: str
    seconds: float
    tokens: int
    tokens_per_second: float
    layout: str
    captured: bool
    """Whether its steps were replayed from CUDA graphs."""
    floor_tokens_per_second: float | None
    """What its matrix products alone would have allowed."""
    device: str
    bfloat16: bool
    split: str
    metric: str
    metric_label: str
    higher_is_better: bool
    signature: str
    score: float
    low: float | None
    high: float | None
    perplexity: float | None
    validation_perplexity: float | None
    length_unit: str
    buckets: tuple[BucketScore, ...]
    curve: tuple[ValidationPoint, ...]
    training_curve: tuple[TrainingPoint, ...]


class _Held(StrictContent):
    """Part of a file of which more is written than is read here."""

    model_config = ConfigDict(extra="ignore")


class _Start(_Held):
    parameters: int
    layout: str
    recorded: bool = False
    floor_tokens_per_second: float | None = None
    device: str
    bfloat16: bool


class _Stop(_Held):
    seconds: float


class _Train(_Held):
    tokens: int
    tokens_per_second: float | None
    nll: float | None = None
    seconds: float = 0.0


class _Validation(_Held):
    seconds: float
    perplexity: float | None = None


class _Interval(_Held):
    low: float
    high: float


class _Score(_Held):
    metric: str
    label: str
    value: float
    higher_is_better: bool
    signature: str
    interval: _Interval | None


class _Bucket(_Held):
    label: str
    examples: int
    values: dict[str, float]


class _Likelihood(_Held):
    perplexity: float | None


class _Report(_Held):
    main_metric: str
    scores: list[_Score]
    likelihood: _Likelihood | None
    length_unit: str
    buckets: list[_Bucket]

    @model_validator(mode="after")
    def _has_its_main_metric(self) -> "_Report":
        places = [[score.metric for score in self.scores], *(list(bucket.values) for bucket in self.buckets)]
        if not all(self.main_metric in metrics for metrics in places):
            raise ValueError(f"it must hold the metric {self.main_metric!r} everywhere, but does not")
        return self

    @property
    def main(self) -> _Score:
        return next(score for score in self.scores if score.metric == self.main_metric)

    @property
    def perplexity(self) -> float | None:
        return None if self.likelihood is None else self.likelihood.perplexity


def read_finished_run(folder: Path, device: str | None = None) -> FinishedRun:
    """Reads a finished run; one without evaluation.json is evaluated first."""
    if not (folder / "result.json").is_file():
        raise InputError(
            f"`{folder}` must be a finished run, but has no result.json. Finish it: saccade train --out {folder}."
        )
    recipe = load_recipe(folder / "recipe.toml")
    result = read_result(folder)
    events = read_journal(folder / "journal.jsonl")
    start, stop = _ends(events, folder / "journal.jsonl")
    evaluation = _evaluation(folder, recipe, device)
    split = "test" if "test" in evaluation else next(iter(evaluation))
    report = evaluation[split]
    main = report.main
    return FinishedRun(
        folder=str(folder),
        recipe=replace(recipe, training=replace(recipe.training, seed=1)),
        seed=recipe.training.seed,
        parameters=start.parameters,
        steps=result.steps,
        ending=result.ending,
        seconds=stop.seconds,
        tokens=sum(event["tokens"] for event in events if event["event"] == "train"),
        tokens_per_second=_speed(events),
        layout=start.layout,
        captured=start.recorded,
        floor_tokens_per_second=start.floor_tokens_per_second,
        device=start.device,
        bfloat16=start.bfloat16,
        split=split,
        metric=main.metric,
        metric_label=main.label,
        higher_is_better=main.higher_is_better,
        signature=main.signature,
        score=main.value,
        low=None if main.interval is None else main.interval.low,
        high=None if main.interval is None else main.interval.high,
        perplexity=report.perplexity,
        validation_perplexity=evaluation["valid"].perplexity if "valid" in evaluation else None,
        length_unit=report.length_unit,
        buckets=tuple(BucketScore(one.label, one.examples, one.values[main.metric]) for one in report.buckets),
        curve=_curve(events, main.metric),
        training_curve=_training_curve(events),
    )


def _evaluation(folder: Path, recipe: Recipe, device: str | None) -> Mapping[str, _Report]:
    path = folder / "evaluation.json"
    if not path.is_file():
        translator = load(folder, device=device, engine="torch")
        files = files_for_testing(recipe.data)
        if not files:
            raise InputError(
                f"`{folder}` must have a test split to be compared, but its recipe names none. Train with "
                "--test-source and --test-target."
            )
        options = TranslationOptions(truncate=True, first_window=1024)
        reports = {
            split: evaluate_model(translator, held_out_pairs(pair), options).report for split, pair in files.items()
        }
        write_evaluation(folder, reports)
    return {split: checked(_Report, report, path) for split, report in read_evaluation(folder).items()}


def _ends(events: Sequence[Mapping[str, Any]], path: Path) -> tuple[_Start, _Stop]:
    """The first and the last line of a run; the lines between them must have what is read of them."""
    kinds: dict[str, type[_Held]] = {"train": _Train, "validation": _Validation}
    for event in events:
        if event["event"] in kinds:
            checked(kinds[event["event"]], event, path)
    starts = [event for event in events if event["event"] in ("start", "resume")]
    stops = [event for event in events if event["event"] == "stop"]
    if not (starts and stops):
        raise FormatError(f"`{path}` must tell of a run from start to stop, but does not. Train once more.")
    return checked(_Start, starts[0], path), checked(_Stop, stops[-1], path)


def _speed(events: Sequence[Mapping[str, Any]]) -> float:
    """Target tokens a second while training, validations left out: all of them over all of their time."""
    lines = [event for event in events if event["event"] == "train"]
    lines = lines[int(len(lines) * _SETTLED) :]
    tokens = sum(line["tokens"] for line in lines)
    seconds = sum(line["tokens"] / line["tokens_per_second"] for line in lines if line["tokens_per_second"])
    return tokens / seconds if seconds else 0.0


def _curve(events: Sequence[Mapping[str, Any]], metric: str) -> tuple[ValidationPoint, ...]:
    points, tokens, steps, last = [], 0, 0, 0.0
    for event in events:
        if event["event"] == "train":
            tokens += event["tokens"]
            last = event["tokens"] / max(event["step"] - steps, 1)
            steps = event["step"]
        if event["event"] == "validation":
            seen = tokens + round(last * (event["step"] - steps))  # since the last line of the journal
            points.append(
                ValidationPoint(event["step"], event["seconds"], seen, event.get("perplexity"), event.get(metric))
            )
    return tuple(points)


def _training_curve(events: Sequence[Mapping[str, Any]]) -> tuple[TrainingPoint, ...]:
    """Of every line at first, then of fewer and fewer: steps are read on a logarithmic scale."""
    points, tokens, due = [], 0, 0.0
    for event in events:
        if event["event"] == "train":
            tokens += event["tokens"]
            if event.get("nll") is not None and event["step"] >= due:
                points.append(TrainingPoint(event["step"], event["seconds"], tokens, event["nll"]))
                due = event["step"] * _DENSITY
    return tuple(points)
