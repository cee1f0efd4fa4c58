"""Triton programs for what torch leaves slow on a GPU; nobody needs to read them to understand the models.

Each file holds one operation: the Triton programs, the function that launches them, and, first of all, a plain version
in torch that says what is computed. Tests compare the two, values and gradients, on a GPU or in Triton's interpreter.
Only tensors come in and go out. Callers ask `triton_available_for` first and otherwise do without.
"""

from functools import cache
from importlib.util import find_spec

import torch
from torch import Tensor


def triton_available_for(tensor: Tensor) -> bool:
    """Whether the programs can work on this tensor: it is on a GPU, and the compiler for them is installed.

    They add up in float32, so whoever computes in float64 is better off without them.
    """
    return tensor.is_cuda and tensor.dtype != torch.float64 and _installed()


@cache
def _installed() -> bool:
    return find_spec("triton") is not None
