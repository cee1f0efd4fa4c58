"""Table 3 of "Attention Is All You Need" at any size: its rows as changes to the model of a recipe.

A row of the paper changes a number or two of its base model. Here the same change is made to the recipe's model: sizes
and steps in proportion (half the width), dropout and label smoothing by the same difference or to nothing, learned
positions as they are. As in the paper, checkpoints are not averaged, and scores are those of the development set.

Further rows change what the paper decided without a row of its own: the warm-up, the first weights, the scale of the
scores, the place of the norm, and tied embeddings.
"""

import math
from dataclasses import dataclass
from typing import Any

from saccade.comparison.system_spec import SystemSpec
from saccade.errors import ConfigError
from saccade.papers import VASWANI2017, Row
from saccade.recipes.recipe import Recipe

BASE = "base"
_SIZES = ("encoder_layers", "decoder_layers", "width", "inner_width", "heads", "key_width", "value_width")
_COUNTS = ("encoder_layers", "decoder_layers", "heads")
"""Sizes that are rounded: four layers have no third."""
_RATES = ("dropout", "label_smoothing")
_UNAVERAGED = "training.average=1"
BEYOND = "beyond"
"""The group of rows that the paper does not have."""


@dataclass(frozen=True)
class TableRow:
    """One row: what it is called, how the recipe is changed for it, and the paper's figures where it has any."""

    group: str
    name: str
    spec: SystemSpec
    paper: Row | None = None


def table3_rows(base: Recipe) -> tuple[TableRow, ...]:
    """Every row of the table, base first, and then the further ones."""
    if base.architecture != "transformer":
        raise ConfigError(
            f"`--table3` must have the recipe of a transformer, but {base.name} trains {base.architecture}. "
            "Choose another recipe."
        )
    rows = tuple(
        TableRow(row.letter, row.name, SystemSpec("transformer", _settings(row, base)), row)
        for row in VASWANI2017.table3
    )
    by_spec: dict[SystemSpec, str] = {}
    for row in rows:
        if (same := by_spec.setdefault(row.spec, row.name)) != row.name:
            raise ConfigError(
                f"the rows {same} and {row.name} of Table 3 must differ, but are the same at this size. "
                "Use a larger model: six layers, as the paper's, are enough."
            )
    return (*rows, *_beyond(base))


def _settings(row: Row, base: Recipe) -> tuple[str, ...]:
    model = {key: _scaled(key, value, row, base) for key, value in row.model.items()}
    training = {key: _scaled(key, value, row, base) for key, value in row.training.items() if key != "average"}
    if {"key_width", "value_width"} & set(model) and row.letter != "B":
        # In all other rows keys and values have width / heads.
        width = model.get("width", base.model.width) // model.get("heads", base.model.heads)
        model |= {"key_width": width, "value_width": width}
    changes = [f"{key}={value}" for key, value in model.items()]
    return (*changes, *(f"training.{key}={value}" for key, value in training.items()), _UNAVERAGED)


def _scaled(key: str, value: Any, row: Row, base: Recipe) -> Any:
    """The value that is to the recipe's own as the row's is to the paper's base."""
    theirs = {**VASWANI2017.base.model, **VASWANI2017.base.training}.get(key)
    ours = base.training.steps if key == "steps" else getattr(base.training, key, None)
    if key in _SIZES:
        ours = getattr(base.model, key) or base.model.width // base.model.heads
    elif key == "dropout":
        ours = base.model.dropout
    if key in _RATES:
        return 0.0 if value == 0 else round(ours + value - theirs, 6)
    if key in _SIZES or key == "steps":
        assert theirs is not None, f"base has `{key}`"
        scaled = ours * value / theirs
        if key not in _COUNTS and scaled != int(scaled):
            raise ConfigError(
                f"`{key}` must be a multiple of {theirs // math.gcd(value, theirs)} for the row {row.name} of Table 3, "
                f"but is {ours}. Change it: --set model.{key}=..."
            )
        return max(round(scaled), 1)
    return value


def _beyond(base: Recipe) -> tuple[TableRow, ...]:
    other_norm = "pre" if base.model.norm == "post" else "post"
    untied = "none" if base.model.tie != "none" else "all"
    changes = {
        "without warm-up": "training.schedule=without_warmup",
        "queries, keys and values drawn one by one": "initialisation=xavier",
        "without the scale": "score=dot",
        f"{other_norm}-norm": f"norm={other_norm}",
        "untied" if untied == "none" else "tied": f"tie={untied}",
    }
    return tuple(
        TableRow(BEYOND, name, SystemSpec("transformer", (change, _UNAVERAGED))) for name, change in changes.items()
    )
