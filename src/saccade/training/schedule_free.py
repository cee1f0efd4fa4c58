"""Schedule-Free AdamW: Defazio et al. 2024, "The Road Less Scheduled", algorithm 1.

    y = (1 - beta) z + beta x        where the gradient is taken
    z <- z - rate * Adam(gradient)   with beta1 = 0: the interpolation is the momentum
    x <- (1 - c) x + c z             c = rate^2 / the sum of all squared rates so far

The mean x is the model. It takes the place of a rate that falls to zero at a step that must be known beforehand: every
x is as good as the end of such a schedule.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from saccade.training.adam import begin_moments, update_by_adam
from saccade.training.eager_optimizer import EagerOptimizer


class ScheduleFree(EagerOptimizer):
    """Between steps the parameters are x, so that whoever validates or saves them finds the model.

    `begin_step` makes them y, and `step` makes them x again. A tensor `found_inf` that is not zero makes a step change
    nothing, as in torch's fused Adam.
    """

    def __init__(
        self, parameters: Iterable[Tensor], interpolation: float, beta2: float, epsilon: float, weight_decay: float
    ) -> None:
        defaults = {"lr": 0.0, "fused": True, "capturable": False, "weight_decay": weight_decay}
        super().__init__(parameters, defaults)
        self.interpolation = interpolation
        self.beta2 = beta2
        self.epsilon = epsilon
        self.means: list[Tensor] | None = None
        """Every x, while the parameters are y."""

    @property
    def parameters(self) -> list[Tensor]:
        """Those that are learned."""
        return [parameter for group in self.param_groups for parameter in group["params"]]

    @torch.no_grad()
    def begin_step(self) -> None:
        """Moves the parameters to where the gradient is to be taken."""
        parameters = self.parameters
        for parameter in parameters:
            if not self.state[parameter]:
                self._begin(parameter, first=parameter is parameters[0])
        self.means = [parameter.clone() for parameter in parameters]
        torch._foreach_lerp_(parameters, self._all("z"), 1 - self.interpolation)

    @torch.no_grad()
    def abandon_step(self) -> None:
        """Moves the parameters back, where a step has begun."""
        if self.means is not None:
            torch._foreach_copy_(self.parameters, self.means)
            self.means = None

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        """Takes the step that has begun."""
        assert closure is None, "gradients are there already"
        assert self.means is not None, "`begin_step` comes first"
        parameters, group = self.parameters, self.param_groups[0]
        found_inf: Tensor | None = getattr(self, "found_inf", None)
        gradients = [
            parameter.grad if parameter.grad is not None else torch.zeros_like(parameter) for parameter in parameters
        ]
        update_by_adam(self, parameters, gradients, self._all("z"), (0.0, self.beta2), self.epsilon)
        squares = self.state[parameters[0]]["squared_rates"]
        square = torch.as_tensor(group["lr"], device=squares.device, dtype=squares.dtype) ** 2
        if found_inf is not None:
            square = square * (1 - found_inf)
        squares += square
        share = torch.where(squares > 0, square / squares, 0.0)
        torch._foreach_copy_(parameters, self.means)
        towards = torch._foreach_sub(self._all("z"), self.means)
        torch._foreach_mul_(towards, share)
        torch._foreach_add_(parameters, towards)
        self.means = None

    def _begin(self, parameter: Tensor, first: bool) -> None:
        state = self.state[parameter]
        state["z"] = parameter.detach().clone()
        begin_moments(self, parameter)
        if first:
            state["squared_rates"] = torch.zeros((), device=parameter.device)

    def _all(self, moment: str) -> list[Tensor]:
        return [self.state[parameter][moment] for parameter in self.parameters]
