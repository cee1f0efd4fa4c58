"""A run that begins from a model: whose vocabulary it reads with, and whose weights it starts from.

Weights that are stored in fewer bits (float16, int8) are begun from as they are used, rounded: the least that a step
can change is then far smaller than what rounding has cost, and training goes on in float32.
"""

from pathlib import Path
from typing import Any

from saccade.errors import ConfigError, InputError
from saccade.layers.adapters import add_adapters
from saccade.models.capabilities import CountingModel
from saccade.models.contract import Transducer
from saccade.recipes.fine_tuning import FineTuning
from saccade.serving.bundle import Bundle
from saccade.serving.model_names import model_folder
from saccade.weights import restore_weights, weights_of


def check_that_it_can_be_tuned(model: Transducer[Any, Any], tuning: FineTuning) -> None:
    """Refuses what cannot be fine-tuned, shown a throw-away model of the same kind."""
    if isinstance(model, CountingModel):
        raise ConfigError(f"`fine_tuning.model` must learn by gradients, but `{tuning.model}` counts. Train a new one.")
    if tuning.adapters is not None:
        add_adapters(model, tuning.adapters)


def vocabulary_of(tuning: FineTuning | None) -> Path | None:
    """The folder with the tokenizers that the text is cut with; None where they are learned from it."""
    if tuning is None:
        return None
    try:
        return model_folder(tuning.model)
    except InputError:
        return Path(tuning.model)  # it is gone: only what was prepared before can be used


def begin_from(model: Transducer[Any, Any], tuning: FineTuning, *, weights: bool) -> None:
    """Gives a new model the adapters and, unless a checkpoint will, the weights that the run begins with."""
    if weights:
        parent = Bundle.load(model_folder(tuning.model))
        if parent.digest != tuning.digest:
            raise InputError(
                f"`{tuning.model}` must be the model that the recipe was made for, with the seal {tuning.digest}, but "
                "is another. Put that one back, or take another --out."
            )
        restore_weights(model, weights_of(parent.model))
    if tuning.adapters is not None:
        add_adapters(model, tuning.adapters)
