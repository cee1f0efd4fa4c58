"""What a live page holds besides its document: models that a worker of its own runs."""

from collections.abc import Mapping
from typing import Any

from saccade.explorer.live_model import live_model
from saccade.serving.translator import Translator


def live_content(models: Mapping[str, Translator]) -> dict[str, Any]:
    """The models by the names that the page shows; raises an error where the page could not run one of them."""
    return {"models": {name: live_model(translator.traceable, name) for name, translator in models.items()}}
