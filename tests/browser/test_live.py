"""A live page in a real browser: one file, no server, no network, and any sentence is translated."""

import numpy as np
import pytest

from saccade.explorer.live_page import live_content
from saccade.explorer.page import document, exported_page, view_names
from saccade.explorer.session import Session
from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json
from saccade.tracing.what_if import WhatIf

pytestmark = pytest.mark.slow


WATCHING = """() => {
  const bar = document.querySelector(".measuring");
  globalThis.shares = [];
  new MutationObserver(() => shares.push(bar.value)).observe(bar, { attributeFilter: ["value"] });
}"""


@pytest.fixture
def live_file(session, tmp_path) -> str:
    path = tmp_path / "live.html"
    path.write_text(exported_page(document(models=session.entries()), live_content(session.models)), encoding="utf-8")
    return path.as_uri()


def translated(page, ready, text: str) -> str:
    page.fill("#sentence", text)
    page.press("#sentence", "Enter")
    page.wait_for_selector(f".from:has-text('{text}')")
    ready(page)
    return page.locator(".to .written").all_inner_texts()


def test_any_sentence_is_translated_offline_as_python_does(visit, live_file, session, ready):
    page = visit(live_file, offline=True, fresh=True)
    for text in ("A dog runs.", "Nobody knows why the birds came back."):
        found = translated(page, ready, text)
        expected = session.trace("tiny", text, TraceOptions())
        assert [one.split("\n")[0] for one in found] == [word["text"] for word in expected["axes"]["target"]["words"]]


def test_products_are_computed_by_the_kernels(visit, live_file):
    page = visit(live_file, offline=True, fresh=True)
    page.wait_for_selector("html[data-live]")
    assert page.locator("html").get_attribute("data-live") == "WebAssembly, relaxed SIMD"


@pytest.mark.parametrize("view", [view for view in view_names() if view != "train"])  # which has a model of its own
def test_every_view_shows_a_sentence_that_was_never_in_the_file(visit, live_file, ready, route, sentence, view):
    page = visit(live_file + route(view, s=sentence, m="tiny"), offline=True, fresh=True)
    ready(page, view)
    assert page.locator("main .problem, .bad-text, .checks.bad").all_inner_texts() == []


def test_a_changed_model_and_the_loss_of_words_are_python_s(visit, live_file, ready, route, session, sentence):
    changed = session.trace("tiny", sentence, TraceOptions(what_if=WhatIf(name="no-scale")))
    page = visit(live_file + route("translate", s=sentence, m="tiny", w="no-scale"), offline=True, fresh=True)
    ready(page, "translate")
    shown = [one.split("\n")[0] for one in page.locator(".to .written").all_inner_texts()]
    assert shown == [word["text"] for word in changed["axes"]["target"]["words"]]
    page.evaluate(WATCHING)
    measured = session.trace("tiny", sentence, TraceOptions(detail=("influence",)))
    page.goto(live_file + route("heat", s=sentence, m="tiny", o="occlusion", u="piece", table=1))
    page.wait_for_selector("figure.matrix tbody td")
    shares = page.evaluate("() => globalThis.shares")
    assert max(shares) >= 0.5  # of five words and a full stop
    assert shares == sorted(shares[:-1]) + [0]
    assert page.locator(".measuring").is_hidden()
    rows = [line.locator("td").all_inner_texts() for line in page.locator("figure.matrix tbody tr").all()]
    np.testing.assert_allclose(
        np.array(rows, dtype=float), from_json(measured["tensors"]["influence.occlusion"]), atol=1.1e-4
    )


def test_ancestors_run_in_the_page_and_fill_their_views(visit, tmp_path, make_model, ready, route, sentence):
    session = Session({name: make_model(name) for name in ("rnnsearch", "convs2s", "lstmn", "rctm")})
    path = tmp_path / "ancestor.html"
    path.write_text(exported_page(document(models=session.entries()), live_content(session.models)), encoding="utf-8")
    for view, model in (("heat", "lstmn"), ("steps", "rnnsearch"), ("steps", "convs2s"), ("ancestors", "rctm")):
        page = visit(path.as_uri() + route(view, s=sentence, m=model), offline=True, fresh=True)
        ready(page, view)
        assert page.locator("main .problem, .bad-text, .checks.bad").all_inner_texts() == []
    expected = session.trace("convs2s", sentence, TraceOptions())
    page = visit(path.as_uri() + route("translate", s=sentence, m="convs2s"), offline=True, fresh=True)
    ready(page, "translate")
    shown = [one.split("\n")[0] for one in page.locator(".to .written").all_inner_texts()]
    assert shown == [word["text"] for word in expected["axes"]["target"]["words"]]


def test_language_models_and_classifiers_run_in_the_page_and_fill_every_view(
    visit, tmp_path, make_model, ready, route, sentence
):
    names = ("transformer-language-model", "transformer-classifier", "self-attentive", "rnn-language-model", "ngram")
    session = Session({name: make_model(name) for name in names})
    path = tmp_path / "others.html"
    path.write_text(exported_page(document(models=session.entries()), live_content(session.models)), encoding="utf-8")
    page = visit(path.as_uri(), offline=True, fresh=True)
    for model in names:
        for view in ("translate", "steps", "heads", "heat", "beam", "position", "model", "quiz"):
            page.goto(path.as_uri() + route(view, s=sentence, m=model))
            ready(page, view)
            assert page.locator("main .problem, .bad-text, .checks.bad").all_inner_texts() == [], (model, view)
        expected = session.trace(model, sentence, TraceOptions())
        page.goto(path.as_uri() + route("translate", s=sentence, m=model))
        ready(page, "translate")
        shown = [one.split("\n")[0] for one in page.locator(".to .written").all_inner_texts()]
        ordinary = [word["text"] for word in expected["axes"]["target"]["words"] if word["special"] is None]
        assert shown[: len(ordinary)] == ordinary


def test_stop_stops_and_the_next_sentence_is_translated(visit, live_file, ready):
    page = visit(live_file, offline=True, fresh=True)
    # A small model answers before a click from outside arrives: so the page itself clicks, once there is what to click.
    page.evaluate("""() => {
      const watching = new MutationObserver(() => {
        const cancel = [...document.querySelectorAll("button")].find((one) => one.textContent === "Cancel");
        if (cancel) {
          watching.disconnect();
          cancel.click();
        }
      });
      watching.observe(document.body, { childList: true, subtree: true });
    }""")
    page.fill("#sentence", "The cat drank the milk " * 8)
    page.press("#sentence", "Enter")
    page.wait_for_selector("main:has-text('Cancelled.')")
    assert translated(page, ready, "A dog runs.")
