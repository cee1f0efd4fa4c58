"""Which engine: by name, or the fastest that is installed and can run the model.

Measured on two cores, beam 4 (docs/benchmarks.md): CTranslate2 in int8 is the fastest there is on x86 and on ARM, so it
comes first where it can run. On a GPU it was not measured, and our own search runs.
"""

from collections.abc import Sequence
from typing import Any

import torch

from saccade.errors import ConfigError
from saccade.interop.ctranslate2 import installed, obstacle
from saccade.models.contract import Transducer
from saccade.serving.bundle import Bundle
from saccade.serving.converted import ctranslate2_engine
from saccade.serving.engines import ENGINES, Engine, TorchEngine


def choose_engines(
    name: str, bundles: Sequence[Bundle], model: Transducer[Any, Any], device: torch.device
) -> tuple[Engine, ...]:
    """The engines of that name, the preferred one first; torch comes last and can do everything."""
    if name not in ENGINES:
        raise ConfigError(f"`engine` must be one of {', '.join(ENGINES)}, but is {name!r}.")
    ours = TorchEngine(model, device)
    if name == "torch":
        return (ours,)
    reason = _why_not_ctranslate2(bundles, device)
    if name == "ctranslate2":
        if reason is not None:
            raise ConfigError(reason)
        return (ctranslate2_engine(bundles[0]),)
    return (ours,) if reason is not None or not installed() else (ctranslate2_engine(bundles[0]), ours)


def _why_not_ctranslate2(bundles: Sequence[Bundle], device: torch.device) -> str | None:
    if len(bundles) > 1:
        return "`ensemble` must be left out with the engine ctranslate2, which runs one model. Use the engine torch."
    if device.type != "cpu":
        return f"`device` must be cpu with the engine ctranslate2, but is {device}. Use --device cpu, or torch."
    return obstacle(bundles[0].architecture, bundles[0].model_config)
