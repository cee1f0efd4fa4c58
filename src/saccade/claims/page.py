"""The measured claims as one HTML page with plots, and as a Markdown table for documents."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from cycler import cycler
from matplotlib.figure import Figure

from saccade.claims.claim import CHAPTERS, Claim, Measured, Verdict
from saccade.claims.results import PAGE_TITLE, Result
from saccade.counted import counted
from saccade.pages.figures import figure_style, inline_svg
from saccade.pages.html import html_page

Measurements = Sequence[tuple[Claim, Result]]
Rows = Sequence[tuple[Claim, Result | None]]
"""Claims with their results; None where the experiment has not been run."""

_STYLE = """
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1rem 4rem; line-height: 1.55; }
h1 { font-size: 1.9rem; margin: 0 0 .5rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 1rem; }
h3 { font-size: 1.1rem; margin: 0; }
a { color: inherit; }
p { margin: .5rem 0; }
.lead { color: var(--soft); max-width: 46rem; }
td, th { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.verdict { font-weight: 600; white-space: nowrap; }
.holds { color: var(--good); } .caveat { color: var(--caution); } .fails { color: var(--bad); }
.undecided { color: var(--soft); }
article { background: var(--panel); border: 1px solid var(--line); border-radius: .6rem; padding: 1.1rem 1.3rem;
  margin: 1rem 0; }
article header { display: flex; gap: 1rem; justify-content: space-between; align-items: baseline; flex-wrap: wrap; }
blockquote { margin: .6rem 0; padding-left: .9rem; border-left: 3px solid var(--line); font-size: 1.05rem; }
dl { display: grid; grid-template-columns: 6.5rem 1fr; gap: .35rem .8rem; margin: .8rem 0 0; font-size: .93rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 1rem 0 0; } figure svg { max-width: 44rem; margin: 0 auto; }
footer { color: var(--soft); font-size: .9rem; margin-top: 3rem; }
@media (max-width: 36rem) { dl { grid-template-columns: 1fr; } dt { margin-top: .4rem; } .wide { display: none; } }
"""

# Told apart by people who see colours differently, and on white as well as on black.
_COLOURS = ["#3b82d6", "#e07b26", "#2a9d72", "#c2528b", "#8a6fd1", "#a08a1d", "#d14b4b"]

_OPENING = """\
# Claims, measured

What is said about attention and its ancestors, and what came out when it was measured. This file is written by
`saccade claims run --all --markdown docs/claims.md`; each row by `saccade claims run ID`, which also leaves the
findings of every seed as JSON and a page with plots. The findings behind this file are in
`src/saccade/claims/measured`, and `saccade claims show ID` draws them. Rules are written before their experiments are
run. Where rule or experiment was changed after a first look, the last column says why, and what had come out before.
A claim that fails its rule is reported as failed; where a difference is within three standard errors of its margin,
the claim is undecided.

± is a standard error over the seeds, unless a row says otherwise. “Clearly” is by three of them. With few seeds these
are estimates themselves: a difference that is nothing but chance lies three of its standard errors or more from zero,
on either side, in about one case of ten with three seeds, of 25 with five and of 83 with twelve (t with 2, 4 and 11
degrees of freedom), on a given side half as often. A caveat may also mean that the seeds do not decide the second half
of a rule (A26, H9, T8, T9).

Where no machine stands beside the date, it was not kept: one NVIDIA H200 for what was run with `--device cuda`, CPUs of
several kinds, ARM and Intel, for the rest. Times in such a row are those of one of these CPUs."""

_CLASSES = {Verdict.HOLDS: "holds", Verdict.CAVEAT: "caveat", Verdict.FAILS: "fails", Verdict.UNDECIDED: "undecided"}


def page(measurements: Measurements, kept: str = "in the JSON files beside it") -> str:
    """The whole page as text; `kept` says where the findings are."""
    chapters = [
        _chapter(name, [(claim, result) for claim, result in measurements if claim.chapter == name])
        for name in CHAPTERS.values()
        if any(claim.chapter == name for claim, _ in measurements)
    ]
    footer = (
        "<footer>Every number on this page was measured by <code>saccade claims run</code>; the findings of each seed "
        f"are {kept}.</footer>"
    )
    return html_page(PAGE_TITLE, _STYLE, f"{_opening(measurements)}\n{''.join(chapters)}\n{footer}")


def markdown(rows: Rows) -> str:
    """A table for each chapter."""
    lines = [_OPENING]
    for name in CHAPTERS.values():
        chapter = [one for one in rows if one[0].chapter == name]
        if not chapter:
            continue
        titles = ("id", "claim", "verdict", "measured", "rule", "run", "changed after a first look")
        lines += ["", f"## {name}", "", f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
        for claim, result in chapter:
            cells = (claim.id, claim.claim, *_outcome(claim, result), claim.changed or "no")
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        elsewhere = [claim for claim, _ in rows if claim.also and CHAPTERS[claim.also[0]] == name]
        lines += [line for claim in elsewhere for line in ("", f"{claim.also} ({claim.title.lower()}) is {claim.id}.")]
    return "\n".join(lines) + "\n"


def _outcome(claim: Claim, result: Result | None) -> tuple[str, str, str, str]:
    """Verdict, figures, rule and how to run it."""
    if result is None:
        return f"not yet run at this size (expected: {claim.expected})", "", claim.rule, f"`{_command(claim)}`"
    verdict = f"**{result.verdict}**{_surprise(result)}"
    measured = (f"`{_command(claim, result)}`", _seeds(result), result.date, *filter(None, [result.machine]))
    return verdict, result.because, claim.rule, ", ".join(measured)


def _command(claim: Claim, result: Result | None = None) -> str:
    """As it was run; where it was not, as it is meant to be."""
    on_gpu = claim.cost == "GPU" if result is None else result.device != "cpu"
    return f"saccade claims run {claim.id}{' --device cuda' * on_gpu}"


def is_table(path: Path) -> bool:
    """Whether a file begins as `markdown` does."""
    title = _OPENING.split("\n")[0].encode()
    with path.open("rb") as file:
        return file.read(len(title)) == title


def plot_svg(claim: Claim, measured: Measured) -> str:
    """The plot of a claim as SVG inside a page."""
    with figure_style({"lines.linewidth": 1.8, "axes.prop_cycle": cycler(color=_COLOURS)}):
        figure = Figure(figsize=(6.4, 3.4), layout="constrained")
        claim.plot(figure, measured)
        return inline_svg(figure, claim.id, f"{claim.id}: plot")


def _opening(measurements: Measurements) -> str:
    counts = {verdict: sum(result.verdict == verdict for _, result in measurements) for verdict in Verdict}
    summary = ", ".join(
        f'<span class="{_CLASSES[verdict]}">{count} {verdict}</span>' for verdict, count in counts.items()
    )
    rows = "".join(
        f'<tr><td><a href="#{claim.id}">{claim.id}</a></td><td>{escape(claim.title)}</td>'
        f'<td class="wide">{escape(claim.claim)}</td><td>{_badge(result)}</td></tr>\n'
        for claim, result in measurements
    )
    return (
        "<h1>Claims, measured</h1>\n"
        '<p class="lead">What is said about attention and its ancestors, one experiment for each sentence. Each '
        "verdict follows from a rule that stands beside it; a claim that does not hold is shown like any other.</p>\n"
        f"<p>{len(measurements)} measured: {summary}.</p>\n"
        f'<table><thead><tr><th></th><th>about</th><th class="wide">claim</th><th>verdict</th></tr></thead>\n'
        f"<tbody>{rows}</tbody></table>\n"
    )


def _chapter(name: str, measurements: Measurements) -> str:
    return f"<section><h2>{escape(name)}</h2>\n" + "".join(_article(*one) for one in measurements) + "</section>\n"


def _article(claim: Claim, result: Result) -> str:
    facts = {
        "measured": escape(result.because),
        "rule": escape(claim.rule),
        "changed": escape(claim.changed or "nothing after a first look"),
        "said in": escape(claim.said),
        "how": f"{_seeds(result)}, {result.seconds:.1f} s on {escape(result.machine or result.device)}, {result.date}, "
        f"saccade {escape(result.saccade)}, torch {escape(result.torch)}; <code>{_command(claim, result)}</code>",
    }
    rows = "".join(f"<dt>{term}</dt><dd>{text}</dd>" for term, text in facts.items())
    return (
        f'<article id="{claim.id}"><header><h3>{claim.id}. {escape(claim.title)}</h3>'
        f"<span>{_badge(result)}{escape(_surprise(result))}</span></header>\n"
        f"<blockquote>{escape(claim.claim)}</blockquote>\n<figure>{plot_svg(claim, result.measured)}</figure>\n"
        f"<dl>{rows}</dl></article>\n"
    )


def _badge(result: Result) -> str:
    verdict = result.judgement.verdict
    return f'<span class="verdict {_CLASSES[verdict]}">{verdict}</span>'


def _surprise(result: Result) -> str:
    return "" if result.verdict == result.expected else f" (expected: {result.expected})"


def _seeds(result: Result) -> str:
    return counted(len(result.seeds), "seed")
