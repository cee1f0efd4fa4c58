"""The output projection W h + b of a search on a GPU, whatever the size of the vocabulary.

A GPU reads and writes 16 bytes at a time, where rows begin at multiples of that. With 58,101 tokens in bfloat16 they do
not, and the product, adding the bias and every look at the logits are slow. Here W has rows of zeros after its last, so
that the rows of the logits lie apart by a multiple of `ROW_STEP`; what is beyond the vocabulary is cut off as a view.
The bias is added inside the product.
"""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

ROW_STEP = 64
"""Numbers, not bytes: 128 bytes in the smallest type, a whole line of a GPU's cache."""


@dataclass(frozen=True)
class AlignedProjection:
    """W and b, filled up with zeros."""

    weight: Float[Tensor, "tokens width"]
    bias: Float[Tensor, " tokens"] | None
    vocabulary: int

    @classmethod
    def of(
        cls, weight: Float[Tensor, "vocabulary width"], bias: Float[Tensor, " vocabulary"] | None
    ) -> "AlignedProjection":
        """That of these; nothing is copied where the vocabulary fits."""
        vocabulary = len(weight)
        missing = -vocabulary % ROW_STEP
        if not missing:
            return cls(weight, bias, vocabulary)
        filled = None if bias is None else functional.pad(bias, (0, missing))
        return cls(functional.pad(weight, (0, 0, 0, missing)), filled, vocabulary)

    def __call__(self, states: Float[Tensor, "*rows width"]) -> Float[Tensor, "*rows vocabulary"]:
        """The score of each token of the vocabulary for each state."""
        return functional.linear(states, self.weight, self.bias)[..., : self.vocabulary]
