"""A recipe for fine-tuning chosen from the corpus and the machine: `automatic.py`, where the model is there already.

steps     so many that the corpus, with what is mixed in, is read a third as often as by a new model, between bounds
batch     as in the automatic recipe
rate      that of `fine_tuning.py`
cadence   twenty validations, forty checkpoints; training stops after six validations without improvement
"""

from collections.abc import Mapping, Sequence
from typing import Any

from saccade.data.config import DataConfig
from saccade.recipes.automatic import (
    SIZES,
    TOKENS_PER_WORD,
    Choice,
    CorpusStatistics,
    Machine,
    batch_tokens_for,
    measure,
    rounded,
)
from saccade.recipes.documents import overridden
from saccade.recipes.recipe import Recipe, build_recipe

PART = 1 / 3
"""Of the epochs of a new model."""
FEWEST, MOST = 200, 20_000
"""Steps."""


def begins_from_a_model(overrides: Sequence[str]) -> bool:
    """Whether a model to begin from is among what was set."""
    return any(override.partition("=")[0].strip() == "fine_tuning.model" for override in overrides)


def choose_fine_tuning(data: DataConfig, machine: Machine, overrides: Sequence[str]) -> Choice:
    """The recipe for these files, and why it is that one; reads the files once."""
    document: Mapping[str, Any] = {
        "name": "fine-tuned",
        "summary": "Begun from another model, by a recipe that saccade chose from the corpus and the machine.",
        "data": data.given(),
    }
    asked = build_recipe(document, overrides)  # what cannot be is refused before any text is read
    corpus = measure(asked.data)
    training, reasons = _training(asked, corpus, machine, overridden({}, overrides).get("training", {}))
    recipe = build_recipe({**document, "training": training}, overrides)
    return Choice(recipe, (*_beginning(recipe, corpus), *reasons))


def _training(
    asked: Recipe, corpus: CorpusStatistics, machine: Machine, given: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    text = asked.data.kinds[0] in ("bpe", "unigram")
    tokens = corpus.pairs * (corpus.symbols * (TOKENS_PER_WORD if text else 1.0) + 1)
    rule = batch_tokens_for(tokens, asked.data.maximum_length, machine)
    batch_tokens = asked.training.batch_tokens if "batch_tokens" in given else rule
    epochs = PART * next(size.epochs for size in SIZES if corpus.pairs <= size.pairs)
    rule = rounded(min(max(epochs * tokens / batch_tokens, FEWEST), MOST))
    steps = asked.training.steps if "steps" in given else rule
    training = {
        "steps": steps,
        "batch_tokens": batch_tokens,
        "patience": 6,
        "journal_every": max(min(50, steps // 40), 1),
    }
    times = steps * batch_tokens / max(tokens, 1)
    reason = (
        f"{batch_tokens:,} tokens a batch; {steps:,} steps read the corpus about "
        f"{round(times, 1 if times < 10 else None):,} times."
    )
    return training, [reason]


def _beginning(recipe: Recipe, corpus: CorpusStatistics) -> list[str]:
    """Where it begins, and how fast it goes."""
    tuning, training = recipe.fine_tuning, recipe.training
    assert tuning is not None
    trained = (
        "all weights are trained" if tuning.adapters is None else f"adapters of rank {tuning.adapters} are trained"
    )
    rate = "the paper's" if training.learning_rate is None else f"{training.learning_rate:.2g}"
    return [
        f"{corpus.pairs:,} {recipe.data.does.examples} of about {corpus.symbols:.0f} words.",
        f"Begins from `{tuning.model}`: its shape and vocabulary stay, {trained}.",
        f"The learning rate rises until step {training.warmup:,}, to {rate}, then falls to zero.",
    ]
