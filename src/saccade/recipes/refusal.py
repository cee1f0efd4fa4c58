"""What is wrong with a recipe that no section can see for itself, found before any text is read.

Whether a score suits the widths of a model, only the model knows that is built with it. So one is built, with a
vocabulary of next to nothing and weights that nobody draws, and thrown away: it takes a moment, where a corpus may take
an hour. What depends on the vocabularies is left to the model that is trained.
"""

from saccade.errors import ConfigError
from saccade.models.catalogue import build, undrawn
from saccade.models.contract import SPECIAL
from saccade.recipes.recipe import Recipe


def refuse_what_cannot_be_built(recipe: Recipe) -> None:
    """Raises what building the model would raise, and refuses text longer than it reads."""
    with undrawn():
        model = build(recipe.architecture, recipe.model, SPECIAL + 1, SPECIAL + 1)
    if recipe.data.maximum_length > model.maximum_length:
        raise ConfigError(
            f"`data.maximum_length` must be at most `model.maximum_length`, {model.maximum_length}, but is "
            f"{recipe.data.maximum_length}. Lower the one or raise the other."
        )
