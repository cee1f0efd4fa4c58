"""The model card: data, scores, intended use and limits of a model, written by the run that trained it.

Nothing in it is typed by hand, so nothing in it can be out of date: scores come with their signatures, the corpus with
its licence and attribution, and the whole recipe stands at the end.
"""

import platform
from collections.abc import Mapping
from dataclasses import dataclass

import torch

from saccade import __version__
from saccade.counted import counted
from saccade.data.corpus_sources import Corpus
from saccade.data.parallel_text import Content
from saccade.evaluation.report import EvaluationReport
from saccade.quality.calibration import Calibration
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
    recipe: Recipe,
    corpus: Corpus | None,
    pairs: int,
    facts: TrainingFacts,
    reports: Mapping[str, EvaluationReport],
    calibration: Calibration | None = None,
) -> str:
    """The card as Markdown; `reports` holds the final scores by split."""
    return "\n\n".join(
        [
            f"# {_title(recipe)}",
            _summary(recipe, corpus, facts),
            "## Scores\n\n" + "\n\n".join(_scores(split, report) for split, report in reports.items()),
            *([] if calibration is None else [calibration.to_markdown()]),
            "## Data\n\n" + _data(recipe, corpus, pairs),
            "## Intended use and limits\n\n" + _limits(recipe),
            "## How it was made\n\n" + _making(recipe, facts),
            *([f"## Departures from the paper\n\n{_departures(recipe)}"] if recipe.departures else []),
            f"## Recipe\n\n```toml\n{recipe_text(recipe)}```\n",
        ]
    )


def _title(recipe: Recipe) -> str:
    languages = [language for language in (recipe.data.source_language, recipe.data.target_language) if language]
    return f"{recipe.name}: {' to '.join(languages)}" if languages else recipe.name


def _summary(recipe: Recipe, corpus: Corpus | None, facts: TrainingFacts) -> str:
    return (
        f"{recipe.summary} A {recipe.architecture} of {facts.parameters:,} parameters for {_task(recipe, corpus)}. "
        f"Weights, vocabulary and configuration are all in this folder, in {facts.bytes / 1e6:.1f} MB."
    )


def _task(recipe: Recipe, corpus: Corpus | None) -> str:
    """What it does, in one phrase; what learns like a translator need not translate languages."""
    task = recipe.data.does
    if task.name != "translation":
        return f"{task.name}: {task.summary}"
    if recipe.data.source_language and recipe.data.target_language:
        return f"translation from {recipe.data.source_language} to {recipe.data.target_language}"
    return f"sequence transduction: {corpus.summary if corpus else 'lines of one file to lines of another'}"


def _scores(split: str, report: EvaluationReport) -> str:
    rows = ["| score | value | 95 % interval | signature |", "|---|---|---|---|"]
    for score in report.shown:
        rows.append(f"| {score.label} | {score.value:.2f} | {score.interval or ''} | `{score.signature}` |")
    if report.likelihood is not None:
        rows.append(f"| perplexity per token | {report.likelihood.perplexity:.2f} | | unsmoothed |")
    return f"On the {split} split, {counted(report.lines, 'line')}:\n\n" + "\n".join(rows)


def _data(recipe: Recipe, corpus: Corpus | None, pairs: int) -> str:
    if corpus is None:
        files = ", ".join(f"`{path}`" for path in (recipe.data.source, recipe.data.target) if path)
        return (
            f"{pairs:,} {recipe.data.does.examples} for training, from {files}. The card cannot know their licence: "
            "whoever passes this model on must check it." + _other_text(recipe)
        )
    lines = [
        f"{pairs:,} {recipe.data.does.examples} for training, from `{corpus.name}`: {corpus.summary}",
        f"- licence: {corpus.licence}",
        f"- attribution: {corpus.attribution}",
        f"- citation: {corpus.citation}",
    ]
    known = lines[0] + "\n\n" + "\n".join(line for line in lines[1:] if not line.endswith(": "))
    return known + _other_text(recipe)


def _other_text(recipe: Recipe) -> str:
    """What it has learned from besides."""
    said = ""
    if recipe.data.corpus is not None and recipe.data.target is not None:
        said += f"\n\nThe targets it learned from are not the corpus's own, but those of `{recipe.data.target}`."
    mixed = ", ".join(f"`{path}`" for path in (*recipe.data.mix_source, *recipe.data.mix_target))
    said += f"\n\nMixed in: {mixed}." if mixed else ""
    if recipe.fine_tuning is not None:
        said += f"\n\nBefore that it was `{recipe.fine_tuning.model}`, whose own data and licences its card names."
    return said


_USES: Mapping[Content, str] = {
    "pairs": "`saccade translate` gives the target of each source.",
    "text": "`saccade translate` continues each text it is given, and `saccade score` tells how probable a text is.",
    "labelled": "`saccade translate` gives the label of each text.",
    "trees": "`saccade translate` gives the tree of each sentence, whose words must be separated by spaces.",
}
_DANGERS: Mapping[Content, str] = {
    "pairs": "It can leave out, invent or turn around what the source says. Where a mistake would harm somebody, let a "
    "person who knows both sides read the output.",
    "text": "What it writes sounds like its text, and need not be true.",
    "labelled": "It gives one of its labels to every text, also where none of them fits.",
    "trees": "Every output is a well-formed tree over the given words, and need not be the right one.",
}


def _limits(recipe: Recipe) -> str:
    content = recipe.data.does.content
    return (
        f"{_USES[content]} It reads sequences of at most {recipe.model.maximum_length} tokens, and has learned from "
        f"those of at most {recipe.data.maximum_length}. It knows one kind of text, that of its training data; on "
        f"other text it is worse than the scores above, and it does not say so. {_DANGERS[content]}"
    )


def _making(recipe: Recipe, facts: TrainingFacts) -> str:
    mean = f"the mean of the last {facts.averaged} checkpoints" if facts.averaged > 1 else "the last checkpoint"
    return "\n".join(
        [
            f"- command: `{facts.command}`",
            *_parent(recipe),
            f"- {counted(facts.steps, 'step')} in {facts.minutes:.1f} minutes of training on {facts.device}, ended by "
            f"`training.{facts.ended_by}`; the weights are {mean}",
            *(f"- changed on the way: {change}" for change in recipe.changes),
            f"- saccade {__version__}, torch {torch.__version__}, Python {platform.python_version()}",
        ]
    )


def _parent(recipe: Recipe) -> list[str]:
    """The model that training began from, by its name and by its digest."""
    tuning = recipe.fine_tuning
    if tuning is None:
        return []
    trained = "all weights" if tuning.adapters is None else f"low-rank adapters of rank {tuning.adapters}, then merged"
    return [f"- fine-tuned from `{tuning.model}`, whose config.json has the seal `{tuning.digest}`; trained: {trained}"]


def _departures(recipe: Recipe) -> str:
    rows = ["| what | the paper | here | why |", "|---|---|---|---|"]
    rows += [f"| {one.what} | {one.paper_says} | {one.we_do} | {one.why} |" for one in recipe.departures]
    return "\n".join(rows)
