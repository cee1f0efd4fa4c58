"""A real browser, a real server and small real models for the explorer's page.

The browser is the machine's chromium; where there is none the tests are skipped. Nothing may leave the machine and
nothing may be written to the console: every page made here watches for both, and fails the test that let it happen.
"""

import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from runpy import run_path
from typing import Any
from urllib.parse import quote

import pytest
import torch
import uvicorn

from saccade.data.tokenizer import Tokenizer
from saccade.explorer.page import document, exported_page
from saccade.explorer.server import application
from saccade.explorer.session import Session
from saccade.models.catalogue import ARCHITECTURES, build
from saccade.serving.bundle import Bundle
from saccade.serving.translator import Translator

LINES = (
    "Two men are talking in the street.",
    "The cat drank the milk because it was hungry.",
    "The children of the town play football on the grass behind the old school.",
    "Nobody knows why the birds came back so early this year.",
    "Zwei Männer sprechen auf der Straße.",
    "Die Katze trank die Milch, weil sie hungrig war.",
)
CASES = Path(__file__).parents[1] / "contracts" / "cases"
SENTENCE = "The cat drank the milk."
SIZES: dict[str, dict[str, Any]] = {
    "transformer": {"encoder_layers": 2, "decoder_layers": 2, "width": 24, "inner_width": 40, "heads": 2},
    "rnnsearch": {"width": 16, "embedding_width": 12},
    "luong": {"width": 16, "layers": 1},
    "convs2s": {"width": 16, "encoder_layers": 2, "decoder_layers": 2},
}


def pytest_itemcollected(item: pytest.Item) -> None:
    """A browser takes a second for each test: all are slow but those of the core, which look at every view once."""
    if item.get_closest_marker("core") is None:
        item.add_marker("slow")


@pytest.fixture(scope="session")
def make_model() -> Callable[..., Translator]:
    """Makes further models: make_model("rnnsearch", seed=7, width=20)."""
    return tiny


def tiny(architecture: str = "transformer", seed: int = 19, **changes: Any) -> Translator:
    """A model with drawn weights and a real tokenizer: everything but good translations.

    Weights are drawn wider than a training begins with, so that attention is not flat and digits differ.
    """
    tokenizer = Tokenizer.train(LINES * 3, pieces="bpe", size=420)
    known = ARCHITECTURES[architecture]
    sizes = SIZES.get(architecture) or run_path(str(CASES / f"{architecture.replace('-', '_')}.py"))["SIZES"]
    config = known.config(**(sizes | changes))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = build(architecture, config, tokenizer.size, tokenizer.size).eval()
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.data.mul_(2.5)
    bundle = Bundle(
        model=model,
        architecture=architecture,
        model_config=config,
        source_tokenizer=tokenizer,
        target_tokenizer=tokenizer,
        task=known.task,
        source_language="en",
        target_language="de",
        decoding={"size": 3, "alpha": 0.6, "extra_length": 4},
        storage="float32",
        digest=f"{architecture}-{seed}",
    )
    return Translator([bundle], torch.device("cpu"))


@pytest.fixture(scope="session")
def session() -> Session:
    """The models of the served page."""
    return Session({"tiny": tiny()})


@pytest.fixture(scope="session")
def server(session) -> Iterator[str]:
    """The address of a server with tiny models on a free port."""
    yield from serving(session)


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[[Session], str]]:
    """Serves other models than the usual ones: serve(Session({"rnn": make_model("rnnsearch")})) gives the address."""
    running = []

    def started(session: Session) -> str:
        running.append(serving(session))
        return next(running[-1])

    yield started
    for one in running:
        one.close()


def serving(session: Session) -> Iterator[str]:
    """Serves until the generator is closed; yields the address."""
    config = uvicorn.Config(
        application(session), host="127.0.0.1", port=0, log_level="warning", ws="none", lifespan="off"
    )
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        assert thread.is_alive(), "the server could not start"
        thread.join(0.01)
    port = running.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        running.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def browser():
    """The machine's chromium."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@dataclass
class Watch:
    """What a page did that it must not do; `allowed` are parts of console lines that a test expects."""

    strangers: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)
    base: str = ""

    def blame(self) -> list[str]:
        """Requests to others and lines on the console, but for those a test expects."""
        return [*self.strangers, *(line for line in self.said if not any(part in line for part in self.allowed))]

    def begin(self, base: str) -> None:
        """Begins again, at an address."""
        self.base = base
        for found in (self.strangers, self.said, self.allowed):
            found.clear()


@pytest.fixture(scope="session")
def _pages(browser) -> Iterator[dict[tuple[Any, ...], Any]]:
    """Pages that tests hand on: to go to another view or file is quicker than to open another page."""
    pages: dict[tuple[Any, ...], Any] = {}
    yield pages
    for page in pages.values():
        page.context.close()


@pytest.fixture
def visit(browser, _pages) -> Iterator[Callable[..., Any]]:
    """Opens an address and waits until it is drawn: visit(address, width=390, dark=True).

    A page of the server, or one that showed a file, is used again by the next test, unless `fresh`: ask for that where
    a test opens dialogs or leaves something behind that a link does not hold.
    """
    used, own = [], []

    def opened(
        address: str,
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        offline: bool = False,
        fresh: bool = False,
    ) -> Any:
        base, _, hash = address.partition("#")
        served = base.startswith("http")
        key = (base if served else "file", width, height, dark, offline)
        page = None if fresh else _pages.get(key)
        if page is None or page in used or page.url == address:
            page = _new(browser, width, height, dark, offline)
            if fresh or key in _pages:
                own.append(page)
            else:
                _pages[key] = page
            page.watch.begin(base)
            page.goto(address)
        elif not served:
            page.evaluate("localStorage.clear()")  # a theme that was chosen
            page.goto("about:blank")
            page.set_viewport_size({"width": width, "height": height})
            page.watch.begin(base)
            page.goto(address)
        else:
            page.watch.begin(base)
            page.evaluate("hash => { delete document.documentElement.dataset.ready; location.hash = hash; }", hash)
        used.append(page)
        _ready(page)
        return page

    yield opened
    faults = [fault for page in used for fault in page.watch.blame()]
    for page in own:
        page.context.close()
    assert faults == []


def _new(browser: Any, width: int, height: int, dark: bool, offline: bool) -> Any:
    scheme = "dark" if dark else "light"
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    context.set_default_timeout(90_000)
    context.set_offline(offline)
    page = context.new_page()
    page.watch = watch = Watch()
    page.on("request", lambda sent: watch.strangers.append(sent.url) if _is_strange(sent.url, watch.base) else None)
    page.on("console", lambda line: watch.said.append(f"{line.type}: {line.text}"))
    page.on("pageerror", lambda error: watch.said.append(f"error: {error}"))
    return page


def _is_strange(url: str, address: str) -> bool:
    origin = "/".join(address.split("/")[:3])
    return not url.startswith((origin, "data:", "blob:", "file:")) or (
        url.startswith("file:") and url.split("#")[0] != address.split("#")[0]
    )


@pytest.fixture(scope="session")
def ready() -> Callable[..., None]:
    """Waits until everything that was asked for is drawn: ready(page), ready(page, "heat")."""
    return _ready


def _ready(page: Any, view: str | None = None) -> None:
    page.wait_for_function(
        "view => document.documentElement.dataset.ready && (!view || document.documentElement.dataset.ready === view)",
        arg=view,
    )


@pytest.fixture(scope="session")
def sentence() -> str:
    """What the tests translate."""
    return SENTENCE


@pytest.fixture(scope="session")
def route() -> Callable[..., str]:
    """The hash of a view: route("heat", s="A cat.", l=0). Numbers are shown unless it says d="words"."""
    return _route


def _route(view: str, **parts: Any) -> str:
    parts = {"d": "numbers"} | parts
    return f"#/{view}?" + "&".join(f"{key}={quote(str(value), safe='')}" for key, value in parts.items())


@pytest.fixture
def export(tmp_path) -> Callable[..., str]:
    """Writes traces as one file and gives its address: export([trace], "#/heat")."""

    def written(traces: list[dict[str, Any]], hash: str = "#/translate") -> str:
        path: Path = tmp_path / f"export-{len(list(tmp_path.iterdir()))}.html"
        path.write_text(exported_page(document(traces, route=hash)), encoding="utf-8")
        return path.as_uri()

    return written
