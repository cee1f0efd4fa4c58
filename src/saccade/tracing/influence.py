"""How much each source word mattered for each target word, measured in two ways that do not use attention weights.

    gradient    |d log p(y_t) / d x_j|      the length of the gradient at the vector of source token j
    occlusion   log p(y_t) - log p(y_t | word j unknown)      the loss when all pieces of a word become UNK

The loss of a word is divided equally among its pieces, so that they add up to what was measured. It is negative where
the target becomes more probable without the word.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from saccade.cancellation import Cancellation
from saccade.decoding.scoring import score_pairs
from saccade.layers.embedding import Embedding
from saccade.models.contract import Transducer
from saccade.sequences import Pairs, Sequences
from saccade.special_tokens import UNK
from saccade.tracing.forward_passes import device_of
from saccade.tracing.tensors import TraceTensors

BATCH_TOKENS = 4096
"""Source tokens in one batch."""


def influence(
    model: Transducer[Any, Any],
    source: Sequence[int],
    target: Sequence[int],
    axes: dict[str, Any],
    tensors: TraceTensors,
    cancellation: Cancellation | None = None,
) -> dict[str, Any]:
    """Gradient and occlusion, as a trace holds them."""
    words = [word["pieces"] for word in axes["source"]["words"]]
    names = tensors.put("influence", "gradient", gradient(model, source, target, cancellation), "reads source")
    lost = occlusion(model, source, target, words, cancellation)
    return {"tensors": names | tensors.put("influence", "occlusion", lost, "reads source")}


def best_head(blocks: list[dict[str, Any]], axes: dict[str, Any], tensors: TraceTensors) -> dict[str, Any] | None:
    """The head whose weights correlate most with occlusion, over the source tokens that belong to words."""
    reference = torch.from_numpy(tensors.arrays["influence.occlusion"])
    ordinary = [token["i"] for token in axes["source"]["tokens"] if token["special"] is None]
    found = []
    for block in blocks:
        if block["kind"] != "cross":
            continue
        for head, weights in enumerate(torch.from_numpy(tensors.arrays[block["tensors"]["weights"]])):
            agreed = agreement(weights, reference, ordinary)
            if agreed is not None:
                found.append({"block": block["id"], "head": head, "agreement": agreed})
    return max(found, key=lambda head: head["agreement"], default=None)


def gradient(
    model: Transducer[Any, Any],
    source: Sequence[int],
    target: Sequence[int],
    cancellation: Cancellation | None = None,
) -> Float[Tensor, "reads source"] | None:
    """The norm of the gradient at every source embedding, for every target token; None without embeddings."""
    cancellation = cancellation or Cancellation()
    read, written = (Sequences.of([tokens], device_of(model)) for tokens in (source, target))
    # cuDNN cannot compute gradients of a recurrent layer in evaluation mode.
    with torch.enable_grad(), torch.backends.cudnn.flags(enabled=False):
        with _embedded(model, len(source)) as found:
            memory = model.encode(read)
        if not found:
            return None
        said = model.decode(written.reads, memory)[0].log_softmax(-1).gather(1, written.tokens[0].unsqueeze(1))[:, 0]
        rows = []
        for log_probability in said:
            cancellation.check()
            (of_vectors,) = torch.autograd.grad(log_probability, found[0], retain_graph=True, allow_unused=True)
            nothing = found[0].new_zeros(len(source))
            rows.append(nothing if of_vectors is None else of_vectors[0].norm(dim=-1))
    return torch.stack(rows).detach()


@torch.no_grad()
def occlusion(
    model: Transducer[Any, Any],
    source: Sequence[int],
    target: Sequence[int],
    words: Sequence[Sequence[int]],
    cancellation: Cancellation | None = None,
) -> Float[Tensor, "reads source"]:
    """The log-probability that every target token loses with each word, divided among the word's pieces."""
    cancellation = cancellation or Cancellation()
    changed = [[UNK if place in word else token for place, token in enumerate(source)] for word in words]
    rows, device = [list(source), *changed], device_of(model)
    size = max(1, BATCH_TOKENS // max(len(source), len(target)))
    scores = []
    for start in range(0, len(rows), size):
        cancellation.check()
        some = rows[start : start + size]
        pairs = Pairs(Sequences.of(some, device), Sequences.of([target] * len(some), device))
        scores.append(score_pairs(model, pairs))
    whole, *without = torch.cat(scores)
    lost: Tensor = whole.new_zeros(len(target), len(source))
    for word, left in zip(words, without, strict=True):
        lost[:, list(word)] = ((whole - left) / len(word)).unsqueeze(1)
    return lost


def agreement(
    weights: Float[Tensor, "reads source"], reference: Float[Tensor, "reads source"], ordinary: Sequence[int]
) -> float | None:
    """The correlation of two matrices over these columns; None where one of them does not vary."""
    both = torch.stack([matrix[:, list(ordinary)].double().flatten() for matrix in (weights, reference)])
    centred = both - both.mean(dim=1, keepdim=True)
    lengths = centred.norm(dim=1)
    return None if bool((lengths < 1e-12).any()) else float((centred[0] @ centred[1]) / lengths.prod())


@contextmanager
def _embedded(model: nn.Module, length: int) -> Iterator[list[Tensor]]:
    """Inside the block, the first embeddings of this many tokens become leaves of the autograd graph."""
    found: list[Tensor] = []

    def catch(_: nn.Module, __: Any, vectors: Tensor) -> Tensor | None:
        if found or vectors.shape[:2] != (1, length):
            return None
        found.append(vectors.detach().requires_grad_())
        return found[0]

    tables = [module for module in model.modules() if isinstance(module, nn.Embedding | Embedding)]
    hooks = [module.register_forward_hook(catch) for module in tables]
    try:
        yield found
    finally:
        for hook in hooks:
            hook.remove()
