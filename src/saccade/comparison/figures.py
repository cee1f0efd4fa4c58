"""The figures of a comparison, drawn from its report: each a function from plain values to a figure.

A system has the same colour and the same mark wherever it appears.
"""

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from saccade.comparison.line_figures import drawn_systems, name_lines
from saccade.pages.figures import INK, figure_style

Data = Mapping[str, Any]

_COLOURS = (
    "#7a7f87",
    "#b07aa1",
    "#e0912f",
    "#59a14f",
    "#17a2b8",
    "#c8a415",
    "#9c6b4e",
    "#4e79d7",
    "#d9534f",
    "#8e63ce",
)
_MARKS = "osD^vP<>X*"
_LOOK = "#2f7de1"
_GRID: dict[str, Any] = {
    "axes.linewidth": 0.6,
    "axes.axisbelow": True,
    "grid.color": INK,
    "grid.alpha": 0.12,
    "grid.linewidth": 0.6,
}
_BESIDE = 32  # characters that fit beside a figure
_WIDTH, _HEIGHT, _LINE = 5.8, 3.3, 0.16  # inches


def draw(data: Data) -> Iterator[tuple[str, Figure]]:
    """Every figure that the report has numbers for, by name."""
    plain: list[tuple[str, Callable[[Data, Figure], None]]] = [("quality", _quality)]
    if len(data["systems"][0]["by_length"]) > 1:
        plain.append(("length", _by_length))
    plain += [("learning-time", _learning("seconds", "seconds of training"))]
    if all(system["operations_per_token"] for system in data["systems"]):
        plain.append(("learning-operations", _learning("operations", "floating point operations spent in training")))
    if all(run.get("training_curve") for system in data["systems"] for run in system["runs"]):
        plain.append(("learning-loss", _training_loss))
    plain += [("speed", _speed)]
    for name in ("sequential_steps", "source_path", "target_path"):
        if any(count is not None for system in data["systems"] for count in system["structure"][name]["counts"]):
            plain.append((name.replace("_", "-"), _structure(name)))
    for name, fill in plain:
        with figure_style(_GRID):
            figure = Figure(figsize=(_WIDTH, _HEIGHT + _LINE * _further_lines(data)), layout="constrained")
            fill(data, figure)
        yield name, figure
    for number in range(len(data["sentences"])):
        for place, system in enumerate(data["systems"]):
            if system["alignments"]:
                with figure_style(_GRID):
                    yield f"looks-{number + 1}-{place + 1}", _look(system["alignments"][number])


def _styles(data: Data) -> list[dict[str, Any]]:
    return [
        {
            "color": _COLOURS[place % len(_COLOURS)],
            "marker": _MARKS[place % len(_MARKS)],
            "label": _wrapped(system["label"]),
        }
        for place, system in enumerate(data["systems"])
    ]


def _drawn(data: Data) -> list[tuple[Data, dict[str, Any]]]:
    """The systems that a figure of lines has room for, each with its style."""
    chosen = {system["label"] for system in drawn_systems(data)}
    return [one for one in zip(data["systems"], _styles(data), strict=True) if one[0]["label"] in chosen]


def _wrapped(label: str) -> str:
    """The name of a system in lines that fit beside a figure: broken after its architecture, then between settings."""
    architecture, colon, settings = label.partition(":")
    lines = [architecture + colon, *textwrap.wrap(settings.replace(",", ", "), _BESIDE)]
    return "\n".join(lines)


def _further_lines(data: Data) -> int:
    """How many lines more than one each the names of all systems take."""
    return sum(_wrapped(system["label"]).count("\n") for system in data["systems"])


def _quality(data: Data, figure: Figure) -> None:
    """A point for each system, its interval, and a small point for each seed."""
    axes = figure.add_subplot()
    names = [_wrapped(f"{system['label']} ({system['year']})") for system in data["systems"]]
    for place, (system, style) in enumerate(zip(data["systems"], _styles(data), strict=True)):
        height, interval = -place, system["interval"]
        if interval:
            axes.plot([interval["low"], interval["high"]], [height] * 2, color=style["color"], linewidth=5, alpha=0.3)
        values = system["score"]["values"]
        axes.plot(values, [height] * len(values), "|", color=style["color"], markersize=11)
        mean = system["score"]["mean"]
        axes.plot([mean], [height], style["marker"], color=style["color"], markersize=8)
        axes.annotate(f"{mean:.1f}", (mean, height), (0, 8), textcoords="offset points", ha="center", fontsize=9)
    axes.set_yticks([-place for place in range(len(names))], names)
    axes.set_ylim(-len(names) + 0.4, 0.7)
    axes.set_xlabel(_better(data))
    axes.margins(x=0.08)
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _by_length(data: Data, figure: Figure) -> None:
    axes = figure.add_subplot()
    for system, style in _drawn(data):
        ranges = system["by_length"]
        axes.plot(range(len(ranges)), [one["score"] for one in ranges], linewidth=1.6, markersize=5, **style)
    axes.set_xticks(range(len(ranges)), [one["length"] for one in ranges])
    axes.set_xlabel(f"source {data['length_unit']}")
    axes.set_ylabel(data["metric"]["label"])
    axes.grid(axis="y")
    name_lines(axes)


def _learning(key: str, label: str) -> Callable[[Data, Figure], None]:
    def fill(data: Data, figure: Figure) -> None:
        axes = figure.add_subplot()
        scored = all(
            point["score"] is not None for one in data["systems"] for run in one["runs"] for point in run["curve"]
        )
        for system, style in _drawn(data):
            for xs, ys in _curves([run["curve"] for run in system["runs"]], key, "score" if scored else "perplexity"):
                axes.plot(xs, ys, linewidth=1.6, markersize=4, **style)
                style = {**style, "label": None}
        axes.set_xlabel(label)
        axes.set_ylabel(f"{data['metric']['label'] if scored else 'perplexity'}, validation")
        axes.set_xscale("log")
        if key == "seconds":
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        if not scored:
            axes.set_yscale("log")
        axes.grid()
        name_lines(axes)

    return fill


def _training_loss(data: Data, figure: Figure) -> None:
    axes = figure.add_subplot()
    for system, style in _drawn(data):
        for xs, ys in _curves([run["training_curve"] for run in system["runs"]], "tokens", "loss"):
            axes.plot(xs, ys, linewidth=1.4, **{**style, "marker": ""})
            style = {**style, "label": None}
    axes.set_xlabel("target tokens read")
    axes.set_ylabel("training loss, nats a token")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid()
    name_lines(axes)


def _curves(curves: Sequence[Sequence[Data]], key: str, measure: str) -> Iterator[tuple[list[float], list[float]]]:
    """The mean curve of all seeds where they were measured at the same steps, else each by itself."""
    if len({tuple(point["step"] for point in curve) for curve in curves}) == 1:
        columns = list(zip(*curves, strict=True))
        yield (
            [fmean(one[key] for one in column) for column in columns],
            [fmean(one[measure] for one in column) for column in columns],
        )
        return
    for curve in curves:
        yield [point[key] for point in curve], [point[measure] for point in curve]


def _speed(data: Data, figure: Figure) -> None:
    """Target tokens a second: filled while learning, hollow while translating."""
    axes = figure.add_subplot()
    for place, (system, style) in enumerate(zip(data["systems"], _styles(data), strict=True)):
        learning = system["training_tokens_per_second"]["mean"]
        axes.plot([learning], [-place], "o", color=style["color"], markersize=9)
        _beside(axes, learning, -place)
        if system["decoding"]:
            writing = system["decoding"]["tokens_per_second"]
            axes.plot([learning, writing], [-place] * 2, color=style["color"], linewidth=1, alpha=0.6)
            axes.plot([writing], [-place], "o", color=style["color"], markersize=8, fillstyle="none")
            _beside(axes, writing, -place)
    axes.set_yticks([-place for place in range(len(data["systems"]))], [style["label"] for style in _styles(data)])
    axes.set_ylim(-len(data["systems"]) + 0.4, 0.7)
    axes.set_xscale("log")
    axes.margins(x=0.15)
    axes.set_xlabel("target tokens a second")
    handles = [
        Line2D([], [], linestyle="", marker="o", color=INK, fillstyle="full", label="learning"),
        Line2D([], [], linestyle="", marker="o", color=INK, fillstyle="none", label="translating"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)) if high > 10 * low else MaxNLocator(4))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _structure(name: str) -> Callable[[Data, Figure], None]:
    def fill(data: Data, figure: Figure) -> None:
        axes = figure.add_subplot()
        for system, style in _drawn(data):
            growth = system["structure"][name]
            pairs = [(x, y) for x, y in zip(growth["lengths"], growth["counts"], strict=True) if y is not None]
            xs, ys = zip(*pairs, strict=True) if pairs else ((), ())
            axes.plot(xs, ys, linewidth=1.6, markersize=5, **style)
        axes.set_xticks(data["systems"][0]["structure"][name]["lengths"])
        axes.set_xlabel("tokens on each side")
        axes.set_ylabel("operations")
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(axis="y")
        name_lines(axes)

    return fill


def _look(alignment: Data) -> Figure:
    """How much each target word, from top to bottom, was written from each source word."""
    sources, targets = alignment["source_words"], alignment["target_words"]
    figure = Figure(figsize=(0.9 + 0.24 * len(sources), 1.0 + 0.22 * len(targets)), layout="constrained")
    axes = figure.add_subplot()
    for row, weights in enumerate(alignment["weights"]):
        for column, weight in enumerate(weights):
            if weight > 0.01:
                alpha = min(max(weight, 0.0), 1.0)
                axes.add_patch(Rectangle((column, row), 1, 1, facecolor=_LOOK, alpha=alpha, linewidth=0))
    axes.set_xlim(0, len(sources))
    axes.set_ylim(len(targets), 0)
    axes.set_xticks([place + 0.5 for place in range(len(sources))], sources, rotation=60, ha="left", fontsize=8)
    axes.set_yticks([place + 0.5 for place in range(len(targets))], targets, fontsize=8)
    axes.xaxis.tick_top()
    axes.tick_params(length=0, pad=2)
    for side in axes.spines.values():
        side.set_visible(True)
        side.set_alpha(0.3)
    return figure


def _beside(axes: Axes, value: float, height: int) -> None:
    axes.annotate(_short(value), (value, height), (0, 8), textcoords="offset points", ha="center", fontsize=8)


def _short(value: float) -> str:
    for size, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{name}"
    return f"{value:.3g}"


def _better(data: Data) -> str:
    direction = "more" if data["metric"]["higher_is_better"] else "less"
    return f"{data['metric']['label']} ({direction} is better)"
