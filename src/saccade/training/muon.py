"""Muon: momentum whose update is made orthogonal (Jordan et al. 2024), for the matrices inside a model.

    M <- m M + G      update = U V^T for m M + G = U S V^T, by Newton and Schulz's iteration

All singular values of an update are about one: rare directions learn as fast as frequent ones. Embeddings, the output
and all vectors are learned by Adam. The update is scaled so that its root mean square is that of Adam's, and both share
one rate (Liu et al. 2025, section 2.2).
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.training.adam import step_by_adam
from saccade.training.eager_optimizer import EagerOptimizer

# a X + b (X X^T) X + c (X X^T)^2 X drives singular values in (0, 1] towards one in five rounds.
_A, _B, _C, _ROUNDS = 3.4445, -4.7750, 2.0315, 5
_ADAMS_SIZE = 0.2
"""The root mean square of an update of Adam, in rates, as measured by Liu et al."""


class Muon(EagerOptimizer):
    """Matrices by Muon, the rest by Adam. A tensor `found_inf` that is not zero makes a step change nothing."""

    def __init__(
        self,
        parameters: Sequence[Tensor],
        matrices: Sequence[Tensor],
        momentum: float,
        betas: tuple[float, float],
        epsilon: float,
        weight_decay: float,
    ) -> None:
        defaults = {"lr": 0.0, "fused": True, "capturable": False, "weight_decay": weight_decay}
        super().__init__(parameters, defaults)
        orthogonalised = {id(matrix) for matrix in matrices}
        self.matrices = list(matrices)
        self.others = [parameter for parameter in parameters if id(parameter) not in orthogonalised]
        self.momentum = momentum
        self.betas = betas
        self.epsilon = epsilon

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        """Takes a step."""
        assert closure is None, "gradients are there already"
        group = self.param_groups[0]
        found_inf: Tensor | None = getattr(self, "found_inf", None)
        step_by_adam(self, self.others, self.betas, self.epsilon)
        shapes: dict[torch.Size, list[Tensor]] = {}
        for matrix in self.matrices:
            if matrix.grad is not None:
                shapes.setdefault(matrix.shape, []).append(matrix)
        for same in shapes.values():
            self._muon(same, group, found_inf)

    def _muon(self, matrices: list[Tensor], group: dict[str, Any], found_inf: Tensor | None) -> None:
        """All matrices of one shape at once: many small products are slow."""
        for matrix in matrices:
            if not self.state[matrix]:
                self.state[matrix]["momentum"] = torch.zeros_like(matrix)
        momenta = [self.state[matrix]["momentum"] for matrix in matrices]
        gradients = torch.stack([matrix.grad for matrix in matrices if matrix.grad is not None])
        before = torch.stack(momenta)
        after = before * self.momentum + gradients
        rows, columns = matrices[0].shape
        update = orthogonal(after * self.momentum + gradients) * (_ADAMS_SIZE * math.sqrt(max(rows, columns)))
        update = update.to(before.dtype) + group["weight_decay"] * torch.stack(matrices)
        if found_inf is not None:
            after, update = torch.where(found_inf > 0, before, after), torch.where(found_inf > 0, 0.0, update)
        torch._foreach_copy_(momenta, list(after))
        torch._foreach_sub_(matrices, list(update * group["lr"]))


def orthogonal(matrices: Float[Tensor, "count rows columns"]) -> Float[Tensor, "count rows columns"]:
    """About the nearest matrix with orthonormal rows or columns, for each; in bfloat16 on a GPU, which is enough."""
    tall = matrices.shape[1] > matrices.shape[2]
    found: Tensor = matrices.transpose(1, 2) if tall else matrices
    found = found.bfloat16() if found.is_cuda else found
    found = found / (found.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(_ROUNDS):
        square = found @ found.transpose(1, 2)
        found = _A * found + (_B * square + _C * square @ square) @ found
    return found.transpose(1, 2) if tall else found
