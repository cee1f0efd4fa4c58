"""The text and tables of the page, section by section, from report.json."""

from collections.abc import Iterator
from html import escape
from statistics import fmean

from saccade.comparison.learning_sections import engineering, learning, settings
from saccade.comparison.tables import Data, Figures, count, grid, minus, signed, table

_PERPLEXITIES = ("perplexity", "validation_perplexity")


def summary(data: Data, figures: Figures) -> Iterator[str]:
    """The first screen: what was compared, one table, two figures."""
    yield f"<h1>What each idea bought</h1>\n<p class='soft'>{escape(data['title'])}</p>"
    yield f"<p class='lead'>{headline(data)}</p>"
    yield _main_table(data)
    captions = {
        "quality": "Each system on the test set: the mark is the mean of its seeds, each stroke is one seed, the broad "
        "band is where 95 of 100 such test sets would put it.",
        "length": "The same by length of the source. A model that must carry a sentence in one vector falls to the "
        "right.",
    }
    yield grid(figures, captions)


def details(data: Data, figures: Figures) -> Iterator[str]:
    """Everything else."""
    yield from learning(data, figures)
    yield from engineering(data)
    yield (
        "<h2>Why: the shape of the computation</h2>\n<p>Counted in the running models, with sentences of several "
        "lengths, not taken from a paper. An operation multiplies or applies a function that is not linear; moving and "
        "adding are free. The longest chain says what no parallel machine can shorten. A path says through how many "
        "operations a word must act on the last output, and how far a correction travels back.</p>"
    )
    yield grid(
        figures,
        {
            "sequential-steps": "The longest chain of operations that must wait for each other, in one training pass.",
            "source-path": "The shortest path from the first source word to the last output.",
            "target-path": "The shortest path from the first target word to the last output. A line that ends early "
            "has no path beyond: the model does not see so far back.",
        },
    )
    yield _structure_table(data)
    yield from _looks(data, figures)
    yield from _sentences(data)
    yield from _papers(data)
    yield from _runs(data)
    yield from _making(data)


def headline(data: Data) -> str:
    """What a reader should remember, in a sentence or two made from the numbers."""
    sign = 1 if data["metric"]["higher_is_better"] else -1
    systems = sorted(data["systems"], key=lambda one: sign * one["score"]["mean"])
    worst, best, label = systems[0], systems[-1], escape(data["metric"]["label"])
    if worst is best:
        return f"<b>{escape(best['label'])}</b> reaches {best['score']['mean']:.1f} {label}."
    terms = "With the same data, budget and size" if data["equal_terms"] else "As they were trained"
    text = (
        f"{terms}, <b>{escape(best['label'])}</b> ({best['year']}) reaches {best['score']['mean']:.1f} {label}, "
        f"<b>{escape(worst['label'])}</b> ({worst['year']}) {worst['score']['mean']:.1f}."
    )
    changes = [one for one in data["systems"] if one["fall_with_length"] is not None]
    if len(changes) > 1:
        steep, flat = max(changes, key=_fall), min(changes, key=_fall)
        text += (
            f" Between the shortest and the longest sentences {escape(steep['label'])} changes by "
            f"{minus(-_fall(steep))} and {escape(flat['label'])} by {minus(-_fall(flat))}."
        )
    return text


def _fall(system: Data) -> float:
    return float(system["fall_with_length"])


def _main_table(data: Data) -> str:
    label, sign = data["metric"]["label"], 1 if data["metric"]["higher_is_better"] else -1
    most = max(one["score"]["mean"] for one in data["systems"]) or 1.0
    best = max(data["systems"], key=lambda one: sign * one["score"]["mean"])
    head = [
        "system and idea",
        f"{escape(label)}<br>± seeds",
        "over the best<br>before",
        "longest against<br>shortest",
        "learning<br>tokens/s",
        "translating<br>sentences/s",
        "chain of<br>operations",
        "path from<br>source",
        "the paper's<br>own figure",
    ]
    rows = []
    for place, one in enumerate(data["systems"]):
        earlier = [sign * other["score"]["mean"] for other in data["systems"][:place]]
        gain = None if not earlier else sign * one["score"]["mean"] - max(earlier)
        deviation = one["score"]["deviation"]
        score = f"{one['score']['mean']:.1f}" + ("" if deviation is None else f" ± {deviation:.1f}")
        width = 3.2 * max(one["score"]["mean"], 0.0) / most
        cells = [
            f"<b>{escape(one['label'])}</b> <span class='soft'>{one['year']}</span><span "
            f"class='idea'>{escape(one['idea'])}</span>",
            f"<span class='bar' style='width:{width:.2f}em'></span>{score}",
            signed(gain),
            signed(None if one["fall_with_length"] is None else -one["fall_with_length"]),
            count(one["training_tokens_per_second"]["mean"]),
            count(one["decoding"]["sentences_per_second"]) if one["decoding"] else "",
            escape(one["structure"]["sequential_steps"]["words"]),
            escape(one["structure"]["source_path"]["words"]),
            _own_figure(one),
        ]
        rows.append((cells, "best" if one is best else ""))
    sizes = [one["parameters"] for one in data["systems"]]
    caption = (
        f"{count(float(min(sizes)))} to {count(float(max(sizes)))} parameters. n: tokens on each side; a number "
        "without n does not grow with the sentence. The papers' figures are of other data and sizes: a reminder, not a "
        "rival."
    )
    return table(head, rows, caption)


def _own_figure(system: Data) -> str:
    if not system["reported"]:
        return ""
    one = system["reported"][0]
    return (
        f"<span title='{escape(one['system'])}, {escape(one['corpus'])}'>{one['value']:g} {escape(_unit(one))}</span>"
    )


def _unit(reported: Data) -> str:
    corpus = {"WMT14 English to French": "en-fr", "WMT14 English to German": "en-de"}.get(reported["corpus"], "")
    return f"{reported['metric'].split(',')[0]} {corpus}".strip()


def _structure_table(data: Data) -> str:
    head = ["system", "longest chain", "path from the first source word", "path from the first target word"]
    rows = [
        (
            [
                escape(one["label"]),
                *(
                    escape(one["structure"][name]["words"])
                    for name in ("sequential_steps", "source_path", "target_path")
                ),
            ],
            "",
        )
        for one in data["systems"]
    ]
    lengths = ", ".join(map(str, data["systems"][0]["structure"]["sequential_steps"]["lengths"]))
    return table(head, rows, f"n: tokens on each side. Counted at n = {lengths}.")


def _looks(data: Data, figures: Figures) -> Iterator[str]:
    if not any(one["alignments"] for one in data["systems"]):
        return
    yield (
        "<h2>Where they look</h2>\n<p>Every system that attends was made to write the same reference; the darker a "
        "field, the more of the word on its left was written from the word above it.</p>"
    )
    if any(one["alignment_error_rate"] for one in data["systems"]):
        rows = [([escape(one["label"]), *_error(one)], "") for one in data["systems"] if one["alignment_error_rate"]]
        head = ["system", "alignment error rate", "precision", "recall", "sentences"]
        yield table(
            head,
            rows,
            "Against the right alignment, which is known for this corpus; as each model reads itself: ConvS2S from the "
            "mean of its layers, the Transformer from one fixed layer, others from the one that they have.",
        )
        # An older report has one way of reading only.
        read = [one for one in data["systems"] if one.get("alignment_readings")]
        if read:
            yield table(
                ["system", "read from", "alignment error rate", "weight on right words"],
                [
                    ([escape(one["label"]), *cells], "")
                    for one in read
                    for cells in _readings(one["alignment_readings"])
                ],
                "Like for like: the single head and the single layer (its heads averaged) that align the development "
                f"part best, and the mean of all layers. Even weights would put {_even(read):.3f} on the right words.",
            )
    for number, sentence in enumerate(data["sentences"], start=1):
        cells = [
            f"<figure>{figures[name]}<figcaption>{escape(system['label'])}</figcaption></figure>"
            for place, system in enumerate(data["systems"], start=1)
            if (name := f"looks-{number}-{place}") in figures
        ]
        yield f"<h3>{escape(sentence['source'])}</h3>\n<div class='looks'>{''.join(cells)}</div>"


def _error(system: Data) -> list[str]:
    spread, errors = system["alignment_error_rate"], system["alignment_errors"]
    deviation = "" if spread["deviation"] is None else f" ± {spread['deviation']:.3f}"
    means = [sum(one[key] for one in errors) / len(errors) for key in ("precision", "recall")]
    return [f"{spread['mean']:.3f}{deviation}", *(f"{mean:.3f}" for mean in means), str(errors[0]["sentences"])]


def _readings(seeds: list[Data]) -> Iterator[list[str]]:
    """For each way of reading: what was read with each seed, and the means over the seeds."""
    for way, name in (("best_head", "best head"), ("best_layer", "best layer"), ("all_layers", "all layers")):
        if way not in seeds[0]:  # an older report reads no single heads
            continue
        errors = [seed[way]["alignment_error"]["error_rate"] for seed in seeds]
        masses = [seed[way]["correctness"]["correctness"] for seed in seeds]
        chosen = "; ".join(dict.fromkeys(seed[way]["reading"] for seed in seeds))
        yield [name if way == "all_layers" else f"{name}: {chosen}", f"{fmean(errors):.3f}", f"{fmean(masses):.3f}"]


def _even(systems: list[Data]) -> float:
    even: float = systems[0]["alignment_readings"][0]["all_layers"]["correctness"]["even"]
    return even


def _sentences(data: Data) -> Iterator[str]:
    if not data["sentences"]:
        return
    yield "<h2>What they write</h2>"
    for number, sentence in enumerate(data["sentences"]):
        rows = [([f"<b>{name}</b>", escape(sentence[name])], "") for name in ("source", "reference")]
        rows += [([escape(one["label"]), escape(one["translations"][number])], "") for one in data["systems"]]
        yield table(["", ""], rows, "", texts=(1,))


def _papers(data: Data) -> Iterator[str]:
    yield (
        "<h2>Beside what was published</h2>\n<p>The papers had other data, hundreds of times more of it, and larger "
        "models. Figures that others reported on this very corpus are in the last column.</p>"
    )
    rows = []
    for one in data["systems"]:
        own = "<br>".join(
            f"{reported['value']:g} {escape(reported['metric'])}: {escape(reported['system'])}, "
            f"{escape(reported['corpus'])}" + (f" ({escape(reported['note'])})" if reported["note"] else "")
            for reported in one["reported"]
        )
        elsewhere = "<br>".join(
            f"{other['value']:g} ({escape(other['source'])}; {escape(other['measured'])})" for other in one["elsewhere"]
        )
        ours = f"{one['score']['mean']:.1f}"
        rows.append(([f"{escape(one['label'])}", escape(one["paper"]), own, ours, elsewhere], ""))
    head = [
        "system",
        "paper",
        "the paper reported",
        f"{escape(data['metric']['label'])}<br>here",
        "others, same corpus",
    ]
    yield table(head, rows, "", texts=(1, 2, 4))


def _runs(data: Data) -> Iterator[str]:
    yield "<h2>Every run</h2>"
    label = escape(data["metric"]["label"])
    head = [
        "run",
        "seed",
        label,
        "95 % interval",
        "perplexity<br>test",
        "perplexity<br>validation",
        "steps",
        "ended by",
        "seconds",
        "tokens/s",
    ]
    rows = []
    for one in data["systems"]:
        for run in one["runs"]:
            interval = "" if run["low"] is None else f"{run['low']:.1f} to {run['high']:.1f}"
            rows.append(
                (
                    [
                        escape(run["folder"]),
                        str(run["seed"]),
                        f"{run['score']:.2f}",
                        interval,
                        *("" if run[key] is None else f"{run[key]:.2f}" for key in _PERPLEXITIES),
                        f"{run['steps']:,}",
                        escape(run["ending"]),
                        f"{run['seconds']:,.0f}",
                        count(run["tokens_per_second"]),
                    ],
                    "",
                )
            )
    yield table(
        head, rows, f"{label} on the {escape(data['metric']['split'])} split; {escape(data['metric']['signature'])}"
    )
    for name, reason in data["failures"].items():
        yield f"<p><b>{escape(name)}</b> did not end well: {escape(reason)}</p>"


def _making(data: Data) -> Iterator[str]:
    yield "<h2>How this was made</h2>\n<ul>" + "".join(f"<li>{escape(rule)}</li>" for rule in data["rules"]) + "</ul>"
    versions = ", ".join(f"{name} {version}" for name, version in data["versions"].items())
    yield (
        f"<p class='soft'>{escape(data['date'])}, {escape(data['machine'])}; {escape(versions)}. All numbers are in "
        f"report.json.</p>\n<p><code>{escape(data['command'])}</code></p>"
    )
    yield from settings(data)
