"""How parameters begin, and how to leave that out for a model whose weights are loaded next."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode, handle_torch_function, has_torch_function_unary

from saccade.layers.weight_normalisation import NormalisedLinear

PUBLISHED_WIDTH = 1000
"""The width of the networks whose authors stated a range."""


def scaled_range(width: int, published: float, published_width: int = PUBLISHED_WIDTH) -> float:
    """The range that gives sums over this width the variance they had over the published one."""
    return published * math.sqrt(published_width / width)


def init_uniform(model: nn.Module, largest: float) -> None:
    """Draws all vectors and matrices between minus this and this, as recurrent networks of 2014 and 2015 did.

    A single number, such as the factor of a cosine score, keeps the value that it was made with. torch adds two biases
    where the equations have one; with the second at zero their sum is as in the papers.
    """
    for name, parameter in model.named_parameters():
        if "bias_hh" in name:
            nn.init.zeros_(parameter)
        elif parameter.dim():
            nn.init.uniform_(parameter, -largest, largest)


@torch.no_grad()
def scale_initial(model: nn.Module, factor: float) -> None:
    """Multiplies the weights that a model begins with; biases, norms and single numbers stay as they are."""
    lengths = {id(module.length) for module in model.modules() if isinstance(module, NormalisedLinear)}
    for parameter in model.parameters():
        if parameter.dim() > 1 or id(parameter) in lengths:
            parameter.mul_(factor)


def init_orthogonal(weight: Float[Tensor, "rows columns"]) -> Float[Tensor, "rows columns"]:
    """Fills a matrix with the singular vectors of Gaussian noise; `skip_init` leaves it out, as torch's own draws."""
    if has_torch_function_unary(weight):
        result: Tensor = handle_torch_function(init_orthogonal, (weight,), weight)
        return result
    return nn.init.orthogonal_(weight)


_DRAWS = frozenset(
    {
        *(init_orthogonal, nn.init.uniform_, nn.init.normal_, nn.init.trunc_normal_, nn.init.kaiming_uniform_),
        *(nn.init.kaiming_normal_, nn.init.xavier_uniform_, nn.init.xavier_normal_),
        *(torch.Tensor.uniform_, torch.Tensor.normal_),
    }
)


class skip_init(TorchFunctionMode):  # noqa: N801 - used as a context manager
    """While this is on, new parameters keep whatever their memory held: for weights that are loaded next.

    As torch.nn.utils.skip_init, for a whole model. Only random draws are left out. What a constructor computes, such
    as a table of positions, is computed. The meta device would do as well, but its operations are run in Python and
    take seconds where this takes none.
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],  # noqa: ARG002 - part of torch's protocol
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Calls the function, or gives back the tensor it would have filled."""
        kwargs = kwargs or {}
        if func in _DRAWS:
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)
