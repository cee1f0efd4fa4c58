"""The same number of parameters for every system: a model is made wider or narrower until its count matches.

The fields `width` and `*_width` of a configuration grow together, so that a model keeps its proportions; its depth
stays as it is. The width of a convolution's kernel is not one of them. Where that is too coarse, since a width must be
a multiple of the number of heads, the other widths make up the difference.
"""

import math
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import torch

from saccade.errors import ConfigError
from saccade.layers.initialisation import skip_init
from saccade.models.catalogue import build
from saccade.models.contract import Transducer
from saccade.weights import parameter_count

TOLERANCE = 0.05
_GRAINS = (8, 4, 2, 1)
"""Widths are multiples of the first of these with which the number of parameters can be met."""
_NARROW = 12


def widths(config: Any) -> dict[str, int | tuple[int, ...]]:
    """The fields that say how wide a model is, the leading one first."""
    found = {field.name: getattr(config, field.name) for field in fields(config) if _is_width(field.name)}
    wide = {name: value for name, value in found.items() if value is not None}
    leading = [name for name in wide if name == "width"]
    return {name: wide[name] for name in [*leading, *(name for name in wide if name not in leading)]}


def _is_width(name: str) -> bool:
    return name.split("_")[-1] in ("width", "widths") and "kernel" not in name


def resized(config: Any, leading: int, grain: int) -> Any:
    """The same configuration with this leading width, and the others in proportion, as multiples of `grain`."""
    wide = widths(config)
    first = next(iter(wide.values()))
    ratio = leading / (first if isinstance(first, int) else first[0])

    def scaled(value: int) -> int:
        return max(round(value * ratio / grain), 1) * grain

    changes = {
        name: scaled(value) if isinstance(value, int) else tuple(scaled(one) for one in value)
        for name, value in wide.items()
    }
    return replace(config, **changes)


def narrow(config: Any) -> Any:
    """A copy of the same depth and minimal width, for looking at how the model is connected."""
    step = math.lcm(2, getattr(config, "heads", 1))
    return resized(config, math.ceil(_NARROW / step) * step, step)


def outline(architecture: str, config: Any, vocabularies: tuple[int, int]) -> Transducer[Any, Any]:
    """The model on the meta device: enough to count its parameters."""
    with torch.device("meta"), skip_init():
        return build(architecture, config, *vocabularies)


def sized(architecture: str, config: Any, vocabularies: tuple[int, int], target: int) -> Any:
    """The configuration, made wider or narrower, whose model comes nearest to so many parameters.

    Round widths are preferred: a finer grain is tried only where a coarser one misses by more than the tolerance.
    """
    if not widths(config):
        raise ConfigError(
            f"`{architecture}` must have a field `width` to be compared at equal size, but has none. Leave it out."
        )
    nearest: tuple[float, Any, int] | None = None
    for grain in _GRAINS:
        step = math.lcm(grain, getattr(config, "heads", 1))
        for candidate, count in _around(architecture, config, vocabularies, target, step):
            miss = abs(count / target - 1)
            if nearest is None or miss < nearest[0]:
                nearest = (miss, candidate, count)
        if nearest is not None and nearest[0] <= TOLERANCE:
            return nearest[1]
    if nearest is not None:
        candidate, count = _by_other_widths(architecture, nearest[1], vocabularies, target)
        if abs(count / target - 1) <= TOLERANCE:
            return candidate
    found = "" if nearest is None else f"; the nearest it comes is {nearest[2]:,}"
    raise ConfigError(
        f"`{architecture}` must have {target:,} parameters within {TOLERANCE:.0%}, but no width gives it that{found}. "
        "Choose another number with --parameters, a smaller data.vocabulary, or fewer layers."
    )


def _around(
    architecture: str, config: Any, vocabularies: tuple[int, int], target: int, step: int
) -> Iterator[tuple[Any, int]]:
    """The widest model of at most so many parameters, and the next wider one, where both can be built."""

    def counted(multiple: int) -> tuple[Any, int] | None:
        try:
            candidate = resized(config, multiple * step, step)
            return candidate, parameter_count(outline(architecture, candidate, vocabularies))
        except ConfigError:
            return None

    low, high = 1, 2
    while (found := counted(high)) is not None and found[1] < target:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        found = counted(middle)
        low, high = (middle, high) if found is not None and found[1] <= target else (low, middle)
    for multiple in (low, high):
        if (found := counted(multiple)) is not None:
            yield found


def _by_other_widths(architecture: str, config: Any, vocabularies: tuple[int, int], target: int) -> tuple[Any, int]:
    """The same leading width, and of all other widths the multiple that comes nearest to so many parameters."""
    _, *others = widths(config).items()

    def counted(eighths: int) -> tuple[Any, int]:
        def scaled(value: int) -> int:
            return max(value * eighths // 8, 1)

        changes = {
            name: scaled(value) if isinstance(value, int) else tuple(scaled(one) for one in value)
            for name, value in others
        }
        candidate = replace(config, **changes)
        return candidate, parameter_count(outline(architecture, candidate, vocabularies))

    # From an eighth of what they are to four times as much.
    return min(map(counted, range(1, 33)), key=lambda found: abs(found[1] / target - 1))
