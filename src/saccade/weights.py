"""A model's weights as named tensors: read out, loaded strictly, counted."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from saccade.errors import FormatError
from saccade.models.capabilities import CountingModel
from saccade.tensor_files import sharded_like


def stored_names(model: nn.Module) -> dict[str, str]:
    """For every name in the model's state_dict, the name its tensor is stored under.

    A tied parameter has several names in a state_dict; it is stored once, under the first.
    """
    first: dict[nn.Parameter, str] = {}
    tied = {name: first.setdefault(one, name) for name, one in model.named_parameters(remove_duplicate=False)}
    return {name: tied.get(name, name) for name in model.state_dict()}


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """Parameters and persistent buffers by name, each once."""
    state = model.state_dict()
    return {name: state[name] for name in dict.fromkeys(stored_names(model).values())}


def restore_weights(
    model: nn.Module, weights: Mapping[str, Tensor], source: str = "the weights", *, assign: bool = False
) -> None:
    """Loads weights into a model; every tensor that is missing, superfluous or of another shape is named at once.

    With `assign` the tensors become the model's own instead of being copied into it: faster, but an optimizer that
    holds the old parameters would not see them.
    """
    if isinstance(model, CountingModel):
        model.allocate_tables({name: tensor.shape for name, tensor in weights.items()})
    own = weights_of(model)
    problems = [f"{name} is missing" for name in own.keys() - weights.keys()]
    problems += [f"{name} is not part of the model" for name in weights.keys() - own.keys()]
    problems += [
        f"{name} must have the shape {tuple(own[name].shape)}, but has {tuple(weights[name].shape)}"
        for name in own.keys() & weights.keys()
        if own[name].shape != weights[name].shape
    ]
    if problems:
        raise FormatError(f"{source} must be those of this model, but {'; '.join(sorted(problems))}.")
    if assign:
        _assign(model, weights)
        return
    with torch.no_grad():
        for name, tensor in own.items():
            tensor.copy_(sharded_like(tensor, weights[name]))


def _assign(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Names that share a tensor are given the same parameter, and stay tied."""
    names = stored_names(model)
    learned = {name for name, _ in model.named_parameters(remove_duplicate=False)}
    given = {name: nn.Parameter(tensor) if name in learned else tensor for name, tensor in weights.items()}
    model.load_state_dict({name: given[stored] for name, stored in names.items()}, assign=True)


def parameter_count(model: nn.Module) -> int:
    """The number of parameters; tied ones count once."""
    return sum(parameter.numel() for parameter in model.parameters())


def model_size(model: nn.Module) -> int:
    """The number of parameters, and of the entries in the tables of a model that counts n-grams."""
    tables = model.tables if isinstance(model, CountingModel) else ()
    return parameter_count(model) + sum(model.get_buffer(name).numel() for name in tables)
