"""How much each source word mattered for each word that was written, asked in two ways that need no attention.

    gradient    |d log p(y_t) / d x_j|      the length of the gradient at the vector of source token j
    occlusion   log p(y_t) - log p(y_t | word j unknown)      what is lost when all pieces of a word become UNK

The loss of a word is divided equally among its pieces, so that what a word's pieces add up to is what was measured.
It is below zero where the target becomes more probable without the word.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from saccade.decoding.scoring import score_pairs
from saccade.explorer.passes import device_of
from saccade.explorer.tensors import Shelf
from saccade.layers.embedding import Embedding
from saccade.models.contract import Transducer
from saccade.sequences import UNK, Pairs, Sequences

AT_ONCE = 4096
"""Source tokens that go through a model together."""


def influence(
    model: Transducer[Any, Any], source: Sequence[int], target: Sequence[int], axes: dict[str, Any], shelf: Shelf
) -> dict[str, Any]:
    """Both, as a trace holds them."""
    words = [word["pieces"] for word in axes["source"]["words"]]
    tensors = shelf.put("influence", "gradient", gradient(model, source, target), "reads source")
    lost = occlusion(model, source, target, words)
    return {"tensors": tensors | shelf.put("influence", "occlusion", lost, "reads source")}


def best_head(blocks: list[dict[str, Any]], axes: dict[str, Any], shelf: Shelf) -> dict[str, Any] | None:
    """The head whose weights correlate most with occlusion, over the source tokens that belong to words."""
    reference = torch.from_numpy(shelf.arrays["influence.occlusion"])
    ordinary = [token["i"] for token in axes["source"]["tokens"] if token["special"] is None]
    found = []
    for block in blocks:
        if block["kind"] != "cross":
            continue
        for head, weights in enumerate(torch.from_numpy(shelf.arrays[block["tensors"]["weights"]])):
            agreed = agreement(weights, reference, ordinary)
            if agreed is not None:
                found.append({"block": block["id"], "head": head, "agreement": agreed})
    return max(found, key=lambda head: head["agreement"], default=None)


def gradient(
    model: Transducer[Any, Any], source: Sequence[int], target: Sequence[int]
) -> Float[Tensor, "reads source"] | None:
    """The norm of the gradient at every source vector, for every written token; None where no vectors are read."""
    read, written = (Sequences.of([tokens], device_of(model)) for tokens in (source, target))
    # cuDNN keeps no way back through a recurrence that does not train.
    with torch.enable_grad(), torch.backends.cudnn.flags(enabled=False):
        with _embedded(model, len(source)) as found:
            memory = model.encode(read)
        if not found:
            return None
        said = model.decode(written.reads, memory)[0].log_softmax(-1).gather(1, written.tokens[0].unsqueeze(1))[:, 0]
        rows = []
        for log_probability in said:
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
) -> Float[Tensor, "reads source"]:
    """The log-probability of every written token that is lost with each word, shared among the word's pieces."""
    changed = [[UNK if place in word else token for place, token in enumerate(source)] for word in words]
    rows, device = [list(source), *changed], device_of(model)
    size = max(1, AT_ONCE // max(len(source), len(target)))
    scores = []
    for start in range(0, len(rows), size):
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
    """While this is on, the first vectors that are looked up for so many tokens are where a gradient begins."""
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
