"""Plots as text inside a page: drawn by matplotlib, in colours that a light and a dark page both can carry."""

import io
import re
from typing import Any

from saccade.claims.claim import Claim, Measured

_INK = "#0a0b0c"
"""Whatever is drawn in this colour takes the colour of the text around it."""

_STYLE: dict[str, Any] = {
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "axes.titlecolor": _INK,
    "text.color": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
    "font.size": 10.0,
    "axes.titlesize": 10.0,
    "legend.fontsize": 9.0,
    "lines.linewidth": 1.8,
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
}

# Told apart by people who see colours differently, and on white as well as on black.
_COLOURS = ["#3b82d6", "#e07b26", "#2a9d72", "#c2528b", "#8a6fd1", "#a08a1d", "#d14b4b"]


def draw(claim: Claim, measured: Measured) -> str:
    """The plot of a claim as SVG, to stand inside a page."""
    text = _saved(claim, measured, "svg").decode("utf-8")
    svg = text[text.index("<svg") :].replace(_INK, "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # Names inside an SVG are names of the page it stands in.
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{claim.id}-", svg)
    # The page gives the width; without these two the height follows from the view box.
    svg = re.sub(
        r'(<svg[^>]*?) width="[^"]*"', r"\1", re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1), count=1
    )
    return svg.replace("<svg ", f'<svg role="img" aria-label="{claim.id}: plot" ', 1)


def picture(claim: Claim, measured: Measured) -> bytes:
    """The plot of a claim as PNG on white, for places where a page cannot go."""
    return _saved(claim, measured, "png", facecolor="white", dpi=144)


def _saved(claim: Claim, measured: Measured, kind: str, **options: Any) -> bytes:
    import matplotlib
    from cycler import cycler
    from matplotlib.figure import Figure

    # Names inside an SVG are made with this salt, so that they are the same on every day.
    style: Any = {**_STYLE, "axes.prop_cycle": cycler(color=_COLOURS), "svg.hashsalt": claim.id}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(6.4, 3.4), layout="constrained")
        claim.plot(figure, measured)
        file = io.BytesIO()
        if kind == "svg":
            options["metadata"] = {"Date": None}
        figure.savefig(file, format=kind, **options)
    return file.getvalue()
