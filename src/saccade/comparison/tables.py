"""Tables, figures and numbers as HTML, for all sections of the page."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Data = Mapping[str, Any]
Figures = Mapping[str, str]


def grid(figures: Figures, captions: Mapping[str, str]) -> str:
    """The figures that there are, two in a row, each above its caption."""
    cells = [
        f"<figure>{figures[name]}<figcaption>{caption}</figcaption></figure>"
        for name, caption in captions.items()
        if name in figures
    ]
    return f"<div class='two'>{''.join(cells)}</div>"


def table(
    head: Sequence[str], rows: Iterable[tuple[Sequence[str], str]], caption: str, texts: Sequence[int] = ()
) -> str:
    """A table; each row with the class of its line. Columns of `texts` hold words and may wrap."""

    def cell(kind: str, place: int, content: str) -> str:
        return f"<{kind} class='text'>{content}</{kind}>" if place in texts else f"<{kind}>{content}</{kind}>"

    lines = "".join(
        f"<tr class='{mark}'>" + "".join(cell("td", place, content) for place, content in enumerate(cells)) + "</tr>"
        for cells, mark in rows
    )
    top = "".join(cell("th", place, content) for place, content in enumerate(head))
    below = f"<p class='soft'>{caption}</p>" if caption else ""
    return f"<div class='wide'><table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>{below}"


def signed(value: float | None) -> str:
    """A difference, coloured by its sign."""
    if value is None:
        return ""
    mark = "up" if value > 0 else "down"
    return f"<span class='{mark}'>{minus(value)}</span>"


def minus(value: float) -> str:
    """With its sign, and a minus that is as wide as the plus."""
    return f"{value:+.1f}".replace("-", "−")


def count(value: float) -> str:
    """A number in three digits and a letter for its size."""
    for size, name in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{value / (1e3 if name == 'k' else size):.3g} {name}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
