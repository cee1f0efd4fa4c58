"""What the machine could do: the matrix products of a step alone, forward and back, nothing else around them.

A training step cannot be faster than its products. How near it comes says more than tokens per second, which are
different on every machine.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

from saccade.layers.embedding import Embedding
from saccade.layers.position import LearnedPositions
from saccade.models.contract import Transducer

Shape = tuple[int, int]

# Enough rows that a product is no longer dominated by its start, and few enough for a processor.
_ROWS = {"cuda": 16_384, "cpu": 1024}
# A GPU is asked so many times in a row: the wait for the last answer must not weigh.
_TURNS = {"cuda": 20, "cpu": 1}


def products(model: Transducer[Any, Any]) -> Counter[Shape]:
    """The matrices through which every token goes, as (outputs, inputs), with how many there are of each.

    The vector of a token is looked up in its table, not multiplied by it. A kernel of a convolution is a matrix that
    meets several positions at once.
    """
    kinds = (nn.Embedding, Embedding, LearnedPositions)
    looked_up = [module.parameters() for module in model.modules() if isinstance(module, kinds)]
    tables = {id(table) for tables in looked_up for table in tables}
    matrices: list[Tensor] = [
        parameter for parameter in model.parameters() if parameter.dim() > 1 and id(parameter) not in tables
    ]
    if model.projection is not None and id(model.projection) in tables:  # a table that is also multiplied by
        matrices.append(model.projection)
    return Counter((len(matrix), matrix[0].numel()) for matrix in matrices)


def floor_tokens_per_second(
    model: Transducer[Any, Any], device: torch.device, bfloat16: bool, clock: Callable[[], float] = time.perf_counter
) -> float:
    """The tokens that a step would take each second if it were these products alone, measured here and now."""
    rows, precision = _ROWS[device.type], torch.bfloat16 if bfloat16 else torch.float32
    counted = products(model)
    seconds = sum(
        count * taken
        for count, taken in zip(counted.values(), _seconds(counted, rows, device, precision, clock), strict=True)
    )
    return rows / max(seconds, 1e-9)


def _seconds(
    shapes: Iterable[Shape], rows: int, device: torch.device, precision: torch.dtype, clock: Callable[[], float]
) -> Iterable[float]:
    """The time of a product and of the two of its backward pass, for each shape, when they are not the first."""
    turns = _TURNS[device.type]
    for outputs, inputs in shapes:
        states, weight, slopes = (
            torch.ones(shape, dtype=precision, device=device).uniform_()
            for shape in ((rows, inputs), (outputs, inputs), (rows, outputs))
        )
        for _ in range(2):
            if device.type == "cuda":
                torch.cuda.synchronize(device)
            began = clock()
            for _ in range(turns):
                states @ weight.T, slopes @ weight, slopes.T @ states
            if device.type == "cuda":
                torch.cuda.synchronize(device)
            taken = (clock() - began) / turns
        yield taken
