"""How the toy networks of the claims are trained: Adam for a given number of steps, on batches drawn as needed.

learn         any network, by a loss, for so many steps
learn_until   the same, for as long as it takes
teach         a translating model, by teacher forcing on pairs of an invented language
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from saccade.claims.claim import Progress
from saccade.models.contract import Transducer
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

Line = Sequence[int]
Both = tuple[Sequences, Sequences]
"""Sentences and their translations."""

Model = Transducer[Any, Any]

_WARMUP, _ASKED = 50, 25
"""Steps until the full rate, and between two questions whether that is enough."""


def learn(
    network: nn.Module,
    loss: Callable[[], Float[Tensor, ""]],
    steps: int,
    progress: Progress,
    rate: float = 3e-3,
    enough: Callable[[int, float], bool] | None = None,
) -> list[float]:
    """Trains, and returns the loss of every step; stops early when `enough(step, loss)` is true.

    The learning rate warms up over the first tenth of the steps and then falls linearly to zero: post-norm attention
    needs the warm-up, and every network profits from the decay. Gradients are clipped to norm 1.
    """
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    warmup = max(steps // 10, 1)
    losses: list[float] = []
    network.train()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate * min((step + 1) / warmup, (steps - step) / (steps - warmup + 1))
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


def learn_until(
    network: nn.Module,
    loss: Callable[[], Float[Tensor, ""]],
    solved: Callable[[], bool],
    most: int,
    progress: Progress,
    rate: float = 3e-3,
) -> int:
    """Trains until the task is solved, and returns after how many steps; one more than `most` if it never was.

    The rate does not fall, since nobody knows in advance when the end will be. `solved` is asked every 25 steps.
    """
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    for step in range(1, most + 1):
        network.train()
        for group in optimizer.param_groups:
            group["lr"] = rate * min(step / _WARMUP, 1.0)
        optimizer.zero_grad()
        loss().backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        progress(step / most)
        if step % _ASKED == 0:
            network.eval()
            with torch.no_grad():
                if solved():
                    return step
    network.eval()
    return most + 1


def cross_entropy(scores: Float[Tensor, "*rows classes"], wanted: Int[Tensor, "*rows"]) -> Float[Tensor, ""]:
    """The mean negative log-probability of the wanted classes."""
    return functional.cross_entropy(scores.flatten(0, -2), wanted.flatten())


def accuracy(scores: Float[Tensor, "*rows classes"], wanted: Int[Tensor, "*rows"]) -> float:
    """The share of rows in which the wanted class has the highest score."""
    return (scores.argmax(dim=-1) == wanted).double().mean().item()


def share(progress: Progress, done: int, total: int) -> Progress:
    """The progress of one part out of several equal ones."""
    return lambda part: progress((done + part) / total)


def pairs(lines: Sequence[Line], translated: Callable[[Line], Line]) -> Both:
    """Sentences and their translations, each ended by EOS."""
    return Sequences.of([[*line, EOS] for line in lines]), Sequences.of([[*translated(line), EOS] for line in lines])


def teach(model: Model, draw: Callable[[], Both], steps: int, progress: Progress, rate: float = 5e-3) -> None:
    """Trains by teacher forcing on pairs drawn as needed; padding does not count."""

    def loss() -> Tensor:
        source, target = draw()
        return cross_entropy(model.decode(target.reads, model.encode(source))[target.mask], target.tokens[target.mask])

    learn(model, loss, steps, progress, rate)


def words_right(model: Model, both: Both) -> float:
    """The accuracy of the next word given the right ones before it, EOS not counted."""
    source, target = both
    words = target.mask & (target.tokens != EOS)
    with torch.no_grad():
        best = model.decode(target.reads, model.encode(source)).argmax(dim=-1)
    return (best == target.tokens)[words].double().mean().item()
