"""What a live page holds besides its document: models, and the kernel with which a worker of its own runs them."""

import base64
from collections.abc import Mapping
from typing import Any

from saccade.explorer.live_model import live_model
from saccade.explorer.page import FOLDER
from saccade.serving.translator import Translator


def live_content(models: Mapping[str, Translator]) -> dict[str, Any]:
    """The models by the names that the page shows; raises an error where the page could not run one of them."""
    kernel = (FOLDER / "engine" / "arithmetic" / "products.wasm").read_bytes()
    return {
        "kernel": base64.b64encode(kernel).decode("ascii"),
        "models": {name: live_model(translator.traceable, name) for name, translator in models.items()},
    }
