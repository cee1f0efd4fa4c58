"""Ways to draw what several claims have measured."""

from collections.abc import Mapping, Sequence
from typing import Any


def plot_every_seed(axes: Any, columns: Mapping[str, Sequence[float]]) -> None:
    """A column of points for each label, one point for each seed."""
    for place, values in enumerate(columns.values()):
        axes.plot([place] * len(values), values, "o", markersize=9, alpha=0.7)
    axes.set(xlim=(-0.5, len(columns) - 0.5), xticks=range(len(columns)))
    axes.set_xticklabels(list(columns))


def tick_only(axes: Any, places: Sequence[int]) -> None:
    """Ticks at these places of a logarithmic horizontal axis, and at no others."""
    axes.set_xticks(places, [str(place) for place in places])
    axes.minorticks_off()
