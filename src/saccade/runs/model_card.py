"""The model card: data, scores, intended use and limits of a model, written by the run that trained it.

Nothing in it is typed by hand, so nothing in it can be out of date: scores come with their signatures, the corpus with
its licence and attribution, and the whole recipe stands at the end.
"""

import platform
from collections.abc import Mapping
from dataclasses import dataclass

import torch

from saccade import __version__
from saccade.data.corpus_sources import Corpus
from saccade.data.parallel_text import Content
from saccade.data.tasks import find_task
from saccade.evaluation.report import EvaluationReport
from saccade.recipes.recipe import Recipe
from saccade.recipes.toml import recipe_text


@dataclass(frozen=True)
class TrainingFacts:
    """How the weights were made."""

    parameters: int
    bytes: int
    steps: int
    minutes: float
    ended_by: str
    averaged: int
    device: str
    command: str


def card_text(
    recipe: Recipe, corpus: Corpus | None, pairs: int, facts: TrainingFacts, reports: Mapping[str, EvaluationReport]
) -> str:
    """The card as Markdown; `reports` holds the final scores by split."""
    return "\n\n".join(
        [
            f"# {_title(recipe)}",
            _summary(recipe, facts),
            "## Scores\n\n" + "\n\n".join(_scores(split, report) for split, report in reports.items()),
            "## Data\n\n" + _data(recipe, corpus, pairs),
            "## Intended use and limits\n\n" + _limits(recipe),
            "## How it was made\n\n" + _making(facts),
            *([f"## Departures from the paper\n\n{_departures(recipe)}"] if recipe.departures else []),
            f"## Recipe\n\n```toml\n{recipe_text(recipe)}```\n",
        ]
    )


def _title(recipe: Recipe) -> str:
    languages = [language for language in (recipe.data.source_language, recipe.data.target_language) if language]
    return f"{recipe.name}: {' to '.join(languages)}" if languages else recipe.name


def _summary(recipe: Recipe, facts: TrainingFacts) -> str:
    task = find_task(recipe.data.task)
    return (
        f"{recipe.summary} A {recipe.architecture} of {facts.parameters:,} parameters for {task.name}: {task.summary}. "
        f"Weights, vocabulary and configuration are all in this folder, in {facts.bytes / 1e6:.1f} MB."
    )


def _scores(split: str, report: EvaluationReport) -> str:
    rows = ["| score | value | 95 % interval | signature |", "|---|---|---|---|"]
    for score in report.scores:
        rows.append(f"| {score.label} | {score.value:.2f} | {score.interval or ''} | `{score.signature}` |")
    if report.likelihood is not None:
        rows.append(f"| perplexity per token | {report.likelihood.perplexity:.2f} | | unsmoothed |")
    return f"On the {split} split, {report.lines:,} lines:\n\n" + "\n".join(rows)


def _data(recipe: Recipe, corpus: Corpus | None, pairs: int) -> str:
    if corpus is None:
        files = ", ".join(f"`{path}`" for path in (recipe.data.source, recipe.data.target) if path)
        return (
            f"{pairs:,} training pairs of {files}. The card cannot know their licence: "
            "whoever passes this model on must check it."
        )
    lines = [
        f"{pairs:,} training pairs of `{corpus.name}`: {corpus.summary}",
        f"- licence: {corpus.licence}",
        f"- attribution: {corpus.attribution}",
        f"- citation: {corpus.citation}",
    ]
    return lines[0] + "\n\n" + "\n".join(line for line in lines[1:] if not line.endswith(": "))


_DANGERS: Mapping[Content, str] = {
    "pairs": "It can leave out, invent or turn around what the source says. Where a mistake would harm somebody, let a "
    "person who knows both sides read the output.",
    "text": "What it writes sounds like its text, and need not be true.",
    "labelled": "It gives one of its labels to every text, also where none of them fits.",
}


def _limits(recipe: Recipe) -> str:
    return (
        f"It reads sequences of at most {recipe.model.maximum_length} tokens, and has learned from those of at most "
        f"{recipe.data.maximum_length}. It knows one kind of text, that of its training data; on other text it is "
        f"worse than the scores above, and it does not say so. {_DANGERS[recipe.data.does.content]}"
    )


def _making(facts: TrainingFacts) -> str:
    mean = f"the mean of the last {facts.averaged} checkpoints" if facts.averaged > 1 else "the last checkpoint"
    return "\n".join(
        [
            f"- command: `{facts.command}`",
            f"- {facts.steps:,} steps in {facts.minutes:.1f} minutes of training on {facts.device}, ended by "
            f"`training.{facts.ended_by}`; the weights are {mean}",
            f"- saccade {__version__}, torch {torch.__version__}, Python {platform.python_version()}",
        ]
    )


def _departures(recipe: Recipe) -> str:
    rows = ["| what | the paper | here | why |", "|---|---|---|---|"]
    rows += [f"| {one.what} | {one.paper_says} | {one.we_do} | {one.why} |" for one in recipe.departures]
    return "\n".join(rows)
