"""The result of an evaluation, as text and as JSON."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from saccade.counted import counted
from saccade.data.tasks import find_task
from saccade.evaluation.confusion_matrix import ConfusionMatrix
from saccade.evaluation.metric_score import MetricScore
from saccade.evaluation.perplexity import Likelihood
from saccade.language_codes import language_code


@dataclass(frozen=True)
class BucketScores:
    """One row of the table by source length: the number of examples and the value of each metric on them."""

    label: str
    examples: int
    values: Mapping[str, float]


@dataclass(frozen=True)
class EvaluationReport:
    """Every score of one set of outputs, with what is needed to reproduce it."""

    task: str
    main_metric: str
    lines: int
    scores: tuple[MetricScore, ...]
    length_unit: str
    buckets: tuple[BucketScores, ...]
    versions: Mapping[str, str]
    likelihood: Likelihood | None = None
    confusion: ConfusionMatrix | None = None
    target_language: str | None = None

    @property
    def main(self) -> MetricScore:
        """The score of the task's main metric."""
        return self[self.main_metric]

    @property
    def shown(self) -> tuple[MetricScore, ...]:
        """The scores for people to read: compounds are split for the paper's German alone."""
        german = language_code(self.target_language) == "de"
        return tuple(score for score in self.scores if german or score.metric != "compound_split_bleu")

    def __getitem__(self, metric: str) -> MetricScore:
        """The score of one metric."""
        return next(score for score in self.scores if score.metric == metric)

    def to_data(self) -> dict[str, Any]:
        """The report as dictionaries, lists, strings and numbers."""
        likelihood = None
        if self.likelihood is not None:
            derived = {"per_token": self.likelihood.per_token, "perplexity": self.likelihood.perplexity}
            likelihood = _finite(asdict(self.likelihood) | derived)
        return {
            "task": self.task,
            "main_metric": self.main_metric,
            "lines": self.lines,
            "scores": [_finite(asdict(score)) for score in self.scores],
            "likelihood": likelihood,
            "confusion": None if self.confusion is None else asdict(self.confusion),
            "length_unit": self.length_unit,
            "buckets": [
                {"label": bucket.label, "examples": bucket.examples, "values": _finite(dict(bucket.values))}
                for bucket in self.buckets
            ],
            "versions": dict(self.versions),
        }

    def to_json(self) -> str:
        """The report as one JSON object."""
        return json.dumps(self.to_data(), ensure_ascii=False, indent=2, allow_nan=False)

    def to_text(self) -> str:
        """The report as text: scores, the table by source length, signatures."""
        scores = [["score", "value", "95 % interval", "of"]]
        for score in self.shown:
            scores.append([score.label, f"{score.value:.2f}", str(score.interval or ""), str(score.examples)])
        if self.likelihood is not None:
            scores.append(
                ["perplexity per token", f"{self.likelihood.perplexity:.2f}", "", f"{self.likelihood.tokens} tokens"]
            )
        signatures = [[score.metric, score.signature] for score in self.shown]
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        buckets = [self._bucket_table()] if self.buckets else []
        confusion = [_table(self.confusion.rows())] if self.confusion else []
        return "\n\n".join(
            [_table(scores), *confusion, *buckets, _table(signatures), f"{counted(self.lines, 'line')}; {versions}"]
        )

    def _bucket_table(self) -> str:
        metrics = list(self.buckets[0].values)
        unit_of = "source" if find_task(self.task).has_sources else "line"
        rows = [[f"{unit_of} {self.length_unit}", "of", *metrics]]
        for bucket in self.buckets:
            rows.append([bucket.label, str(bucket.examples), *(f"{bucket.values[metric]:.2f}" for metric in metrics)])
        return _table(rows)


def _finite(value: Any) -> Any:
    """The same with None for infinities and NaN, which JSON does not have: a perplexity may be infinite."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns, with numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column and _is_number(rows[-1][column]) else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _is_number(cell: str) -> bool:
    return cell.replace(".", "", 1).isdigit()
