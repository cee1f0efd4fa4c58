"""Scores a set of outputs by every metric of a task."""

import platform
from collections.abc import Sequence

import sacrebleu

from saccade import __version__
from saccade.data.tasks import Task
from saccade.evaluation.bleu import is_spaceless
from saccade.evaluation.bootstrap import RESAMPLES
from saccade.evaluation.confusion_matrix import ConfusionMatrix
from saccade.evaluation.length_buckets import Bucket, length_buckets, length_in_characters, length_in_words
from saccade.evaluation.metric_score import MetricOptions, MetricScore
from saccade.evaluation.metrics import LIKELIHOOD_METRICS, Metric, find_metric
from saccade.evaluation.perplexity import Likelihood
from saccade.evaluation.report import BucketScores, EvaluationReport

# Reported in addition wherever a task has the metric on the left.
_COMPANIONS = {"bleu": ("compound_split_bleu", "exact_match")}


def evaluate(
    task: Task,
    sources: Sequence[str],
    hypotheses: Sequence[str],
    references: Sequence[str],
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    likelihood: Likelihood | None = None,
    resamples: int = RESAMPLES,
) -> EvaluationReport:
    """Scores aligned lines of plain text by every metric of the task, with intervals and by source length."""
    metrics = _metrics(task, target_language)
    scores = tuple(
        metric.score(sources, hypotheses, references, MetricOptions(target_language, resamples)) for metric in metrics
    )
    by_characters = task.source_pieces == "character" or is_spaceless(source_language)
    task_metrics = [find_metric(name) for name in task.metrics]
    return EvaluationReport(
        task=task.name,
        main_metric=task.main_metric,
        lines=len(sources),
        scores=scores,
        length_unit="characters" if by_characters else "words",
        buckets=tuple(
            _bucket_scores(bucket, task_metrics, sources, hypotheses, references, MetricOptions(target_language))
            for bucket in length_buckets(sources, length_in_characters if by_characters else length_in_words)
        ),
        versions=_versions(),
        likelihood=likelihood,
        confusion=ConfusionMatrix.of(hypotheses, references) if task.content == "labelled" else None,
        target_language=target_language,
    )


def evaluate_text(
    task: Task,
    lines: Sequence[str],
    likelihoods: Sequence[Likelihood],
    *,
    language: str | None = None,
    resamples: int = RESAMPLES,
) -> EvaluationReport:
    """Scores a language model by its likelihood of each line, with intervals and by line length."""
    metrics = [LIKELIHOOD_METRICS[name] for name in task.metrics]
    by_characters = is_spaceless(language)
    scores = tuple(metric.score(lines, likelihoods, MetricOptions(language, resamples)) for metric in metrics)
    buckets = []
    for bucket in length_buckets(lines, length_in_characters if by_characters else length_in_words):
        inside = [lines[line] for line in bucket.lines], [likelihoods[line] for line in bucket.lines]
        values = {metric.name: metric.score(*inside, MetricOptions(language)).value for metric in metrics}
        buckets.append(BucketScores(bucket.label, len(bucket.lines), values))
    return EvaluationReport(
        task=task.name,
        main_metric=task.main_metric,
        lines=len(lines),
        scores=scores,
        length_unit="characters" if by_characters else "words",
        buckets=tuple(buckets),
        versions=_versions(),
    )


def main_score(
    task: Task,
    sources: Sequence[str],
    hypotheses: Sequence[str],
    references: Sequence[str],
    *,
    target_language: str | None = None,
) -> MetricScore:
    """The task's main metric alone and without an interval, as validation during training needs it."""
    return find_metric(task.main_metric).score(sources, hypotheses, references, MetricOptions(target_language))


def _versions() -> dict[str, str]:
    return {"saccade": __version__, "sacrebleu": sacrebleu.__version__, "python": platform.python_version()}


def _metrics(task: Task, target_language: str | None) -> list[Metric]:
    names = list(task.metrics)
    for name in task.metrics:
        names += [companion for companion in _COMPANIONS.get(name, ()) if companion not in names]
    if is_spaceless(target_language):
        names = [name for name in names if name != "compound_split_bleu"]  # it is defined on words separated by spaces
    return [find_metric(name) for name in names]


def _bucket_scores(
    bucket: Bucket,
    metrics: Sequence[Metric],
    sources: Sequence[str],
    hypotheses: Sequence[str],
    references: Sequence[str],
    options: MetricOptions,
) -> BucketScores:
    inside = [[side[line] for line in bucket.lines] for side in (sources, hypotheses, references)]
    scores = [metric.score(inside[0], inside[1], inside[2], options) for metric in metrics]
    return BucketScores(bucket.label, scores[0].examples, {score.metric: score.value for score in scores})
