"""Small SVG pictures: a table of numbers with shades, bars, and lines over two axes.

Written as text that a person can read, with every number rounded, so that the same values give the same file on every
machine. The paper is white in both colour schemes of the site: a picture inside a page cannot ask which is chosen.
"""

from collections.abc import Mapping, Sequence
from html import escape

INK, FAINT, GRID = "#14181d", "#5b6570", "#d9dee4"
COLOURS = ("#1f5fa8", "#b3471d", "#2b7a3d", "#6b3fa0", "#8a6d00")
DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 2")
SIZE = 13
LETTER, BOLD = 7.3, 8.2
"""About how wide a letter of that size is; and a bold one."""


class Canvas:
    """Shapes one after another."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self._shapes: list[str] = []

    def text(
        self, x: float, y: float, words: str, anchor: str = "middle", colour: str = INK, bold: bool = False
    ) -> None:
        """Words whose baseline is at y."""
        weight = ' font-weight="600"' if bold else ""
        self._shapes.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{weight}>{escape(words)}</text>'
        )

    def rectangle(self, x: float, y: float, width: float, height: float, colour: str, opacity: float = 1.0) -> None:
        """A filled rectangle."""
        self._shapes.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}" '
            f'fill-opacity="{opacity:.2f}"/>'
        )

    def path(self, points: Sequence[tuple[float, float]], colour: str, width: float = 1.0, dash: str = "") -> None:
        """A line through points."""
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self._shapes.append(
            f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="{width:.1f}"{dashed}/>'
        )

    def svg(self) -> str:
        """The file."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:.0f} {self.height:.0f}" '
            f'width="{self.width:.0f}" height="{self.height:.0f}" role="img" font-family="sans-serif" '
            f'font-size="{SIZE}">'
        )
        paper = f'<rect width="{self.width:.0f}" height="{self.height:.0f}" rx="6" fill="#ffffff"/>'
        return "\n".join([head, f"<title>{escape(self.title)}</title>", paper, *self._shapes, "</svg>", ""])


def heat(
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float]],
    *,
    down: str = "",
    across: str = "",
    digits: int = 2,
    largest: float | None = None,
) -> str:
    """A table in which a larger number has a darker ground; below zero the ground is of another colour."""
    cell = max(54.0, max(map(len, columns)) * LETTER + 12)
    left, top, high = max(len(label) for label in [*rows, down]) * LETTER + 24, 78.0, 32.0
    canvas = Canvas(max(left + cell * len(columns), len(title) * BOLD) + 20, top + high * len(rows) + 16, title)
    canvas.text(12, 22, title, "start", bold=True)
    canvas.text(left + cell * len(columns) / 2, 46, across, colour=FAINT)
    canvas.text(left - 10, 68, down, "end", FAINT)
    for place, label in enumerate(columns):
        canvas.text(left + cell * (place + 0.5), 68, label)
    most = largest or max(abs(value) for row in values for value in row) or 1.0
    for line, (label, row) in enumerate(zip(rows, values, strict=True)):
        y = top + high * line
        canvas.text(left - 10, y + 21, label, "end")
        for place, value in enumerate(row):
            share = abs(value) / most
            canvas.rectangle(left + cell * place, y, cell - 2, high - 2, COLOURS[value < 0], max(share, 0.03))
            shown = f"{value:.{digits}f}"
            canvas.text(left + cell * (place + 0.5) - 1, y + 20, shown, colour="#ffffff" if share > 0.8 else INK)
    return canvas.svg()


def bars(title: str, values: Mapping[str, float], *, digits: int = 2, unit: str = "") -> str:
    """One bar a name, each with its number."""
    left, wide = max(map(len, values)) * LETTER + 24, 300.0
    canvas = Canvas(max(left + wide + 90, len(title) * BOLD + 24), 44 + 28 * len(values) + 10, title)
    canvas.text(12, 22, title, "start", bold=True)
    most = max(values.values())
    for line, (name, value) in enumerate(values.items()):
        y = 44 + 28 * line
        canvas.text(left - 10, y + 15, name, "end")
        canvas.rectangle(left, y, max(wide * value / most, 1), 20, COLOURS[0])
        canvas.text(left + wide * value / most + 8, y + 15, f"{value:,.{digits}f}{unit}", "start")
    return canvas.svg()


def lines(
    title: str,
    series: Mapping[str, Sequence[tuple[float, float]]],
    *,
    across: str,
    ticks: Sequence[float],
    heights: Sequence[float],
    digits: int = 1,
) -> str:
    """Curves over two axes, each named at its end; ticks and heights are what the axes show, and where they end."""
    left, top, wide, high = 64.0, 44.0, 420.0, 210.0
    names = max(map(len, series)) * LETTER + 20
    canvas = Canvas(max(left + wide + names, len(title) * BOLD + 24), top + high + 58, title)
    canvas.text(12, 22, title, "start", bold=True)
    canvas.text(left + wide / 2, top + high + 44, across, colour=FAINT)

    def place(x: float, y: float) -> tuple[float, float]:
        right = (x - ticks[0]) / (ticks[-1] - ticks[0])
        up = (y - heights[0]) / (heights[-1] - heights[0])
        return left + wide * right, top + high * (1 - up)

    for height in heights:
        canvas.path([place(ticks[0], height), place(ticks[-1], height)], GRID)
        canvas.text(left - 8, place(ticks[0], height)[1] + 4, f"{height:.{digits}f}", "end", FAINT)
    for tick in ticks:
        canvas.text(place(tick, 0)[0], top + high + 20, f"{tick:g}", colour=FAINT)
    ends = _apart([place(*points[-1])[1] for points in series.values()])
    for number, ((name, points), end) in enumerate(zip(series.items(), ends, strict=True)):
        canvas.path([place(*point) for point in points], COLOURS[number], 2.0, DASHES[number])
        canvas.text(place(*points[-1])[0] + 8, end + 4, name, "start", COLOURS[number])
    return canvas.svg()


def _apart(places: Sequence[float], least: float = 16.0) -> list[float]:
    """The same heights, moved up where two names would cover each other."""
    moved, last = {}, float("inf")
    for number in sorted(range(len(places)), key=lambda number: -places[number]):
        last = min(places[number], last - least)
        moved[number] = last
    return [moved[number] for number in range(len(places))]
