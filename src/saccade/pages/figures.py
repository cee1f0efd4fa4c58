"""Matplotlib figures of reports: their style, as files, and as SVG inside a page.

Lines and text are drawn in one ink colour. Inside a page it becomes the colour of the text around the figure, so that
the figure can be read on light and on dark.
"""

import html
import io
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

INK = "#14181d"
_PAPER = "#ffffff"
_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.fontsize": 9,
}


def figure_style(more: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Figures drawn inside the block have the common style; `more` are further settings of matplotlib."""
    settings: dict[Any, Any] = {**_STYLE, **more}
    return matplotlib.rc_context(settings)


def save(figure: Figure, path: Path) -> None:
    """Writes PNG and SVG beside each other, on white."""
    for ending in ("png", "svg"):
        with figure_style({"svg.hashsalt": path.name}):
            figure.savefig(
                path.with_suffix(f".{ending}"),
                dpi=160,
                facecolor=_PAPER,
                metadata={"Date": None} if ending == "svg" else None,
            )


def inline_svg(figure: Figure, name: str, label: str | None = None) -> str:
    """The figure as an element of a page; `name` must be unique in the page, `label` is read to those who cannot see.

    Ids inside an SVG are ids of the page, so they get the name as a prefix; the same salt makes them equal every time.
    The page gives the width, and without width and height of its own the figure's height follows from its view box.
    """
    buffer = io.StringIO()
    with figure_style({"svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", svg)
    if label is None:
        return svg
    return svg.replace("<svg ", f'<svg role="img" aria-label="{html.escape(label)}" ', 1)
