"""The time that one layer of each row of Table 1 takes on the CPU of this machine, beside its multiply-adds.

The layers and their counts are those of `layers/vaswani_table_1.py`. How long a layer takes also depends on how well
the hardware runs its products in parallel, which no count shows.
"""

import platform
from collections.abc import Callable
from statistics import median
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.cancellation import Cancellation
from saccade.layers.vaswani_table_1 import KINDS, Layer, Table1Sizes, layer, multiply_adds
from saccade.models.contract import Transducer

_SHORTEST, LONGEST = 4, 2048
# Multiply-adds of a whole measurement: two or three seconds on one CPU core.
_WORK = 40_000_000_000

Clock = Callable[[], float]


def affordable(sizes: Table1Sizes, repeats: int, work: int) -> list[int]:
    """Lengths 4, 8, 16 ..., as long as all measurements together stay within this many multiply-adds."""
    lengths: list[int] = []
    length, spent = _SHORTEST, 0
    while length <= LONGEST:
        spent += (repeats + 1) * sum(multiply_adds(kind, length, sizes) for kind in KINDS)
        if spent > work and len(lengths) > 2:
            break
        lengths.append(length)
        length *= 2
    return lengths


def sizes_of(model: Transducer[Any, Any], config: Any) -> Table1Sizes:
    """The sizes of a model; one without heads is measured with one."""
    heads = getattr(config, "heads", 1)
    return Table1Sizes(width=model.width, heads=heads if model.width % heads == 0 else 1)


def measured_cost(
    sizes: Table1Sizes,
    *,
    clock: Clock,
    date: str,
    repeats: int = 5,
    lengths: list[int] | None = None,
    among: int | None = None,
    work: int = _WORK,
    cancellation: Cancellation | None = None,
) -> dict[str, Any]:
    """The seconds that one layer of each kind takes, by length: the median of several calls after one warm-up call.

    The fastest and the slowest call are kept beside it: on a machine that is busy with something else they are far
    apart, and the page says so. Without `lengths`, they double as long as `work` allows, and `among` is added if it is
    not longer. Weights and states are random; the global random state is restored afterwards.
    """
    cancellation = cancellation or Cancellation()
    lengths = lengths or affordable(sizes, repeats, work)
    if among is not None and 1 <= among <= lengths[-1]:
        lengths = sorted({*lengths, among})
    rows: dict[str, Any] = {}
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        for kind in KINDS:
            module, compute = layer(kind, sizes)
            module.eval()
            measured = [
                _seconds(compute, torch.randn(1, length, sizes.width), repeats, clock, cancellation)
                for length in lengths
            ]
            rows[kind] = {
                "seconds": [median(times) for times in measured],
                "fastest": [min(times) for times in measured],
                "slowest": [max(times) for times in measured],
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
        "machine": f"{platform.machine()} CPU, {platform.system()}",
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "date": date,
    }


def _seconds(
    compute: Layer, states: Float[Tensor, "1 length width"], repeats: int, clock: Clock, cancellation: Cancellation
) -> list[float]:
    compute(states)
    times = []
    for _ in range(repeats):
        cancellation.check()
        began = clock()
        compute(states)
        times.append(clock() - began)
    return times
