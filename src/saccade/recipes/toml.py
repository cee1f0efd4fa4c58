"""Recipes written as TOML: the standard library reads the format and cannot write it.

Only what a recipe holds is needed (texts, numbers, truth values, lists of them), so thirty lines replace a
dependency. What is written reads back as an equal recipe.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from saccade.folders import atomic_write
from saccade.recipes.recipe import Recipe


def write_recipe(recipe: Recipe, path: Path) -> None:
    """Writes every key, resolved, so that the file alone is enough to run it again."""
    atomic_write(path, recipe_text(recipe))


def recipe_text(recipe: Recipe) -> str:
    """The recipe as a TOML document."""
    document = recipe.document()
    tables = {name: document.pop(name) for name in ("departures", "changes")}
    top = {key: value for key, value in document.items() if not isinstance(value, Mapping)}
    blocks = [_assignments(top)]
    blocks += [f"[{key}]\n{_assignments(value)}" for key, value in document.items() if isinstance(value, Mapping)]
    blocks += [f"[[{name}]]\n{_assignments(entry)}" for name, entries in tables.items() for entry in entries]
    return "\n".join(blocks)


def _assignments(values: Mapping[str, Any]) -> str:
    return "".join(f"{key} = {_value(value)}\n" for key, value in values.items())


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)  # Python's shortest exact form, inf and nan included, is valid TOML
        case str():
            # JSON's escapes are TOML's, except that TOML also wants the delete character escaped.
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case tuple() | list():
            return "[" + ", ".join(_value(item) for item in value) + "]"
    raise AssertionError(f"a recipe holds no {type(value).__name__}")
