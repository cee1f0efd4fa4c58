"""Several checkpoints made one."""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from saccade.errors import InputError
from saccade.training.checkpoint import read_weights


def average(folders: Sequence[Path]) -> dict[str, Tensor]:
    """The arithmetic mean of each tensor over checkpoints (Vaswani et al. 2017, section 6.1).

    Summed in float64 and rounded once, so that the order of the checkpoints does not show. One checkpoint is held
    in memory at a time.
    """
    if not folders:
        raise InputError("`folders` must name at least one checkpoint, but is empty.")
    first = read_weights(folders[0])
    sums = {name: tensor.double() for name, tensor in first.items()}
    for folder in folders[1:]:
        weights = read_weights(folder)
        if {name: tensor.shape for name, tensor in weights.items()} != {n: s.shape for n, s in sums.items()}:
            raise InputError(f"{folder} must hold the same tensors as {folders[0]}, but holds others.")
        for name, tensor in weights.items():
            sums[name] += tensor
    with torch.no_grad():
        return {name: (total / len(folders)).to(first[name].dtype) for name, total in sums.items()}
