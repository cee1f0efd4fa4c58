"""One layer of each row of Table 1, with a clock beside the count: Vaswani et al. 2017, section 4.

    self-attention               4 n d^2 + 2 n^2 d       the projections, then scores and mixture
    recurrent (LSTM)             8 n d^2                 four gates, each from the input and from the state
    convolutional (gated)        2 k n d^2               a window of k positions, a value and a gate
    restricted self-attention    4 n d^2 + 2 r' n d      r' keys are computed for a query that sees r of them

are the multiply-adds of the layers this package has; the table's own entries leave out constants and projections.
What a layer takes also depends on how well a machine can do its products at once, which no count shows.
"""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from saccade.attention.masks import Visibility
from saccade.attention.multihead import MultiHeadAttention
from saccade.errors import InputError
from saccade.layers.convolution import GatedConvolution
from saccade.layers.rnn import RNNStack
from saccade.models.contract import Transducer

KINDS = ("self-attention", "recurrent", "convolutional", "restricted")

_SHORTEST, _LONGEST = 4, 2048
# Multiply-adds of a whole measurement: two or three seconds of one processor core.
_WORK = 40_000_000_000

Layer = Callable[[Float[Tensor, "1 length width"]], Float[Tensor, "1 length width"]]
Clock = Callable[[], float]


@dataclass(frozen=True, kw_only=True)
class Sizes:
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


def layer(kind: str, sizes: Sizes) -> tuple[nn.Module, Layer]:
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
    attention = MultiHeadAttention(width, sizes.heads, width // sizes.heads, width // sizes.heads)
    visibility = Visibility(window=sizes.reach // 2 if kind == "restricted" else None)
    return attention, lambda states: attention.mix(*attention.project(states), visibility)


def multiply_adds(kind: str, length: int, sizes: Sizes) -> int:
    """What that layer multiplies and adds for a sentence of this length."""
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
    """The scores a restricted attention computes: by blocks that see three blocks, or all while there are few."""
    block = reach // 2 + 1
    if length <= 4 * block:
        return length * length
    return -(-length // block) * block * 3 * block


def affordable(sizes: Sizes, repeats: int, work: int) -> list[int]:
    """Lengths 4, 8, 16 ..., as long as all measurements together stay within this many multiply-adds."""
    lengths: list[int] = []
    length, spent = _SHORTEST, 0
    while length <= _LONGEST:
        spent += (repeats + 1) * sum(multiply_adds(kind, length, sizes) for kind in KINDS)
        if spent > work and len(lengths) > 2:
            break
        lengths.append(length)
        length *= 2
    return lengths


def sizes_of(model: Transducer[Any, Any], config: Any) -> Sizes:
    """The sizes of a model; one without heads is measured with one."""
    heads = getattr(config, "heads", 1)
    return Sizes(width=model.width, heads=heads if model.width % heads == 0 else 1)


def measured_cost(
    sizes: Sizes,
    *,
    clock: Clock,
    date: str,
    device: torch.device | None = None,
    repeats: int = 5,
    lengths: list[int] | None = None,
    among: int | None = None,
    work: int = _WORK,
) -> dict[str, Any]:
    """The seconds that one layer of each kind takes, by length: the median of several calls after one for warming up.

    Without `lengths` there are as many as this much work allows, `among` them the one asked for if it is not longer.

    Weights and states are random, drawn aside so that no other draw changes: what they are does not matter here.
    """
    device = device or torch.device("cpu")
    lengths = lengths or affordable(sizes, repeats, work)
    if among is not None and 1 <= among <= lengths[-1]:
        lengths = sorted({*lengths, among})
    rows: dict[str, Any] = {}
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        for kind in KINDS:
            module, compute = layer(kind, sizes)
            module.to(device).eval()
            rows[kind] = {
                "seconds": [
                    _seconds(compute, torch.randn(1, length, sizes.width).to(device), repeats, clock)
                    for length in lengths
                ],
                "multiply_adds": [multiply_adds(kind, length, sizes) for length in lengths],
            }
    return {
        "schema": "explore-cost/1",
        "d": sizes.width,
        "heads": sizes.heads,
        "k": sizes.kernel,
        "r": sizes.reach,
        "lengths": lengths,
        "kinds": rows,
        "repeats": repeats,
        "machine": _machine(device),
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "date": date,
    }


def _seconds(compute: Layer, states: Float[Tensor, "1 length width"], repeats: int, clock: Clock) -> float:
    compute(states)
    times = []
    for _ in range(repeats):
        _wait(states.device)
        began = clock()
        compute(states)
        _wait(states.device)
        times.append(clock() - began)
    return median(times)


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _machine(device: torch.device) -> str:
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{platform.machine()} processor, {platform.system()}"
