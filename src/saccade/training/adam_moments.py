"""A step of AdamW for some of the parameters of another optimizer, by torch's fused kernel."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.optim.adam import adam


def begin_moments(optimizer: torch.optim.Optimizer, parameter: Tensor) -> None:
    """Moments of zero and no steps, under the names that torch's own Adam gives them."""
    state = optimizer.state[parameter]
    state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(parameter), torch.zeros_like(parameter)
    state["step"] = torch.zeros((), device=parameter.device)


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
