"""The results of a comparison as plain values: report.json, from which figures and page are drawn.

It holds everything that the page shows, and more. `format` changes when a key changes its meaning or is removed.
"""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from saccade import __version__
from saccade.comparison.complexity import Growth
from saccade.comparison.finished_run import FinishedRun, ValidationPoint
from saccade.comparison.measured_system import MeasuredSystem, SeedValues
from saccade.comparison.settings import differences, own_settings
from saccade.folders import atomic_write
from saccade.json_files import read_json, read_sealed_json, sealed

FORMAT = 1


@dataclass(frozen=True)
class ReportHeader:
    """How a comparison was made."""

    title: str
    command: str
    date: str
    machine: str
    rules: tuple[str, ...]
    equal: bool = True
    """Whether all had the same data, size and budget."""
    shared: bool = False
    """Whether several runs trained at once, and so shared the machine."""
    failures: Mapping[str, str] = field(default_factory=dict)
    sweep: Mapping[str, Any] | None = None
    """What was tried before, as `Sweep.to_json` says it."""


def report_data(
    systems: Sequence[MeasuredSystem], shown: Sequence[tuple[str, str]], about: ReportHeader
) -> dict[str, Any]:
    """The whole comparison; systems in the order of their papers."""
    ordered = sorted(systems, key=lambda one: one.citation.year)
    first = ordered[0].runs[0]
    return {
        "format": FORMAT,
        "title": about.title,
        "command": about.command,
        "date": about.date,
        "machine": about.machine,
        "rules": list(about.rules),
        "equal_terms": about.equal,
        "speed_is_shared": about.shared,
        "failures": dict(about.failures),
        "versions": {"saccade": __version__, "torch": torch.__version__, "python": platform.python_version()},
        "metric": {
            "name": first.metric,
            "label": first.metric_label,
            "higher_is_better": first.higher_is_better,
            "signature": first.signature,
            "split": first.split,
        },
        "length_unit": first.length_unit,
        "sentences": [{"source": source, "reference": reference} for source, reference in shown],
        "sweep": about.sweep,
        "differences": differences([(one.label, one.runs[0].recipe) for one in ordered]),
        "systems": [_system(one) for one in ordered],
    }


def write_report(data: Mapping[str, Any], path: Path) -> None:
    """Writes the JSON; numbers that are not finite are an error."""
    atomic_write(path, json.dumps(sealed(data), indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def read_report(path: Path) -> Mapping[str, Any]:
    """Reads what `write_report` wrote."""
    advice = "Compare once more."
    content = read_json(path, FORMAT, advice)
    return read_sealed_json(path, FORMAT, advice=advice) if "seal" in content else content  # earlier ones have none


def _system(system: MeasuredSystem) -> dict[str, Any]:
    return {
        "label": system.label,
        "architecture": system.architecture.name,
        "idea": system.architecture.summary,
        "year": system.citation.year,
        "paper": str(system.citation),
        "parameters": system.runs[0].parameters,
        "settings": {key: value for key, value in system.runs[0].recipe.keys().items() if key.startswith("model.")},
        "own_settings": own_settings(system.runs[0].recipe),
        "score": spread(system.score),
        "interval": None if system.interval is None else {"low": system.interval[0], "high": system.interval[1]},
        "perplexity": spread(system.perplexity),
        "by_length": [
            {"length": label, "examples": examples, "score": value} for label, examples, value in system.by_length
        ],
        "fall_with_length": system.fall,
        "training_tokens_per_second": spread(system.training_speed),
        "decoding": None if system.decoding is None else asdict(system.decoding),
        "operations_per_token": None if system.operations is None else asdict(system.operations),
        "structure": {
            name: _growth(getattr(system.complexity, name))
            for name in ("sequential_steps", "source_path", "target_path")
        },
        "alignment_error_rate": spread(system.alignment_error),
        "alignment_errors": [asdict(one.own) for one in system.system_alignments],
        "alignment_readings": [asdict(one) for one in system.system_alignments],
        "alignments": [
            {
                "source_words": list(one.source_words),
                "target_words": list(one.target_words),
                "weights": [[round(weight, 4) for weight in row] for row in one.weights.tolist()],
            }
            for one in system.alignments
        ],
        "translations": list(system.translations),
        "reported": [asdict(one) for one in system.reported],
        "elsewhere": [asdict(one) for one in system.elsewhere],
        "runs": [_run(one, system) for one in system.runs],
    }


def _run(record: FinishedRun, system: MeasuredSystem) -> dict[str, Any]:
    each = None if system.operations is None else system.operations.training
    return {
        "folder": Path(record.folder).name,
        "seed": record.seed,
        "score": record.score,
        "low": record.low,
        "high": record.high,
        "perplexity": record.perplexity,
        "validation_perplexity": record.validation_perplexity,
        "steps": record.steps,
        "ending": record.ending,
        "seconds": record.seconds,
        "tokens": record.tokens,
        "tokens_per_second": record.tokens_per_second,
        "layout": record.layout,
        "captured": record.captured,
        "floor_tokens_per_second": record.floor_tokens_per_second,
        "device": record.device,
        "bfloat16": record.bfloat16,
        "curve": [_point(point, each) for point in record.curve],
        "training_curve": [asdict(point) for point in record.training_curve],
    }


def _point(point: ValidationPoint, operations: float | None) -> dict[str, Any]:
    return {**asdict(point), "operations": None if operations is None else point.tokens * operations}


def spread(values: SeedValues | None) -> dict[str, Any] | None:
    """Mean, standard deviation and every value; None for nothing measured."""
    if values is None:
        return None
    return {"mean": values.mean, "deviation": values.deviation, "values": list(values.values)}


def _growth(growth: Growth) -> dict[str, Any]:
    return {
        "lengths": list(growth.lengths),
        "counts": list(growth.counts),
        "slope": growth.slope,
        "constant": growth.constant,
        "words": growth.words,
    }
