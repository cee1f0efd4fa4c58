"""How every toy network of the claims learns: Adam for a given number of steps, on batches made as they are needed."""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.claims.claim import Progress


def learn(
    network: nn.Module,
    loss: Callable[[], Float[Tensor, ""]],
    steps: int,
    progress: Progress,
    rate: float = 3e-3,
    enough: Callable[[int, float], bool] | None = None,
) -> list[float]:
    """Lowers the loss, step by step, and gives back what it was at each; stops early when `enough` says so.

    The rate rises over the first tenth of the steps and falls along a line to zero after: attention with its norm
    after the sum needs the first, and every network profits from the second. Gradients are clipped to norm 1.
    """
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    warm = max(steps // 10, 1)
    losses: list[float] = []
    network.train()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate * min((step + 1) / warm, (steps - step) / (steps - warm + 1))
        optimizer.zero_grad()
        value = loss()
        value.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        losses.append(value.item())
        progress((step + 1) / steps)
        if enough is not None and enough(step, losses[-1]):
            break
    network.eval()
    return losses


def cross_entropy(scores: Float[Tensor, "*rows classes"], wanted: Int[Tensor, "*rows"]) -> Float[Tensor, ""]:
    """The mean negative log-probability of the wanted classes."""
    return functional.cross_entropy(scores.flatten(0, -2), wanted.flatten())


def accuracy(scores: Float[Tensor, "*rows classes"], wanted: Int[Tensor, "*rows"]) -> float:
    """The share of rows in which the wanted class has the highest score."""
    return (scores.argmax(dim=-1) == wanted).double().mean().item()


def share(progress: Progress, done: int, total: int) -> Progress:
    """The progress of one part out of several equal ones."""
    return lambda part: progress((done + part) / total)
