"""A live page in Firefox, where one is installed: it computes what Python computes, and fills every view."""

from collections.abc import Iterator

import numpy as np
import pytest
from bench.firefox import Firefox, firefox
from bench.live_equality import TRACING, WRITING
from bench.live_page import LOADING

from saccade.explorer.live_page import live_content
from saccade.explorer.page import document, exported_page, view_names
from saccade.explorer.session import Session
from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json

pytestmark = pytest.mark.slow

GOING = """async ([view, model, sentence]) => {
  delete document.documentElement.dataset.ready;
  location.hash = `#/${view}?m=${model}&s=${encodeURIComponent(sentence)}&d=numbers`;
  while (document.documentElement.dataset.ready !== view) await new Promise((after) => setTimeout(after, 20));
  const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.innerText);
  return {
    problems: texts("main .problem, .bad-text, .checks.bad"),
    said: document.querySelector("main").innerText.length,
    sideways: document.documentElement.scrollWidth - innerWidth,
  };
}"""


@pytest.fixture(scope="module")
def session(make_model) -> Session:
    return Session({name: make_model(name) for name in ("transformer", "rnnsearch", "convs2s")})


@pytest.fixture(scope="module")
def page(session, tmp_path_factory) -> Iterator[Firefox]:
    path = firefox()
    if path is None:
        pytest.skip("firefox is not installed: apt-get install firefox-esr")
    file = tmp_path_factory.mktemp("firefox") / "live.html"
    file.write_text(exported_page(document(models=session.entries()), live_content(session.models)), encoding="utf-8")
    with Firefox(path) as opened:
        opened.goto(file.as_uri())
        yield opened


def test_products_are_computed_by_the_kernels(page):
    live = (
        "async () => { while (!document.documentElement.dataset.live) await new Promise((on) => setTimeout(on, 20)); "
    )
    assert page.evaluate(live + "return document.documentElement.dataset.live; }") == "WebAssembly, relaxed SIMD"


@pytest.mark.parametrize("name", ["transformer", "rnnsearch", "convs2s"])
def test_tokens_and_every_tensor_are_python_s(page, session, sentence, name):
    page.evaluate(LOADING, live_content({name: session.models[name]}))
    made = session.trace(name, sentence, TraceOptions(detail=("all",)))
    (tokens,) = page.evaluate(WRITING, [[sentence], session.models[name].bundle.search.size])
    assert tokens == [token["id"] for token in made["axes"]["target"]["tokens"]]
    found = page.evaluate(TRACING, [sentence, ["all"]])
    assert made["tensors"].keys() - found.keys() <= {"influence.gradient"}
    for tensor in found:
        np.testing.assert_allclose(from_json(found[tensor]), from_json(made["tensors"][tensor]), atol=1e-4, rtol=1e-4)


def test_every_view_is_filled(page, sentence):
    for view in set(view_names()) - {"train"}:  # which has a model of its own
        shown = page.evaluate(GOING, [view, "transformer", sentence])
        assert shown["problems"] == [], view
        assert shown["sideways"] <= 0, view
        assert shown["said"] > 100, view
