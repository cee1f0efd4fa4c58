"""A refused run leaves nothing behind: what it made before the refusal is taken away again."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from saccade.errors import SaccadeError
from saccade.runs.run_folder import has_started


def missing_folders(folder: Path) -> list[Path]:
    """The folder and those above it that are not there yet, innermost first."""
    return [one for one in (folder, *folder.parents) if not one.exists()]


@contextmanager
def leaving_nothing_when_refused(folder: Path, made: Sequence[Path]) -> Iterator[None]:
    """Undoes what was written into a run folder when an error before the first step shows that it cannot be run.

    The recipe becomes what it was. The folders in `made`, which were not there before, are removed with the lock unless
    they hold anything else: prepared data stay, since they may have taken an hour. The lock must be held.
    """
    recipe = folder / "recipe.toml"
    before = recipe.read_bytes() if recipe.is_file() else None
    try:
        yield
    except (SaccadeError, OSError):
        if not has_started(folder):
            _restore(recipe, before)
            _remove_empty(made, folder / "lock")
        raise


@contextmanager
def removing_made_folders(folder: Path) -> Iterator[None]:
    """Removes the folder with all that is in it when an error ends the block, if it was not there before."""
    made = missing_folders(folder)
    try:
        yield
    except (SaccadeError, OSError):
        if folder in made:
            shutil.rmtree(folder, ignore_errors=True)
            _remove_empty(made[1:], folder / "lock")
        raise


def _restore(path: Path, before: bytes | None) -> None:
    if before is None:
        path.unlink(missing_ok=True)
    elif path.read_bytes() != before:
        path.write_bytes(before)


def _remove_empty(folders: Sequence[Path], lock: Path) -> None:
    """Removes folders, innermost first, as long as they hold nothing, or nothing but the lock."""
    for folder in folders:
        if not folder.is_dir() or any(path != lock for path in folder.iterdir()):
            return
        lock.unlink(missing_ok=True)
        folder.rmdir()
