"""Memory for time: what a layer computed on the way forward is forgotten, and computed again on the way back.

Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost". With n layers that keep c positions' worth of
intermediate results each, memory falls from n c to n + c, and a step costs a forward pass more: at least a third.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


def stacked(model: nn.Module) -> list[nn.Module]:
    """The layers of a model, whichever it is: the entries of its lists of modules, the outermost where they nest."""
    found: list[nn.Module] = []
    for child in model.children():
        found += list(child) if isinstance(child, nn.ModuleList) else stacked(child)
    return found


def recompute_layers(model: nn.Module) -> None:
    """Makes every layer keep only its inputs while training; its parameters and their names stay as they are."""
    for layer in stacked(model):
        layer.forward = _forgetting(layer, layer.forward)


def _forgetting(layer: nn.Module, forward: Callable[..., Any]) -> Callable[..., Any]:
    def forgetting(*arguments: Any, **named: Any) -> Any:
        if not (layer.training and torch.is_grad_enabled()):
            return forward(*arguments, **named)
        # Dropout draws the same numbers again: the state of the generators is part of what is kept.
        return checkpoint(forward, *arguments, use_reentrant=False, preserve_rng_state=True, **named)

    return forgetting
