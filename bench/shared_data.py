"""Data that one run prepares and the others of an experiment copy, so that all read the same and one has the work."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def sharing_data(run: Path, shared: Path) -> Iterator[None]:
    """While a run is trained: a new one begins with what is in `shared`; where nothing is, its own data come there."""
    if shared.is_dir() and not run.exists():
        run.mkdir(parents=True)
        shutil.copytree(shared, run / "data")
    yield
    if not shared.is_dir():
        copied = shared.with_name(f"{shared.name}.{run.name}")
        shutil.rmtree(copied, ignore_errors=True)
        shutil.copytree(run / "data", copied)
        try:
            copied.rename(shared)
        except OSError:  # another process was first
            shutil.rmtree(copied)
