"""The page of a comparison: report.html with its tables and figures, for wide and narrow screens."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from saccade.comparison.figures import draw
from saccade.comparison.sections import details, summary
from saccade.folders import atomic_write
from saccade.pages.figures import inline_svg, save
from saccade.pages.html import html_page

_OURS = re.compile(r"looks-\d+-\d+\.(png|svg)")
STYLE = """
main { max-width: 1240px; margin: 0 auto; padding: 20px 16px 60px; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 .4rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
p { max-width: 76ch; margin: .3rem 0 .8rem; overflow-wrap: anywhere; }
p.soft { max-width: 150ch; }
.soft, figcaption { color: var(--soft); font-size: .86rem; }
.lead { font-size: 1.05rem; max-width: 120ch; }
.idea { display: block; color: var(--soft); font-size: .82rem; line-height: 1.25; white-space: normal;
  min-width: 9rem; }
.wide { overflow-x: auto; }
table { font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .26rem .55rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; vertical-align: bottom; color: var(--soft); font-size: .8rem; line-height: 1.25; }
th:first-child, td:first-child, .text { text-align: left; }
.text { white-space: normal; min-width: 11rem; }
tr.best td { background: var(--panel); }
.bar { display: inline-block; height: .62em; background: var(--accent); opacity: .75; border-radius: 2px;
  margin-right: .5em; vertical-align: baseline; }
.up { color: var(--good); } .down { color: var(--bad); }
.two { display: grid; gap: 20px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 480px), 1fr)); }
.looks { display: grid; gap: 12px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 215px), 1fr)); }
figure { background: var(--panel); border-radius: 8px; padding: 12px; }
figcaption { margin-top: .4rem; }
code { font-size: .86rem; overflow-wrap: anywhere; }
li { max-width: 90ch; }
@media (max-width: 600px) { main { padding: 14px 10px 40px; } h1 { font-size: 1.4rem; }
  th, td { padding: .3rem .4rem; } figure { padding: 8px; } }
"""


def write_page(data: Mapping[str, Any], out: Path) -> None:
    """Writes report.html, and the same figures into the folder figures/ as PNG and SVG."""
    folder = out / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if _OURS.fullmatch(old.name) and old.is_file():
            old.unlink()  # there may be fewer this time
    drawn = {}
    for name, figure in draw(data):
        save(figure, folder / name)
        drawn[name] = inline_svg(figure, name)
    atomic_write(out / "report.html", page(data, drawn))


def page(data: Mapping[str, Any], figures: Mapping[str, str]) -> str:
    """The whole page as text."""
    body = "\n".join([*summary(data, figures), *details(data, figures)])
    return html_page(data["title"], STYLE, f"<main>\n{body}\n</main>")
