"""The optimizers of the papers and two younger ones, and their state as named tensors."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from saccade.errors import FormatError
from saccade.layers.embedding import Embedding
from saccade.tensor_files import sharded_like
from saccade.training.adam import Adam
from saccade.training.config import TrainingConfig
from saccade.training.muon import Muon
from saccade.training.schedule_free import ScheduleFree

_COUNT = "step"
"""The one state of torch's optimizers that is not laid out like its parameter."""


def build_optimizer(model: nn.Module, config: TrainingConfig) -> torch.optim.Optimizer:
    """The optimizer that the config asks for. The learning rate is set before every step by the loop."""
    return OPTIMIZERS[config.optimizer](model, config)


def adam(model: nn.Module, config: TrainingConfig) -> Adam:
    """Adam with the betas and epsilon of section 5.3; weight decay, where there is any, is decoupled.

    Fused, the update is one kernel on a GPU and one pass on a CPU, which takes a third of the time of the unfused one.
    """
    return Adam(model.parameters(), (config.beta1, config.beta2), config.epsilon, config.weight_decay)


def adadelta(model: nn.Module, config: TrainingConfig) -> torch.optim.Adadelta:
    """Zeiler 2012: the update is the gradient times RMS(updates so far) / RMS(gradients so far), so its rate is 1."""
    return torch.optim.Adadelta(
        model.parameters(), lr=0.0, rho=config.rho, eps=config.ada_epsilon, weight_decay=config.weight_decay
    )


def adagrad(model: nn.Module, config: TrainingConfig) -> torch.optim.Adagrad:
    """Duchi et al. 2011: each weight's rate falls with the root of the sum of its squared gradients."""
    return torch.optim.Adagrad(model.parameters(), lr=0.0, eps=config.ada_epsilon, weight_decay=config.weight_decay)


def sgd(model: nn.Module, config: TrainingConfig) -> torch.optim.SGD:
    """Plain descent; with momentum m, v <- m v + g and w <- w - rate v."""
    return torch.optim.SGD(model.parameters(), lr=0.0, momentum=config.momentum, weight_decay=config.weight_decay)


def nesterov(model: nn.Module, config: TrainingConfig) -> torch.optim.SGD:
    """Momentum that looks ahead (Sutskever et al. 2013): v <- m v + g and w <- w - rate (g + m v)."""
    return torch.optim.SGD(
        model.parameters(), lr=0.0, momentum=config.momentum, weight_decay=config.weight_decay, nesterov=True
    )


def schedule_free(model: nn.Module, config: TrainingConfig) -> ScheduleFree:
    """Adam whose mean is the model; `beta1` is the share of the mean in where gradients are taken."""
    return ScheduleFree(model.parameters(), config.beta1, config.beta2, config.epsilon, config.weight_decay)


def muon(model: nn.Module, config: TrainingConfig) -> Muon:
    """Orthogonal updates for the matrices within layers, Adam for those with a row for each piece, and for vectors."""
    vocabularies = {len(module.weight) for module in model.modules() if isinstance(module, Embedding | nn.Embedding)}
    parameters = list(model.parameters())
    matrices = [each for each in parameters if each.ndim == 2 and len(each) not in vocabularies]
    betas = config.beta1, config.beta2
    return Muon(parameters, matrices, config.momentum, betas, config.epsilon, config.weight_decay)


def begin_step(optimizer: torch.optim.Optimizer) -> None:
    """Before the gradients of a step are computed."""
    if isinstance(optimizer, ScheduleFree):
        optimizer.begin_step()


def abandon_step(optimizer: torch.optim.Optimizer) -> None:
    """Instead of the update, where a step that has begun cannot be taken."""
    if isinstance(optimizer, ScheduleFree):
        optimizer.abandon_step()


OPTIMIZERS: Mapping[str, Callable[[nn.Module, TrainingConfig], torch.optim.Optimizer]] = {
    "adam": adam,
    "adadelta": adadelta,
    "adagrad": adagrad,
    "sgd": sgd,
    "nesterov": nesterov,
    "schedule_free": schedule_free,
    "muon": muon,
}


def optimizer_state(optimizer: torch.optim.Optimizer, model: nn.Module) -> dict[str, Tensor]:
    """The optimizer's state as `<moment>/<parameter>`: names, since positions in a list would change with the model."""
    return {
        f"{moment}/{name}": tensor
        for name, parameter in model.named_parameters()
        for moment, tensor in sorted(optimizer.state.get(parameter, {}).items())
        if isinstance(tensor, Tensor)  # the momentum of SGD without momentum is None
    }


def restore_optimizer_state(optimizer: torch.optim.Optimizer, model: nn.Module, moments: Mapping[str, Tensor]) -> None:
    """Loads what `optimizer_state` returned for another optimizer of this kind."""
    parameters = dict(model.named_parameters())
    unknown = {key.split("/", 1)[1] for key in moments} - parameters.keys()
    if unknown:
        raise FormatError(f"the optimizer state knows parameters the model has not: {', '.join(sorted(unknown))}.")

    # `load_state_dict` puts each moment where it belongs (the fused kernel keeps `step` on the device).
    positions = {name: position for position, name in enumerate(parameters)}
    state: dict[int, dict[str, Tensor]] = {}
    for key, saved in moments.items():
        moment, name = key.split("/", 1)
        tensor = saved.clone()  # what was read may be a mapped file
        state.setdefault(positions[name], {})[moment] = (
            tensor if moment == _COUNT else sharded_like(parameters[name], tensor)
        )
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
