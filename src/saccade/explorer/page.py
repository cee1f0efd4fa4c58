"""The page as a browser gets it: served module by module, or exported as one file that needs nothing else.

Both are the same modules and the same style sheets under the same bare names. Served, the import map points each name
at a file of ours; exported, at a `data:` URL that holds the file. The data stand in the page as a document,

    {"schema": "explore-document/1", "traces": [...], "route": "#/heat", "models": [...], "papers": [...],
     "ancestors": [...], "cost": null, "lossy": false}

which is never executed: a script element of type JSON in which no character can end the element. A live page has a
second one, with models that its own worker runs. A policy allows the two inline scripts by their digests and nothing
else that is inline, and workers that the page itself has put together; an exported page may connect to nothing at all.
"""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ConfigDict

from saccade.errors import FormatError
from saccade.explorer.ancestor_traces import ancestor_traces
from saccade.explorer.lineage import lineage
from saccade.json_files import StrictContent, checked, parse_json, shown
from saccade.tracing.schema import SCHEMA as TRACE_SCHEMA

FOLDER = Path(__file__).parent / "page"
SCHEMA = "explore-document/1"
START = 'import "page/start";'
_SMALL = 100_000  # characters of JSON below which packing would only make the file harder to read
_ESCAPES = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})


def document(
    traces: Iterable[Mapping[str, Any]] = (),
    *,
    models: Iterable[Mapping[str, Any]] = (),
    route: str = "#/translate",
    cost: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What a page shows: its traces, the models it may ask, and the view it opens with."""
    traces, models = list(traces), list(models)
    return {
        "schema": SCHEMA,
        "traces": traces,
        "models": models,
        "ancestors": ancestor_traces(models or [trace["model"] for trace in traces if "model" in trace]),
        "papers": lineage(),
        "route": route,
        "cost": cost,
        "lossy": False,
    }


@cache
def modules() -> dict[str, str]:
    """The source of every module by the name it is imported by: `page/heat/view` for page/heat/view.js."""
    return {
        path.relative_to(FOLDER.parent).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(FOLDER.rglob("*.js"))
    }


def view_names() -> list[str]:
    """The views of the page: every folder that has a module `view`."""
    return [path.parent.name for path in sorted(FOLDER.glob("*/view.js"))]


def opened(written: str | bytes, where: str) -> dict[str, Any]:
    """The document of a file: one that a page or the command line wrote, or a trace alone."""
    try:
        found = parse_json(written)
        # A page can hold neither numbers that are not finite nor half a character.
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where} must be JSON, but is not: {error}. Write it again.") from None
    schema = found.get("schema") if isinstance(found, dict) else None
    if schema == TRACE_SCHEMA:
        return document([found])
    if schema == SCHEMA:
        held = checked(_OpenedDocument, found, where, "Write it again.")
        if all(trace.get("schema") == TRACE_SCHEMA for trace in held.traces):
            return document(held.traces, route=held.route, cost=held.cost)
    raise FormatError(
        f"{where} must be of the kind {TRACE_SCHEMA} or {SCHEMA}, but is {shown(schema)}. "
        "Write it with this version: saccade explore MODEL --sentence ... --trace FILE"
    )


class _OpenedDocument(StrictContent):
    """What is read of a document; the rest is made anew."""

    model_config = ConfigDict(extra="ignore")

    traces: list[dict[str, Any]]
    route: str = "#/translate"
    cost: dict[str, Any] | None = None


def is_trace(path: Path) -> bool:
    """Whether a file begins as those do that `--trace` writes."""
    return re.match(rb'\{"schema": ?"explore-(trace|document)/', _beginning(path)) is not None


def is_exported_page(path: Path) -> bool:
    """Whether a file begins as an exported page does."""
    start = (FOLDER / "index.html").read_bytes().split(b"<!-- saccade: head -->")[0]
    return _beginning(path).startswith(start)


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4096)


@cache
def sheets() -> dict[str, str]:
    """The style sheets by their path in the folder: the frame's, then one for each view that needs its own."""
    frame = FOLDER / "app" / "style.css"
    paths = [frame, *(path for path in sorted(FOLDER.rglob("*.css")) if path != frame)]
    return {path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def served_page(shown: Mapping[str, Any], asks: bool = True) -> tuple[str, str]:
    """The page for our own server, and the policy to send with it; `asks` says whether there is a model to ask."""
    names = {
        name: f"./static/{name.removeprefix('page/')}.js?v={_digest(source)}" for name, source in modules().items()
    }
    mapping = json_in_html({"imports": names})
    policy = _policy(
        "'self'", "'self'", "; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", mapping
    )
    links = "\n".join(
        f'<link rel="stylesheet" href="./static/{name}?v={_digest(sheet)}">' for name, sheet in sheets().items()
    )
    return _filled(links, mapping, _plain(shown, ' data-served="yes"' if asks else "")), policy


def exported_page(shown: Mapping[str, Any], live: Mapping[str, Any] | None = None) -> str:
    """One file with everything inside: opened from a disk without a network it shows what the served page shows.

    `live` is what `live_page.live_content` makes of models: with it, the file answers new sentences too.
    """
    names = {name: f"data:text/javascript;base64,{_base64(source.encode())}" for name, source in modules().items()}
    mapping = json_in_html({"imports": names})
    more = "; base-uri 'none'; form-action 'none'"
    if live is None:  # of what was traced in advance only what stands beside something in the file
        held = {trace["source_text"] for trace in shown["traces"]}
        shown = {**shown, "ancestors": [one for one in shown["ancestors"] if one["source_text"] in held]}
    data = _plain(shown) if len(json_in_html(shown)) < _SMALL else _packed(shown)
    scripts = "data:"
    if live is not None:
        scripts += " 'wasm-unsafe-eval'"  # allows WebAssembly, and no JavaScript
        data += f'\n<script type="application/json" id="engine">{json_in_html(live)}</script>'
    policy = _policy(scripts, "'unsafe-inline'", more, mapping)
    sheet = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>\n{"".join(sheets().values())}</style>'
    )
    return _filled(sheet, mapping, data)


def json_in_html(value: object) -> str:
    """JSON that no HTML parser takes for anything else, whatever words are in it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).translate(_ESCAPES)


def _filled(sheet: str, mapping: str, data: str) -> str:
    """The template with its two places filled: cut first and joined last, so that no data is taken for a place."""
    before, rest = (FOLDER / "index.html").read_text(encoding="utf-8").split("<!-- saccade: head -->")
    between, after = rest.split("<!-- saccade: document -->")
    scripts = f'{data}\n<script type="module">{START}</script>'
    return "".join((before, sheet, f'\n<script type="importmap">{mapping}</script>', between, scripts, after))


def _plain(shown: Mapping[str, Any], more: str = "") -> str:
    return f'<script type="application/json" id="document"{more}>{json_in_html(shown)}</script>'


def _packed(shown: Mapping[str, Any]) -> str:
    """The document compressed; the time stamp is left out, so that the same document gives the same file."""
    packed = _base64(gzip.compress(json_in_html(shown).encode(), mtime=0))
    return f'<script type="application/json" id="document" data-packed="gzip">"{packed}"</script>'


def _policy(scripts: str, styles: str, more: str, mapping: str) -> str:
    allowed = " ".join(f"'sha256-{_base64(hashlib.sha256(text.encode()).digest())}'" for text in (mapping, START))
    made = "worker-src blob:; img-src data: blob:"  # what the page makes itself
    return f"default-src 'none'; script-src {scripts} {allowed}; style-src {styles}; {made}{more}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
