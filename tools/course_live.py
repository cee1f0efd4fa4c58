"""Writes the live figures of the course into a site, where the chapters show them in frames.

python -m tools.course_live site/course/live

Three files, each complete in itself, so that a site can be read from a folder: `figures.html` holds the figures that
need no model, `training.html` the explorer's view Train, and `explorer.html` the explorer with the English-Spanish
model inside. They run the modules of `src/saccade/explorer/page` as they are.
"""

import base64
import hashlib
import json
import re
import sys
from pathlib import Path

from saccade.explorer.live_page import live_content
from saccade.explorer.notebook import models_by_name
from saccade.explorer.page import document, exported_page, json_in_html, modules, sheets
from saccade.explorer.session import Session
from saccade.explorer.side_by_side import page_document
from saccade.tracing.options import TraceOptions

FOLDER = Path(__file__).parent / "course" / "live"
DOCUMENTS = Path(__file__).parents[1] / "docs"
START = 'import "course/start";'
_IMPORT = re.compile(r'^(?:import|export) [^"]*?from "([^"]+)";', re.MULTILINE)


def figure_modules() -> dict[str, str]:
    """The figures' own modules and those of the page that they need, by the name they are imported by."""
    known = modules() | {f"course/{path.stem}": path.read_text(encoding="utf-8") for path in FOLDER.glob("*.js")}
    found: dict[str, str] = {}
    wanted = ["course/start"]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found[name] = known[name]
            wanted += _IMPORT.findall(known[name])
    return found


def measured_systems() -> list[dict[str, str]]:
    """The first table of the lineage, a dictionary for each system."""
    table = re.search(
        r"^\| system \|(?:.*\n)+?\n", (DOCUMENTS / "lineage.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert table is not None
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in table[0].strip().splitlines())
    return [dict(zip(head, row, strict=True)) for row in rows]


def figures_page() -> str:
    """One file with every figure that needs no model; `#/forgetting` in its address says which is shown."""
    urls = {
        name: f"data:text/javascript;base64,{base64.b64encode(source.encode()).decode()}"
        for name, source in figure_modules().items()
    }
    mapping = json_in_html({"imports": urls})
    allowed = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in (mapping, START)
    )
    sheet = "".join(sheets().values()) + (FOLDER / "style.css").read_text(encoding="utf-8")
    policy = f"default-src 'none'; script-src data: {allowed}; style-src 'unsafe-inline'; img-src data: blob:"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A figure of the course</title>
<link rel="icon" href="data:,">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<style>
{sheet}</style>
<script type="importmap">{mapping}</script>
</head>
<body>
<div id="app"></div>
<script type="application/json" id="lineage">{json_in_html(measured_systems())}</script>
<script type="module">{START}</script>
</body>
</html>
"""


def explorer_page() -> str:
    """The explorer, with the shipped model."""
    session = Session(models_by_name("en-es"))
    return exported_page(page_document(session, [], TraceOptions(), ()), live_content(session.models))


def main(arguments: list[str]) -> None:
    """Writes the three files into a folder."""
    (folder,) = map(Path, arguments)
    folder.mkdir(parents=True, exist_ok=True)
    pages = {
        "figures": figures_page(),
        "training": exported_page(document(route="#/train")),
        "explorer": explorer_page(),
    }
    for name, page in pages.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    print(json.dumps({name: len(page) for name, page in pages.items()}))


if __name__ == "__main__":
    main(sys.argv[1:])
