"""What a live page holds besides its document: models, and the kernels with which a worker of its own runs them."""

import base64
from collections.abc import Mapping
from typing import Any

from saccade.explorer.live_model import live_model
from saccade.explorer.page import FOLDER
from saccade.serving.translator import Translator


def live_content(models: Mapping[str, Translator]) -> dict[str, Any]:
    """The models by the names that the page shows; raises an error where the page could not run one of them."""
    return {
        "kernels": kernels(),
        "models": {name: live_model(translator.traceable, name) for name, translator in models.items()},
    }


def kernels() -> dict[str, str]:
    """The assembled kernels by name, in base64."""
    arithmetic = FOLDER / "engine" / "arithmetic"
    return {path.stem: base64.b64encode(path.read_bytes()).decode("ascii") for path in arithmetic.glob("*.wasm")}
