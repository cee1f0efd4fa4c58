"""How the systems learn, how fast, by which engineering, and what was set for which of them."""

from collections.abc import Iterator
from html import escape

from saccade.comparison.engineering import fewest_tokens, kind, last_score, score_after, share
from saccade.comparison.line_figures import drawn_systems
from saccade.comparison.tables import Data, Figures, count, grid, minus, table


def learning(data: Data, figures: Figures) -> Iterator[str]:
    """Curves and speeds."""
    yield "<h2>How they learn</h2>"
    drawn = [one["label"] for one in drawn_systems(data)]
    missing = [escape(one["label"]) for one in data["systems"] if one["label"] not in drawn]
    if missing:
        yield (
            f"<p class='soft'>Figures of lines have room for {len(drawn)} systems. Not drawn, since another is close: "
            f"{', '.join(missing)}.</p>"
        )
    yield grid(
        figures,
        {
            "learning-time": "Score on the validation set against the time it took, validations included.",
            "learning-operations": "The same against the floating point operations of the matrix products.",
            "learning-loss": "The loss on the training text from the first line of the journal on, against the target "
            "tokens read: what an idea makes of the same text, however fast it is computed.",
        },
    )
    shared = " Several runs shared the machine, so speeds while learning compare with each other only." * bool(
        data["speed_is_shared"]
    )
    yield f"<h2>How fast they are</h2>\n<p>{_fastest(data)}{shared}</p>"
    yield grid(figures, {"speed": "Target tokens a second while learning, and with beam search while translating."})
    yield _speed_table(data)


def engineering(data: Data) -> Iterator[str]:
    """Whether all were run by the same engineering, and what the differences are worth."""
    systems = data["systems"]
    if len(systems) < 2:
        return
    yield f"<h2>Ideas or engineering?</h2>\n<p>{_verdict(data)}</p>"
    tokens, label = fewest_tokens(data), escape(data["metric"]["label"])
    shares = [share(one) for one in systems]
    best = max((one for one in shares if one is not None), default=None)
    rows = []
    for one, own in zip(systems, shares, strict=True):
        last, equal = last_score(one), score_after(one, tokens)
        rows.append(
            (
                [
                    escape(one["label"]),
                    escape(kind(one)),
                    "" if own is None else f"{own:.2f}",
                    "" if own is None or best is None else f"{best / max(own, 1e-9):.1f}",
                    "" if last is None else f"{last:.1f}",
                    "" if equal is None else f"{equal:.1f}",
                    "" if last is None or equal is None else minus(last - equal),
                ],
                "",
            )
        )
    head = [
        "system",
        "engineering",
        "share of<br>its products",
        "tokens at the<br>best share, times",
        f"{label}, validation<br>at the end",
        f"{label}, validation<br>after {count(float(tokens))} tokens",
        "worth of<br>its speed",
    ]
    yield table(
        head,
        rows,
        "The products are those of a system's own matrices, measured on this machine; how many times as many tokens it "
        "would have read at the best share of all is what better engineering could give at most, and a recurrence, "
        "whose positions wait for each other, cannot reach it. All have read as many tokens in the last column but one "
        "as the system that read fewest in its time: what is left of a difference there is not speed.",
        texts=(1,),
    )


def settings(data: Data) -> Iterator[str]:
    """What was set for whom."""
    differs = data.get("differences", {})
    rows = []
    for one in data["systems"]:
        own = ", ".join(f"{name} {value}" for name, value in one.get("own_settings", {}).items())
        learned = ", ".join(f"{name} {values[one['label']]}" for name, values in differs.items())
        rows.append(([escape(one["label"]), escape(own), escape(learned)], ""))
    yield "<h3>What was set for whom</h3>"
    yield table(
        ["system", "its model, where not the architecture's default", "where systems differ in learning and search"],
        rows,
        ("Nothing else differs; widths follow from the number of parameters. " if data["equal_terms"] else "")
        + ("" if data.get("sweep") else "What was tried before, and for whom, is not in here."),
        texts=(1, 2),
    )
    if data.get("sweep"):
        yield from _sweep(data["sweep"])


def _sweep(sweep: Data) -> Iterator[str]:
    """What was tried for every system, and what came out."""
    rows, edge = [], []
    for label in dict.fromkeys(one["system"] for one in sweep["trials"]):
        own = {(one["rate"], one["scale"]): one["perplexity"] for one in sweep["trials"] if one["system"] == label}
        (taken,) = (one for one in sweep["trials"] if one["system"] == label and one["chosen"])
        rate, scale = taken["rate"], taken["scale"]
        beside = [(rate / 2, scale), (rate * 2, scale), (rate, scale / 2), (rate, scale * 2)]
        found = ["" if (value := own.get(way)) is None else f"{value:.2f}" for way in beside]
        if not all(found):
            edge.append(escape(label))
        cells = [escape(label), f"{rate:.2g}", f"× {scale:g}", f"<b>{taken['perplexity']:.2f}</b>", *found]
        rows.append(([*cells, str(len(own))], ""))
    missing = (
        f" Where a cell is empty, that trial has not ended well or was not made: {', '.join(edge)}." if edge else ""
    )
    yield "<h3>What was tried before</h3>"
    yield table(
        [
            *("system", "rate", "initial weights", "perplexity", "half the rate", "twice the rate"),
            *("half the weights", "twice the weights", "trials"),
        ],
        rows,
        f"Perplexity on the validation set after {escape(sweep['budget'])}, one seed. Every system began with the same "
        "rate, the highest of the schedule, and with the weights that its architecture draws; from the best so far, "
        f"half and twice of each were tried, until none was better.{missing}",
    )


def _verdict(data: Data) -> str:
    kinds: dict[str, list[str]] = {}
    for one in data["systems"]:
        kinds.setdefault(kind(one), []).append(escape(one["label"]))
    if len(kinds) == 1:
        return f"All systems were trained by the same engineering: {escape(next(iter(kinds)))}."
    told = "; ".join(f"{', '.join(labels)}: {escape(name)}" for name, labels in kinds.items())
    return f"Systems were trained by different engineering, so equal time is not equal chances. {told}."


def _fastest(data: Data) -> str:
    ordered = sorted(data["systems"], key=lambda one: one["training_tokens_per_second"]["mean"])
    slow, fast = ordered[0], ordered[-1]
    if slow is fast:
        return ""
    times = fast["training_tokens_per_second"]["mean"] / max(slow["training_tokens_per_second"]["mean"], 1e-9)
    return f"{escape(fast['label'])} learns from {times:.1f} times as many tokens a second as {escape(slow['label'])}."


def _speed_table(data: Data) -> str:
    head = [
        "system",
        "parameters",
        "operations a token<br>reading",
        "operations a token<br>learning",
        "learning<br>tokens/s",
        "translating<br>tokens/s",
        "translating<br>sentences/s",
        "beam",
    ]
    rows = []
    for one in data["systems"]:
        operations, decoding = one["operations_per_token"], one["decoding"]
        rows.append(
            (
                [
                    escape(one["label"]),
                    f"{one['parameters']:,}",
                    count(operations["forward"]) if operations else "",
                    count(operations["training"]) if operations else "",
                    count(one["training_tokens_per_second"]["mean"]),
                    count(decoding["tokens_per_second"]) if decoding else "",
                    count(decoding["sentences_per_second"]) if decoding else "",
                    str(decoding["beam"]) if decoding else "",
                ],
                "",
            )
        )
    return table(head, rows, "Operations are those of matrix products, for each target token.")
