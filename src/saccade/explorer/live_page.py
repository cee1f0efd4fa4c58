"""What a live page holds besides its document: models, and the script of the worker that runs them."""

from collections.abc import Mapping
from typing import Any

from saccade.explorer.live_model import live_model
from saccade.explorer.worker_script import worker_script
from saccade.serving.translator import Translator


def live_content(models: Mapping[str, Translator]) -> dict[str, Any]:
    """The models by the names that the page shows; raises an error where the page could not run one of them."""
    return {
        "script": worker_script(),
        "models": {name: live_model(translator.traceable, name) for name, translator in models.items()},
    }
