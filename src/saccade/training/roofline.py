"""The roofline: how many tokens per second a training step would process if it were its matrix products alone.

A step cannot be faster than its products, forward and backward. How near it comes to them says more than tokens per
second, which are different on every machine.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

from saccade.hardware import emulated_bfloat16
from saccade.layers.embedding import Embedding
from saccade.layers.position import LearnedPositions
from saccade.models.capabilities import projection_of
from saccade.models.contract import Transducer

Shape = tuple[int, int]

# Enough rows that a product is not dominated by its launch, and few enough for a CPU.
_ROWS = {"cuda": 16_384, "cpu": 1024}
# So many products in a row on a GPU: the final synchronization must not weigh.
_REPEATS = {"cuda": 20, "cpu": 1}


def products(model: Transducer[Any, Any]) -> Counter[Shape]:
    """The matrices that every token is multiplied by, as (outputs, inputs), with how many there are of each shape.

    The embedding of a token is looked up in its table, not multiplied by it. The kernel of a convolution is a matrix
    that reads several positions at once.
    """
    kinds = (nn.Embedding, Embedding, LearnedPositions)
    looked_up = [module.parameters() for module in model.modules() if isinstance(module, kinds)]
    tables = {id(table) for tables in looked_up for table in tables}
    matrices: list[Tensor] = [
        parameter for parameter in model.parameters() if parameter.dim() > 1 and id(parameter) not in tables
    ]
    projection = projection_of(model)
    if projection is not None and id(projection) in tables:  # a tied table is also multiplied by
        matrices.append(projection)
    return Counter((len(matrix), matrix[0].numel()) for matrix in matrices)


def roofline_tokens_per_second(
    model: Transducer[Any, Any], device: torch.device, bfloat16: bool, clock: Callable[[], float] = time.perf_counter
) -> float:
    """The tokens per second of a step that were these products alone, measured on this machine now."""
    rows, precision = _ROWS[device.type], torch.bfloat16 if bfloat16 else torch.float32
    counted = products(model)
    with emulated_bfloat16():
        measured = list(_seconds(counted, rows, device, precision, clock))
    seconds = sum(count * taken for count, taken in zip(counted.values(), measured, strict=True))
    return rows / max(seconds, 1e-9)


def _seconds(
    shapes: Iterable[Shape], rows: int, device: torch.device, precision: torch.dtype, clock: Callable[[], float]
) -> Iterable[float]:
    """For each shape, the time of a product and of the two of its backward pass, on the second run."""
    repeats = _REPEATS[device.type]
    for outputs, inputs in shapes:
        states, weight, gradient = (
            torch.ones(shape, dtype=precision, device=device).uniform_()
            for shape in ((rows, inputs), (outputs, inputs), (rows, outputs))
        )
        for _ in range(2):
            if device.type == "cuda":
                torch.cuda.synchronize(device)
            began = clock()
            for _ in range(repeats):
                states @ weight.T, gradient @ weight, gradient.T @ states
            if device.type == "cuda":
                torch.cuda.synchronize(device)
            taken = (clock() - began) / repeats
        yield taken
