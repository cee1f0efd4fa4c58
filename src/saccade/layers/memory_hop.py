"""One hop of an end-to-end memory network: Sukhbaatar et al. 2015, section 2.1."""

from typing import TYPE_CHECKING

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from saccade.attention.alignment import softmax_where
from saccade.attention.recording import watcher


class Hop(nn.Module):
    """One look at the memory."""

    def forward(
        self,
        inner: Float[Tensor, "batch query width"],
        keys: Float[Tensor, "batch place width"],
        values: Float[Tensor, "batch place width"],
        times: tuple[Float[Tensor, "ages width"], Float[Tensor, "ages width"]],
        ages: Int[Tensor, "query place"],
        seen: Bool[Tensor, "#batch query place"],
    ) -> Float[Tensor, "batch query width"]:
        """What is found: p over u^T (A x + T_A), and with it the sum of C x + T_C.

        `times` has a row for each age. No word is copied for each position that sees it: u^T T_A is computed once for
        every age and then looked up, and the weights are gathered by age before they meet T_C.
        """
        key_times, value_times = times
        by_age = (inner @ key_times.T).gather(2, ages.expand(len(inner), -1, -1))
        scores = inner @ keys.transpose(1, 2) + by_age
        seen = seen.expand(len(inner), -1, -1)
        weights = softmax_where(scores, seen)
        found: Tensor = weights @ values
        of_age = weights.new_zeros(*weights.shape[:2], len(value_times))
        result = found + of_age.scatter_add(2, ages.expand_as(weights), weights) @ value_times
        if watch := watcher(self):
            # Keys and values differ for every query, as the age of a word does, so a trace is given only the products.
            told = {"query": inner, "scores": scores * seen}
            rest = {name: vectors.unsqueeze(1) for name, vectors in told.items()}
            rules = {"mask": seen, "score": "dot", "causal": True, "latest": True}
            watch(weights=weights.unsqueeze(1), rest=lambda: {**rest, **rules})
        return result

    if TYPE_CHECKING:
        __call__ = forward
