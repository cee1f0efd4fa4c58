"""Figures of lines: which systems there is room for, and their names at the ends of their lines.

Seven lines are as many as can be told apart. Of more systems, those are left out whose score is closest to that of a
better one.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

Data = Mapping[str, Any]

MOST_LINES = 7
_TEXT_HEIGHT = 0.062
"""Of a line of text, as a share of the axes."""


def drawn_systems(data: Data) -> list[Data]:
    """The systems that are drawn, in their order; the best is always among them."""
    systems: list[Data] = list(data["systems"])
    sign = 1 if data["metric"]["higher_is_better"] else -1
    while len(systems) > MOST_LINES:
        ranked = sorted(systems, key=lambda one: sign * float(one["score"]["mean"]))
        _, place = min(
            (sign * (better["score"]["mean"] - worse["score"]["mean"]), place)
            for place, (worse, better) in enumerate(pairwise(ranked))
        )
        systems.remove(ranked[place])
    return systems


def name_lines(axes: Axes) -> None:
    """Writes the name of each line to the right of the axes, as near to the height of its end as others allow."""
    ends: list[tuple[float, Line2D, Any]] = []
    for line in axes.get_lines():
        points = line.get_xydata()
        if str(line.get_label()).startswith("_") or points is None or not len(points):  # type: ignore[arg-type]
            continue
        end = points[-1]  # type: ignore[index]
        ends.append((float(axes.transAxes.inverted().transform(axes.transData.transform(end))[1]), line, end))
    ends.sort(key=lambda one: one[0])
    heights = [_TEXT_HEIGHT * (1 + str(line.get_label()).count("\n")) for _, line, _ in ends]
    for (_, line, end), place in zip(ends, apart([wish for wish, _, _ in ends], heights), strict=True):
        axes.annotate(
            str(line.get_label()),
            (float(end[0]), float(end[1])),
            (1.04, place),
            xycoords="data",
            textcoords="axes fraction",
            color=line.get_color(),
            fontsize=8.5,
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": line.get_color(), "linewidth": 0.5, "alpha": 0.5, "shrinkB": 4},
        )


def apart(wishes: Sequence[float], heights: Sequence[float]) -> list[float]:
    """Places for texts of these heights, in the order of what they wish for and near to it, none over another.

    Texts that would overlap form a block around the mean of what they wish for; blocks that overlap become one.
    """
    blocks: list[tuple[list[float], float]] = []  # where its first text would be by the wish of each, and its height
    for wish, height in zip(wishes, heights, strict=True):
        block = ([wish - height / 2], height)
        while blocks and _bottom(blocks[-1]) + blocks[-1][1] > _bottom(block):
            below, size = blocks.pop()
            block = (below + [one - size for one in block[0]], size + block[1])
        blocks.append(block)
    places, number = [], 0
    for block in blocks:
        bottom = _bottom(block)
        for _ in block[0]:
            places.append(bottom + heights[number] / 2)
            bottom += heights[number]
            number += 1
    return places


def _bottom(block: tuple[list[float], float]) -> float:
    return sum(block[0]) / len(block[0])
