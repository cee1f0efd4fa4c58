"""Masked language modelling on toy sentences, and the attention weights of one position afterwards."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from saccade.attention.recording import recording
from saccade.claims.claim import Progress
from saccade.claims.measuring.toy_networks import Answering
from saccade.claims.measuring.toy_training import cross_entropy, learn


def learn_to_fill_in(
    network: Answering,
    draw: Callable[[], Int[Tensor, "rows length"]],
    places: Sequence[int],
    mask: int,
    generator: Generator,
    steps: int,
    progress: Progress,
) -> None:
    """In every sentence one of these positions, chosen at random, is replaced by `mask` and predicted."""
    maskable = torch.tensor(places)

    def loss() -> Tensor:
        words = draw()
        rows = torch.arange(len(words))
        place = maskable[torch.randint(len(places), (len(words),), generator=generator)]
        hidden = words.clone()
        hidden[rows, place] = mask
        return cross_entropy(network(hidden)[rows, place], words[rows, place])

    learn(network, loss, steps, progress)


def looks(
    network: Answering, tokens: Int[Tensor, "batch length"], place: int
) -> Float[Tensor, "batch layers heads length"]:
    """The attention weights of the word at `place` over all words, in every head of every layer."""
    with torch.no_grad(), recording(network) as record:
        network(tokens)
    return torch.stack([weights[0][:, :, place] for weights in record.values()], dim=1)
