"""One page with everything that was measured: no script, nothing fetched, light or dark as the reader's screen is."""

from collections.abc import Sequence
from html import escape

from saccade.claims.claim import CHAPTERS, Claim, Verdict
from saccade.claims.drawing import draw
from saccade.claims.results import Result

Measurements = Sequence[tuple[Claim, Result]]

_STYLE = """
:root { color-scheme: light dark; --paper: #fdfdfb; --ink: #1d2126; --soft: #5d6670; --line: #d9dcdf; --card: #ffffff;
  --holds: #1d7f55; --caveat: #9a6a00; --fails: #b23a48; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171a; --ink: #e4e7ea; --soft: #9aa4ae; --line: #333a41;
  --card: #1b1f23; --holds: #56c596; --caveat: #e0b04a; --fails: #f07d8a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.9rem; margin: 0 0 .5rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 1rem; }
h3 { font-size: 1.1rem; margin: 0; }
a { color: inherit; }
p { margin: .5rem 0; }
.lead { color: var(--soft); max-width: 46rem; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.verdict { font-weight: 600; white-space: nowrap; }
.holds { color: var(--holds); } .caveat { color: var(--caveat); } .fails { color: var(--fails); }
article { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1.1rem 1.3rem;
  margin: 1rem 0; }
article header { display: flex; gap: 1rem; justify-content: space-between; align-items: baseline; flex-wrap: wrap; }
blockquote { margin: .6rem 0; padding-left: .9rem; border-left: 3px solid var(--line); font-size: 1.05rem; }
dl { display: grid; grid-template-columns: 6.5rem 1fr; gap: .35rem .8rem; margin: .8rem 0 0; font-size: .93rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 1rem 0 0; } figure svg { width: 100%; max-width: 44rem; height: auto; display: block; margin: 0 auto; }
footer { color: var(--soft); font-size: .9rem; margin-top: 3rem; }
@media (max-width: 36rem) { dl { grid-template-columns: 1fr; } dt { margin-top: .4rem; } .wide { display: none; } }
"""

_CLASSES = {Verdict.HOLDS: "holds", Verdict.CAVEAT: "caveat", Verdict.FAILS: "fails"}


def page(measurements: Measurements) -> str:
    """The whole page as text."""
    chapters = [
        _chapter(name, [(claim, result) for claim, result in measurements if claim.chapter == name])
        for name in CHAPTERS.values()
        if any(claim.chapter == name for claim, _ in measurements)
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Claims, measured</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"{_opening(measurements)}\n{''.join(chapters)}\n"
        "<footer>Every number on this page was measured by <code>saccade claims run</code>; the findings of each seed "
        "are in the JSON files beside it.</footer>\n</body>\n</html>\n"
    )


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
    surprise = "" if result.verdict == result.expected else f" (expected: {escape(result.expected)})"
    seeds = f"{len(result.seeds)} seed{'s' if len(result.seeds) != 1 else ''}"
    facts = {
        "measured": escape(result.because),
        "rule": escape(claim.rule),
        "said in": escape(claim.said),
        "how": f"{seeds}, {result.seconds:.1f} s on {result.date}, saccade {escape(result.saccade)}, "
        f"torch {escape(result.torch)}; <code>saccade claims run {claim.id}</code>",
    }
    rows = "".join(f"<dt>{term}</dt><dd>{text}</dd>" for term, text in facts.items())
    return (
        f'<article id="{claim.id}"><header><h3>{claim.id}. {escape(claim.title)}</h3>'
        f"<span>{_badge(result)}{surprise}</span></header>\n"
        f"<blockquote>{escape(claim.claim)}</blockquote>\n<figure>{draw(claim, result.measured)}</figure>\n"
        f"<dl>{rows}</dl></article>\n"
    )


def _badge(result: Result) -> str:
    verdict = result.judgement.verdict
    return f'<span class="verdict {_CLASSES[verdict]}">{verdict}</span>'
