"""Whether a model inside a live page, in a headless Chromium or Firefox, computes what it computes in Python.

    python -m bench.live_equality [MODEL] [--lines 1000] [--traces 20] [--browser firefox]

Tokens are compared for all lines, with a greedy search and with a beam of 4; a language model goes on with each line.
Traces with every tensor that a page can make are compared for the first lines. A difference is relative to the number
in Python, or to 1 where that is smaller: float32 numbers in the thousands, which the shipped model has, lie further
apart than 1e-4. It takes about five minutes on one core for the shipped model.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page, sync_playwright

from bench.firefox import Firefox, firefox
from bench.live_page import LOADING, read_arguments, write_live_page
from saccade.decoding.beam import beam_search
from saccade.explorer.session import Session
from saccade.sequences import Sequences
from saccade.serving.bundle import Bundle
from saccade.serving.loading import load
from saccade.special_tokens import EOS
from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json
from saccade.tracing.trace import trace

Browsed = Page | Firefox
TOGETHER = 50
DETAIL = ("all",)
NOT_IN_A_PAGE = {"influence.gradient"}
WRITING = """async ([lines, size]) => {
  const { EOS } = await import("page/engine/data/tokenizer");
  const { beamSearch, tokensOf } = await import("page/engine/decoding/beam");
  const { model, source, exported } = globalThis.searched;
  const written = [];
  for (const text of lines) {
    const tokens = source.encode(text);
    const [read, begun] = exported.has_source ? [tokens, []] : [[], tokens];
    const tree = await beamSearch(model, [...read, EOS], begun, { ...exported.search, size }, async () => {});
    written.push(tokensOf(tree.ended[0]));
  }
  return written;
}"""
TRACING = """async ([text, detail]) => {
  const { trace } = await import("page/engine/tracing/trace");
  const request = { text, decode: { size: null, alpha: null }, force: null, prefix: null, what_if: null, detail };
  return (await trace(globalThis.searched, request, async () => {})).tensors;
}"""


def compare(model: str, lines: Sequence[str], traces: int, opened: AbstractContextManager[Browsed]) -> Iterator[str]:
    """What is found, a sentence at a time."""
    translator = load(model)
    session = Session({model: translator})
    with tempfile.TemporaryDirectory() as folder, opened as page:
        file = Path(folder) / "live.html"
        content = write_live_page(session, file)
        page.goto(file.as_uri())
        page.evaluate(LOADING, content)
        for size in (1, 4):
            same = sum(same_tokens(page, translator.bundle, lines, size))
            yield f"beam {size}: the tokens of {same} of {len(lines)} lines are Python's"
        found = [difference(page, translator.bundle, line) for line in lines[:traces]]
        count, largest = sum(one for one, _ in found), max((one for _, one in found), default=0.0)
        yield f"traces: {count} tensors of {len(found)} lines, the largest difference is {largest:.1e}"


@contextmanager
def chromium(path: str) -> Iterator[Page]:
    """A page of a Chromium that has no network."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_context(offline=True).new_page()
        page.set_default_timeout(600_000)
        yield page
        browser.close()


def same_tokens(page: Browsed, bundle: Bundle, lines: Sequence[str], size: int) -> Iterator[bool]:
    """For each line, whether both write the same tokens."""
    for first in range(0, len(lines), TOGETHER):
        some = lines[first : first + TOGETHER]
        tokens = bundle.source_tokenizer.encode(some)
        source = Sequences.of([[*(one if bundle.has_sources else ()), EOS] for one in tokens])
        begun = None if bundle.has_sources else Sequences.of(tokens)
        searched = beam_search(bundle.model, source, replace(bundle.search, size=size), begun)
        written = page.evaluate(WRITING, [some, size])
        yield from (list(best.tokens) == one for (best, *_), one in zip(searched, written, strict=True))


def difference(page: Browsed, bundle: Bundle, line: str) -> tuple[int, float]:
    """How many tensors a trace of a line has, and by how much the page's numbers differ from Python's at most."""
    expected = trace(bundle, line, TraceOptions(detail=DETAIL), "model")["tensors"]
    found: dict[str, Any] = page.evaluate(TRACING, [line, DETAIL])
    assert expected.keys() - found.keys() <= NOT_IN_A_PAGE
    pairs = [(from_json(found[name]), from_json(expected[name])) for name in found]
    apart = [(np.abs(one - other) / np.maximum(np.abs(other), 1.0)).max(initial=0.0) for one, other in pairs]
    return len(apart), float(max(apart))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--traces", type=int, default=20, help="how many of the sentences are traced")
    parser.add_argument("--browser", choices=("chromium", "firefox"), default="chromium")
    given, lines, path = read_arguments(parser, arguments, lines=1000)
    opened: AbstractContextManager[Browsed] = chromium(path)
    if given.browser == "firefox":
        other = firefox()
        if other is None:
            parser.error("firefox must be installed to run a page in it, but is not found.")
        opened = Firefox(other)
    for found in compare(given.model, lines, given.traces, opened):
        print(found, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
