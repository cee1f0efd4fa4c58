"""Whether a folder may become a run: one that is new or empty, or one in which saccade has begun a run.

Whatever else lies in the folder of a run belongs to the user and is never touched, and nothing is written before it is
known that all of the run's own entries can be.
"""

import os
from collections.abc import Callable
from pathlib import Path

from saccade.data import prepared_corpus
from saccade.errors import InputError, SaccadeError
from saccade.folders import kind_of, names_in, replaceable, usable
from saccade.recipes.recipe import load_recipe
from saccade.recipes.toml import recipe_text
from saccade.runs.run_folder import has_started
from saccade.serving.config_file import written_files

_BEFORE_A_RECIPE = {"lock", "data", "tensorboard", "train.log", "teacher"}
"""What may be in the folder of a run before its recipe is: a comparison shares data among runs and logs each, and a
student begins with what its teacher writes."""
_FILES = ("recipe.toml", "journal.jsonl", "lock", "evaluation.json", "result.json")
_FOLDERS = ("data", "checkpoints", "model", "tensorboard")


def check_output_folder(out: Path) -> None:
    """Refuses, before anything is written, a folder that a run may not be written into."""
    usable(out, lambda folder: _FILES if _is_run(folder) else None)
    if not out.is_dir():
        return
    for names, is_right, wanted in ((_FILES, Path.is_file, "a file"), (_FOLDERS, Path.is_dir, "a folder")):
        for name in names:
            _check_kind(out / name, is_right, wanted)
    if (out / "recipe.toml").exists() and not has_started(out) and not _wrote_recipe(out / "recipe.toml"):
        raise InputError(
            f"`{out / 'recipe.toml'}` must be the recipe of a run that saccade began, but is another, and would be "
            f"replaced. Choose another --out, or move it: saccade train RECIPE.toml --out {out}"
        )
    if (out / "data").exists() and not (out / "data" / prepared_corpus.STAMP).exists():
        replaceable(out / "data", prepared_corpus.written_files)
    if (out / "model").exists():
        replaceable(out / "model", written_files)


def _check_kind(path: Path, is_right: Callable[[Path], bool], wanted: str) -> None:
    if os.path.lexists(path) and not is_right(path) and not (path.is_symlink() and not path.exists()):
        raise InputError(f"`{path}` must be {wanted} of the run, but is {kind_of(path)}. Choose another --out.")


def _is_run(folder: Path) -> bool:
    names = names_in(folder)
    return "recipe.toml" in names or {"journal.jsonl", "checkpoints"} <= names or names <= _BEFORE_A_RECIPE


def _wrote_recipe(path: Path) -> bool:
    """Whether a recipe is as saccade writes them: every key, resolved, and no comment."""
    try:
        return recipe_text(load_recipe(path)) == path.read_text(encoding="utf-8")
    except (SaccadeError, OSError, UnicodeDecodeError):
        return False
