"""Model folders that change while a server runs: loaded again beside the old model, then put in its place.

A folder is written atomically and sealed, so a change of its config.json is a change of the model. One that cannot be
loaded is left alone until it changes again, and the old model goes on.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from saccade.errors import SaccadeError
from saccade.server.served_models import ServedModels
from saccade.serving.config_file import CONFIG
from saccade.serving.model_names import model_folder
from saccade.serving.translator import Translator

_log = logging.getLogger(__name__)


class Reloading:
    """Looks at the folders of the models, every so many seconds, in a thread of its own."""

    def __init__(
        self, models: ServedModels, names: Mapping[str, str], load: Callable[[str], Translator], seconds: float = 5.0
    ) -> None:
        self._models = models
        self._names = dict(names)
        self._load = load
        self._seconds = seconds
        self._seen = {name: _state(given) for name, given in self._names.items()}
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="saccade-reload", daemon=True)

    def __enter__(self) -> "Reloading":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()

    def look(self) -> None:
        """Loads what has changed since the last look."""
        for name, given in self._names.items():
            state = _state(given)
            if state is None or state == self._seen[name]:
                continue
            self._seen[name] = state
            try:
                with self._models.computing:
                    translator = self._load(given)
                self._models.replace(name, translator)
                outcome = "loaded"
            except Exception as problem:  # whatever it is: the old model goes on, and so must this thread
                outcome = "refused"
                unexpected = not isinstance(problem, SaccadeError | OSError)
                _log.error("%s has changed, but cannot be loaded: %s", name, problem, exc_info=unexpected)
            self._models.metrics.reloads.labels(name, outcome).inc()

    def _run(self) -> None:
        while not self._stopped.wait(self._seconds):
            self.look()


def _state(given: str) -> tuple[Path, int, int] | None:
    """What tells one version of a folder from another; None where there is none at the moment."""
    try:
        folder = model_folder(given)
        status = (folder / CONFIG).stat()
    except (SaccadeError, OSError):
        return None
    return folder.resolve(), status.st_ino, status.st_mtime_ns
