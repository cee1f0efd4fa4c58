"""How fast a model runs inside a live page, in a headless Chromium.

    python -m bench.live_page [MODEL] [--lines 100]

The page is the file that `saccade explore MODEL --export page.html --live` writes, opened without a network. Ready is
when its worker has unpacked the model. A search writes tokens; a trace is what a reader waits for: a search, one more
pass, and the document of all weights, from the worker to the page. CPU seconds are those of all of the browser. Each is
done several times, and the one that took the fewest CPU seconds is shown: other work on the machine only adds to them.
`taskset -c 0` in front gives the browser one core.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from bench.descendants import cpu_seconds
from bench.page_opening import opening
from bench.table import markdown
from saccade.explorer.live_page import live_content
from saccade.explorer.page import document, exported_page
from saccade.explorer.session import Session
from saccade.serving.loading import load

LINES = Path(__file__).parents[1] / "tests" / "contracts" / "sentences.txt"
TIMES = 3
READY = "model ready"
"""What page/trace/live.js marks."""
LOADING = """async ({ kernels, models }) => {
  const { wasmProducts } = await import("page/engine/arithmetic/wasm-products");
  const { loadModel } = await import("page/engine/live-model");
  const { bytesOf } = await import("page/trace/trace");
  const products = () => wasmProducts(bytesOf(kernels.products), bytesOf(kernels.digits));
  globalThis.searched = await loadModel(Object.values(models)[0], products);
}"""
SEARCHING = """async ([, lines, size]) => {
  const { EOS } = await import("page/engine/data/tokenizer");
  const { beamSearch, tokensOf } = await import("page/engine/decoding/beam");
  const { model, source, exported } = globalThis.searched;
  let tokens = 0;
  for (const text of lines) {
    const given = source.encode(text);
    const [read, begun] = exported.has_source ? [given, []] : [[], given];
    const tree = await beamSearch(model, [...read, EOS], begun, { ...exported.search, size }, async () => {});
    tokens += tokensOf(tree.ended[0]).length;
  }
  return tokens;
}"""
ASKING = """async ([model, lines, size]) => {
  const { trace } = await import("page/trace/live");
  let tokens = 0;
  for (const text of lines) {
    const decode = { size, alpha: null };
    const asked = { model, text, decode, force: null, prefix: null, what_if: null, detail: ["weights"] };
    tokens += (await trace(asked, new AbortController().signal, () => {})).axes.target.tokens.length;
  }
  return tokens;
}"""


def measure(model: str, lines: Sequence[str], path: str) -> dict[str, Any]:
    """Wall and CPU seconds until the page is ready, and those of a greedy search and one with a beam of 4."""
    session = Session({model: load(model)})
    rows = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder) / "live.html"
        content = write_live_page(session, file)
        rows.append(
            {"what": "ready", "tokens": 0, **least([opening(driver, path, file.as_uri(), READY) for _ in range(TIMES)])}
        )
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_context(offline=True).new_page()
        page.set_default_timeout(600_000)
        page.goto(file.as_uri())
        page.evaluate(LOADING, content)
        for name, program in (("search", SEARCHING), ("trace", ASKING)):
            page.evaluate(program, [model, lines[:5], 1])  # the compiler of the browser has seen the code then
            for width in (1, 4):
                took = [timed(page, program, [model, lines, width]) for _ in range(TIMES)]
                rows.append({"what": f"{name}, beam {width}", **least(took)})
        settings = {"model": model, "lines": len(lines), "chromium": browser.version, "bytes": file.stat().st_size}
        browser.close()
    return {"title": "live page", "settings": settings, "rows": rows, "markdown": rendered(rows)}


def write_live_page(session: Session, file: Path) -> dict[str, Any]:
    """Writes the page of a session's models; what of it the worker gets."""
    content = live_content(session.models)
    file.write_text(exported_page(document(models=session.entries()), content), encoding="utf-8")
    return content


def timed(page: Page, program: str, argument: Any) -> dict[str, float]:
    """What a program in the page took, and how many tokens came out."""
    wall, cpu = time.perf_counter(), cpu_seconds(os.getpid())
    tokens = page.evaluate(program, argument)
    return {"tokens": tokens, "seconds": time.perf_counter() - wall, "cpu_seconds": cpu_seconds(os.getpid()) - cpu}


def least(taken: list[dict[str, float]]) -> dict[str, float]:
    """The one that took the fewest CPU seconds."""
    return min(taken, key=lambda one: one["cpu_seconds"])


def rendered(rows: list[dict[str, Any]]) -> str:
    """A Markdown table of it."""

    def rate(row: dict[str, Any], of: str) -> str:
        return f"{row['tokens'] / row[of]:,.0f}" if row["tokens"] else ""

    lines = [
        [
            row["what"],
            f"{row['seconds']:.2f}",
            f"{row['cpu_seconds']:.2f}",
            str(row["tokens"] or ""),
            rate(row, "seconds"),
            rate(row, "cpu_seconds"),
        ]
        for row in rows
    ]
    head = ["", "wall seconds", "CPU seconds", "tokens", "tokens a second", "tokens a CPU second"]
    return "**live page**\n\n" + markdown(head, lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given, lines, path = read_arguments(parser, arguments, lines=100)
    found = measure(given.model, lines, path)
    print(found["settings"])
    print(found["markdown"])
    return 0


def read_arguments(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None, lines: int
) -> tuple[argparse.Namespace, list[str], str]:
    """What was given, the sentences of a file, and the browser: for every command about live pages."""
    parser.add_argument("model", nargs="?", default="en-es")
    parser.add_argument("--lines", type=int, default=lines, help="how many sentences are translated")
    parser.add_argument("--source", type=Path, default=LINES, help="a file with a sentence in each line")
    given = parser.parse_args(arguments)
    path = shutil.which("chromium")
    if path is None:
        parser.error("chromium must be installed to run a page in it, but is not found.")
    return given, given.source.read_text(encoding="utf-8").splitlines()[: given.lines], path


if __name__ == "__main__":
    sys.exit(main())
