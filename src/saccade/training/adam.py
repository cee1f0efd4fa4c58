"""Adam with decoupled weight decay, by torch's fused kernel: an optimizer, and a part of others.

Moments have the names that torch's own Adam gives them.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim.adam import adam

from saccade.training.eager_optimizer import EagerOptimizer


class Adam(EagerOptimizer):
    """Kingma and Ba 2015. A tensor `found_inf` that is not zero makes a step change nothing."""

    def __init__(
        self, parameters: Iterable[Tensor], betas: tuple[float, float], epsilon: float, weight_decay: float
    ) -> None:
        # `fused` is what tells torch to keep the count of steps on the device when a state is loaded.
        settings = {"betas": betas, "eps": epsilon, "weight_decay": weight_decay}
        super().__init__(parameters, {"lr": 0.0, "fused": True, "capturable": False} | settings)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        """Takes a step."""
        assert closure is None, "gradients are there already"
        group = self.param_groups[0]
        step_by_adam(self, group["params"], group["betas"], group["eps"])


def step_by_adam(
    optimizer: torch.optim.Optimizer, parameters: Iterable[Tensor], betas: tuple[float, float], epsilon: float
) -> None:
    """A step for those of an optimizer's parameters that have a gradient."""
    learned, gradients = [], []
    for parameter in parameters:
        if parameter.grad is not None:
            learned.append(parameter)
            gradients.append(parameter.grad)
            if not optimizer.state[parameter]:
                begin_moments(optimizer, parameter)
    update_by_adam(optimizer, learned, gradients, learned, betas, epsilon)


def begin_moments(optimizer: torch.optim.Optimizer, parameter: Tensor) -> None:
    """Moments of zero and no steps."""
    state = optimizer.state[parameter]
    state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(parameter), torch.zeros_like(parameter)
    state["step"] = torch.zeros((), dtype=torch.float32, device=parameter.device)


def update_by_adam(
    optimizer: torch.optim.Optimizer,
    parameters: Sequence[Tensor],
    gradients: Sequence[Tensor],
    updated: Sequence[Tensor],
    betas: tuple[float, float],
    epsilon: float,
) -> None:
    """Changes `updated` by the gradients and the moments of the parameters; nothing where `found_inf` is not zero."""

    def moments(name: str) -> list[Tensor]:
        return [optimizer.state[parameter][name] for parameter in parameters]

    group = optimizer.param_groups[0]
    adam(
        list(updated), list(gradients), moments("exp_avg"), moments("exp_avg_sq"), [], moments("step"),
        fused=True, capturable=group["capturable"], found_inf=getattr(optimizer, "found_inf", None),
        decoupled_weight_decay=True, amsgrad=False, beta1=betas[0], beta2=betas[1], lr=group["lr"],
        weight_decay=group["weight_decay"], eps=epsilon, maximize=False,
    )  # fmt: skip
