"""What a network must remember between the forward and the backward pass."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor


def kept_bytes(compute: Callable[[], Float[Tensor, "*shape"]]) -> int:
    """Bytes that autograd keeps for the backward pass of what the call computes."""
    kept: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        # A piece of memory that several operations keep is counted once.
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        result = compute()
    assert result.requires_grad
    return sum(kept.values())
