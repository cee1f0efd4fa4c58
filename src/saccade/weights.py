"""A model's weights as named tensors, each stored once."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from saccade.errors import FormatError
from saccade.models.contract import Transducer
from saccade.tensor_files import laid_out_like


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """Parameters and persistent buffers by name; a tied parameter appears once, under its first name."""
    aliases = {name for name, _ in model.named_parameters(remove_duplicate=False)}
    weights: dict[str, Tensor] = {name: parameter.detach() for name, parameter in model.named_parameters()}
    weights |= {name: tensor for name, tensor in model.state_dict().items() if name not in aliases}
    return weights


def restore_weights(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Copies weights into a model; every mismatch is named at once."""
    if isinstance(model, Transducer):
        model.make_room({name: tensor.shape for name, tensor in weights.items()})
    own = weights_of(model)
    problems = [f"{name} is missing" for name in own.keys() - weights.keys()]
    problems += [f"{name} is not part of the model" for name in weights.keys() - own.keys()]
    problems += [
        f"{name} must have the shape {tuple(own[name].shape)}, but has {tuple(weights[name].shape)}"
        for name in own.keys() & weights.keys()
        if own[name].shape != weights[name].shape
    ]
    if problems:
        raise FormatError(f"the weights do not fit the model: {'; '.join(sorted(problems))}.")
    with torch.no_grad():
        for name, tensor in own.items():
            tensor.copy_(laid_out_like(tensor, weights[name]))
