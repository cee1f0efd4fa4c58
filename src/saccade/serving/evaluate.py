"""A model, or outputs somebody has, against references."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from saccade.data.parallel_text import as_label
from saccade.data.tasks import Task, find_task
from saccade.data.trees import read_tree
from saccade.errors import ConfigError
from saccade.evaluation.evaluate import evaluate, evaluate_text
from saccade.evaluation.perplexity import Likelihood
from saccade.evaluation.report import EvaluationReport
from saccade.serving.translation import Scored, Translation, Watch
from saccade.serving.translation_options import TranslationOptions
from saccade.serving.translator import Translator


@dataclass(frozen=True)
class Evaluated:
    """What a model wrote, line by line, how good that is, and the numbers of the lines that were truncated.

    The translations are those of the distinct sources, in the order in which these come first.
    """

    outputs: tuple[str, ...]
    report: EvaluationReport
    truncated: tuple[int, ...] = ()
    translations: tuple[Translation, ...] = ()


def evaluate_model(
    translator: Translator, pairs: Sequence[tuple[str, str]], options: TranslationOptions, watch: Watch = iter
) -> Evaluated:
    """Translates every source and scores the outputs; the perplexity is that of the references.

    A source that stands on several lines, each with another reference, is translated once. Whoever wants to see how
    far it is may `watch` the translations as they pass. Where there are no sources, nothing is written, and the text
    itself is what is scored.
    """
    task = find_task(translator.task)
    if not task.has_sources:
        return _evaluate_text(translator, task, [line for _, line in pairs], options.truncate)
    sources, references = [source for source, _ in pairs], [reference for _, reference in pairs]
    distinct = list(dict.fromkeys(sources))
    translations = tuple(watch(translator.stream(distinct, options)))
    written = dict(zip(distinct, (translation.text for translation in translations), strict=True))
    outputs = [written[source] for source in sources]
    scored = list(translator.stream_scores(pairs, truncate=options.truncate))
    report = evaluate(
        task,
        sources,
        outputs,
        references,
        source_language=translator.bundle.source_language,
        target_language=translator.bundle.target_language,
        likelihood=Likelihood.of(scores.token_log_probabilities for scores in scored),
    )
    return Evaluated(tuple(outputs), report, _truncated(scored), translations)


def _evaluate_text(translator: Translator, task: Task, lines: Sequence[str], truncate: bool) -> Evaluated:
    scored = list(translator.stream_scores((("", line) for line in lines), truncate=truncate))
    likelihoods = [Likelihood(-one.log_probability, one.tokens) for one in scored]
    report = evaluate_text(task, lines, likelihoods, language=translator.bundle.target_language)
    return Evaluated((), report, _truncated(scored))


def _truncated(scored: Sequence[Scored]) -> tuple[int, ...]:
    return tuple(number for number, one in enumerate(scored, start=1) if one.truncated)


def evaluate_outputs(
    task: Task,
    sources: Sequence[str] | None,
    outputs: Sequence[str],
    references: Sequence[str],
    target_language: str | None = None,
) -> EvaluationReport:
    """Scores outputs that are there already; without their sources there is no table by source length."""
    if not task.has_sources:
        raise ConfigError(f"`--hypothesis` must be left out for {task.name}, which writes nothing. Name a model.")
    if task.content == "labelled":
        outputs, references = list(map(as_label, outputs)), list(map(as_label, references))
    elif task.content == "trees" and sources is None:
        lines = enumerate(references, start=1)
        sources = [read_tree(line, None, f"reference:{number}")[0] if line.strip() else "" for number, line in lines]
    elif sources is None and not task.joint:
        raise ConfigError(f"`--source` must be given to evaluate {task.name}: lines of one source belong together.")
    report = evaluate(
        task, references if sources is None else sources, outputs, references, target_language=target_language
    )
    return report if sources is not None else replace(report, buckets=())
