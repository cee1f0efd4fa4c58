"""Low-rank adapters (LoRA): Hu et al. 2021, "LoRA: Low-Rank Adaptation of Large Language Models".

    W' = W + B A        W [out, in] stays as it is, B [out, r] and A [r, in] are learned

Every linear map of a model gets one; embeddings, norms and biases stay as they are. B begins at zero, so training
begins with the model as it was. Once trained, W' takes the place of W: the model has the shape it had before, and
nothing that reads, searches with or exports it need know. (The bottleneck layers of Houlsby et al. 2019 and Bapna and
Firat 2019 cannot be merged: they would be another architecture.)
"""

import copy
import math
from typing import TypeVar

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from saccade.attention.projection import Linear
from saccade.errors import ConfigError

Model = TypeVar("Model", bound=nn.Module)
_ADAPTED = (nn.Linear, Linear)
"""Other kinds of linear map have methods of their own, and stay as they are."""


class AdaptedLinear(nn.Linear):
    """x (W + B A)^T + b: a linear map that stays as it is, and what is learned beside it."""

    def __init__(self, original: nn.Linear, rank: int) -> None:
        nn.Module.__init__(self)  # not that of Linear, which would make a weight of its own
        self.in_features, self.out_features = original.in_features, original.out_features
        self.original = original
        self.a = nn.Parameter(original.weight.new_empty(rank, self.in_features))
        self.b = nn.Parameter(original.weight.new_zeros(self.out_features, rank))
        nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))  # as torch draws the weights of a linear map

    @property
    def weight(self) -> Float[Tensor, "outputs inputs"]:  # type: ignore[override]
        """W + B A."""
        return self.original.weight + self.b @ self.a

    @property
    def bias(self) -> Float[Tensor, " outputs"] | None:  # type: ignore[override]
        """That of the original."""
        return self.original.bias

    def forward(self, inputs: Float[Tensor, "*rows inputs"]) -> Float[Tensor, "*rows outputs"]:
        """The linear map of each row."""
        return functional.linear(inputs, self.weight, self.bias)

    def merged(self) -> nn.Linear:
        """The original with W + B A as its weight."""
        self.original.weight = nn.Parameter(self.weight.detach())
        return self.original


def add_adapters(model: nn.Module, rank: int) -> None:
    """Gives every linear map an adapter, and leaves nothing but the adapters to be trained."""
    linear = [module for module in model.modules() if isinstance(module, nn.Linear) and type(module) in _ADAPTED]
    if not linear:
        raise ConfigError(f"`adapters` must be left out for a {type(model).__name__}, which has no linear maps.")
    most = max(min(module.in_features, module.out_features) for module in linear)
    if rank > most:  # at this rank B A can already be any matrix
        raise ConfigError(f"`adapters` must be at most {most}, the width of the model's largest map, but is {rank}.")
    model.requires_grad_(False)
    _replace(model, {module: AdaptedLinear(module, rank) for module in linear})


def merged(model: Model) -> Model:
    """A copy of the model with W + B A in place of W; the model itself where it has no adapters."""
    if not any(isinstance(module, AdaptedLinear) for module in model.modules()):
        return model
    model = copy.deepcopy(model)
    plain: dict[nn.Module, nn.Module] = {
        module: module.merged() for module in model.modules() if isinstance(module, AdaptedLinear)
    }
    _replace(model, plain)
    return model.requires_grad_(True)


def _replace(model: nn.Module, others: dict[nn.Module, nn.Module]) -> None:
    """Puts other modules in the places of these, wherever they stand."""
    for name, module in list(model.named_modules(remove_duplicate=False)):
        if module in others:
            parent, _, own = name.rpartition(".")
            setattr(model.get_submodule(parent), own, others[module])
