"""A model built from what a folder, or a run, says about it: checked before anything is allocated."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import torch
from pydantic import PositiveInt
from torch import Tensor

from saccade.errors import FormatError, did_you_mean
from saccade.json_files import StrictContent, checked, from_json, shown
from saccade.layers.adapters import add_adapters
from saccade.models.catalogue import ARCHITECTURES, build
from saccade.models.contract import Transducer

_LARGEST_OPTION = 1 << 20
"""How large any number in a model's config may be, unless the file of its weights is larger."""


class ModelDescription(StrictContent):
    """What a model must be built with, before its weights are read."""

    architecture: str
    model: dict[str, Any]
    source_vocabulary: PositiveInt
    target_vocabulary: PositiveInt


class ReplayedModel(ModelDescription):
    """What a step that a run saved must be taken again with: perhaps a model with adapters of this rank."""

    adapters: PositiveInt | None = None


def build_described(
    description: ModelDescription, where: str, stored: Mapping[str, Tensor]
) -> tuple[Transducer[Any, Any], Any]:
    """The untrained model that a JSON description asks for, and its config.

    Its weights are about to be replaced by those of `stored`, so building it leaves the caller's random numbers alone,
    and a model that is larger than these is refused before anything is allocated.
    """
    config = _model_config(where, description.architecture, description.model)
    _check_sizes(config, where, stored)
    sizes = description.source_vocabulary, description.target_vocabulary
    with torch.random.fork_rng(devices=[]):
        return build(description.architecture, config, *sizes).eval(), config


def build_for_replay(where: str, about: Mapping[str, Any], stored: Mapping[str, Tensor]) -> Transducer[Any, Any]:
    """The model of a step that a run saved, with what the run said about it."""
    said = checked(ReplayedModel, about, where)
    model, _ = build_described(said, where, stored)
    if said.adapters is not None:
        add_adapters(model, said.adapters)
    return model


def _model_config(where: str, architecture: str, values: Mapping[str, Any]) -> Any:
    if architecture not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise FormatError(
            f"{where}: the architecture must be one of {known}, but is {shown(architecture)}."
            + did_you_mean(architecture, ARCHITECTURES)
        )
    config = ARCHITECTURES[architecture].config
    unknown = sorted(set(values) - {field.name for field in fields(config)})
    if unknown:
        raise FormatError(f"{where}: {architecture} has no option {', '.join(unknown)}. Upgrade saccade.")
    try:
        return from_json(config, values)
    except ValueError as problem:
        raise FormatError(f"{where}: among the options of {architecture}, {problem}.") from None


def _check_sizes(config: Any, where: str, stored: Mapping[str, Tensor]) -> None:
    """Every layer has a tensor of its own, and no side of a tensor is longer than all of them together."""
    numbers = sum(tensor.numel() for tensor in stored.values())
    for field in fields(config):
        value = getattr(config, field.name)
        limit = len(stored) if field.name.endswith("layers") else max(numbers, _LARGEST_OPTION)
        if isinstance(value, int) and value > limit:
            raise FormatError(
                f"{where}: option `{field.name}` must be at most {limit:,} for a model with weights of this size "
                f"({numbers:,} numbers in {len(stored):,} tensors), but is {value:,}."
            )
