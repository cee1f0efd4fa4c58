"""Activation checkpointing: a layer keeps only its inputs, and backward computes the rest again.

Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost". With n layers that keep c positions' worth of
activations each, memory falls from n c to n + c, and a step costs one more forward pass: at least a third.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


def layers_of(model: nn.Module) -> list[nn.Module]:
    """The layers of any model: the entries of its module lists, of the outermost list where they nest."""
    found: list[nn.Module] = []
    for child in model.children():
        found += list(child) if isinstance(child, nn.ModuleList) else layers_of(child)
    return found


def checkpoint_layers(model: nn.Module) -> None:
    """Makes every layer keep only its inputs while training; parameters and their names stay as they are."""
    for layer in layers_of(model):
        layer.forward = partial(_checkpointed, layer, layer.forward)


def _checkpointed(layer: nn.Module, forward: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    if not (layer.training and torch.is_grad_enabled()):
        return forward(*arguments, **named)
    # Dropout draws the same numbers again: the state of the random generators is kept as well.
    return checkpoint(forward, *arguments, use_reentrant=False, preserve_rng_state=True, **named)
