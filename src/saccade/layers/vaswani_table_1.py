"""One layer of each row of Table 1 in Vaswani et al. 2017, section 4, and its multiply-adds.

    self-attention               4 n d^2 + 2 n^2 d       the projections, then scores and weighted sums
    recurrent (LSTM)             8 n d^2                 four gates, each from the input and from the state
    convolutional (gated)        2 k n d^2               a window of k positions, a value and a gate
    restricted self-attention    4 n d^2 + 2 r' n d      r' keys are computed for a query that sees r of them

The table's own entries leave out constants and projections.
"""

from collections.abc import Callable
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor, nn

from saccade.attention.masks import Visibility
from saccade.attention.multihead import MultiHeadAttention
from saccade.errors import InputError
from saccade.layers.convolution import GatedConvolution
from saccade.layers.rnn import RNNStack

KINDS = ("self-attention", "recurrent", "convolutional", "restricted")

Layer = Callable[[Float[Tensor, "1 length width"]], Float[Tensor, "1 length width"]]


@dataclass(frozen=True, kw_only=True)
class Table1Sizes:
    """The letters of Table 1 but n.

    width    d, the length of a position's vector
    heads    how many heads share it; the table's count does not depend on them
    kernel   k, the positions a convolution sees at once
    reach    r, the positions a restricted attention sees: as many on each side and its own, so it is odd
    """

    width: int
    heads: int = 1
    kernel: int = 3
    reach: int = 5

    def __post_init__(self) -> None:
        for name in ("width", "heads", "kernel", "reach"):
            if getattr(self, name) < 1:
                raise InputError(f"`{name}` must be at least 1, but is {getattr(self, name)}. Choose a larger one.")
        if self.width % self.heads:
            raise InputError(f"`width` must be a multiple of {self.heads} heads, but is {self.width}. Change one.")
        for name in ("kernel", "reach"):
            if getattr(self, name) % 2 == 0:
                raise InputError(f"`{name}` must be odd, but is {getattr(self, name)}. Take one more or one less.")


def layer(kind: str, sizes: Table1Sizes) -> tuple[nn.Module, Layer]:
    """One layer of this kind, from states to states, and the module with its weights."""
    width = sizes.width
    match kind:
        case "recurrent":
            recurrent = RNNStack("lstm", width, width)
            return recurrent, lambda states: recurrent(states, recurrent.initial_state(states))[0]
        case "convolutional":
            product = nn.Linear(sizes.kernel * width, 2 * width)
            convolution = GatedConvolution(product, sizes.kernel, sizes.kernel // 2)
            return convolution, convolution
    return attention_layer(width, sizes.heads, sizes.reach // 2 if kind == "restricted" else None)


def attention_layer(width: int, heads: int, window: int | None = None) -> tuple[MultiHeadAttention, Layer]:
    """Self-attention; with a window, each query sees this many keys on either side."""
    attention = MultiHeadAttention(width, heads, width // heads, width // heads)
    visibility = Visibility(window=window)
    return attention, lambda states: attention.mix(*attention.project(states), visibility)


def multiply_adds(kind: str, length: int, sizes: Table1Sizes) -> int:
    """The multiply-adds of that layer for a sentence of this length."""
    n, d = length, sizes.width
    match kind:
        case "recurrent":
            return 8 * n * d * d
        case "convolutional":
            return 2 * sizes.kernel * n * d * d
        case "restricted":
            return 4 * n * d * d + 2 * _computed(n, sizes.reach) * d
    return 4 * n * d * d + 2 * n * n * d


def _computed(length: int, reach: int) -> int:
    """The scores that restricted attention computes: each block of queries against three blocks of keys."""
    block = reach // 2 + 1
    if length <= 4 * block:
        return length * length
    return -(-length // block) * block * 3 * block
