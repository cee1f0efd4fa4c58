"""Four numbers that describe an attention head, each a mean over its rows.

entropy     -sum_j p_j log p_j, in nats
distance    sum_j p_j |i - j|, in positions
special     the weight on special tokens
diagonal    the weight within one position of the matrix's diagonal
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor


def statistics(weights: Float[Tensor, "head query key"], special: list[bool]) -> dict[str, Any]:
    """The four numbers of each head."""
    _, queries, keys = weights.shape
    entropy = -torch.xlogy(weights, weights).sum(-1)
    rows, columns = torch.arange(queries).unsqueeze(1), torch.arange(keys)
    distance = (weights * (rows - columns).abs()).sum(-1)
    # Whether |column - row (keys - 1) / (queries - 1)| <= 1, in whole numbers: no rounding decides what is exactly 1.
    steps = max(queries - 1, 1)
    near = (columns * steps - rows * (keys - 1)).abs() <= steps
    on_special = weights[:, :, torch.tensor(special[:keys], dtype=torch.bool)].sum(-1)
    return {
        "entropy": entropy.mean(1).tolist(),
        "distance": distance.mean(1).tolist(),
        "special": on_special.mean(1).tolist(),
        "diagonal": (weights * near).sum(-1).mean(1).tolist(),
    }
