"""The model in the page: letters, counts and lengths are the model's, and the laboratory's numbers are numpy's."""

import json
import re

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from saccade.explorer.session import Session
from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json


@pytest.fixture(scope="module")
def trace(session, sentence):
    return session.trace("tiny", sentence, TraceOptions(detail=("all", "parameters")))


@pytest.fixture(scope="module")
def pre(make_model, sentence):
    """A model whose norms stand before their sub-layers."""
    model = Session({"pre": make_model("transformer", norm="pre", decoder_layers=3)})
    return model.trace("pre", sentence, TraceOptions(detail=("all", "parameters")))


def tensor(trace, name: str) -> np.ndarray:
    return from_json(trace["tensors"][name]).astype(np.float64)


def fact(page, name: str) -> str:
    return page.locator(f'[data-fact="{name}"]').inner_text()


def shown_numbers(text: str) -> list[float]:
    return [float(found) for found in re.findall(r"\d+(?:\.\d+)?(?:e-?\d+)?", text)]


def normed(states: np.ndarray, axis: int, epsilon: float = 1e-6) -> np.ndarray:
    mean, variance = states.mean(axis, keepdims=True), states.var(axis, keepdims=True)
    return (states - mean) / np.sqrt(variance + epsilon)


@pytest.mark.core
def test_letters_and_parameters_are_the_model_s(visit, export, trace):
    page = visit(export([trace], "#/model?d=numbers"), offline=True)
    shown = {
        row.get_attribute("data-letter"): row.locator("td").last.inner_text()
        for row in page.locator("tr[data-letter]").all()
    }
    letters = trace["model"]["letters"]
    assert shown == {
        name: "not kept in the model's folder" if letters[name] is None else f"{letters[name]:,}"
        for name in ("N", "N_decoder", "d_model", "d_ff", "h", "d_k", "d_v", "P_drop", "eps_ls", "steps")
    }
    parts = {
        row.get_attribute("data-part"): row.locator("td").all_inner_texts()
        for row in page.locator("tr[data-part]").all()
    }
    total = sum(trace["counts"].values())
    assert parts == {name: [f"{count:,}", f"{100 * count / total:.1f} %"] for name, count in trace["counts"].items()}
    assert f"{trace['model']['parameters']:,} numbers were learned" in page.locator("#view").inner_text()
    assert total == trace["model"]["parameters"]


def test_lengths_of_vectors_are_those_of_the_tensors(visit, export, trace):
    page = visit(export([trace], "#/model?d=numbers"), offline=True)
    rows = page.locator("table[data-table=lengths] tbody tr").all()
    token, position = tensor(trace, "embedding.source.token"), tensor(trace, "embedding.source.position")
    after, place, scale = np.linalg.norm(token, axis=1), np.linalg.norm(position, axis=1), np.sqrt(24)
    expected = np.stack([after / scale, after, place, place / after * scale, place / after], axis=1)
    assert [row.locator("td").all_inner_texts() for row in rows] == [[f"{v:.2f}" for v in line] for line in expected]
    means = [(after / scale).mean(), after.mean(), place.mean()]
    assert shown_numbers(fact(page, "lengths")) == [pytest.approx(mean, abs=0.006) for mean in means]


@pytest.mark.core
@pytest.mark.parametrize(("kind", "block"), [("enc", "enc.0.self"), ("cross", "dec.0.cross")])
def test_the_laboratory_computes_what_numpy_computes(visit, export, trace, kind, block):
    page = visit(export([trace], f"#/model?d=numbers&kind={kind}&l=0&swap=2&table=1"), offline=True)
    states = tensor(trace, f"{block}.resid_sum")
    for name, expected in (("before", states), ("layer", normed(states, 1)), ("batch", normed(states, 0))):
        cells = page.locator(f'[data-matrix="norm-{name}"] tbody td').all_inner_texts()
        assert np.array(cells, dtype=float) == pytest.approx(expected[:, :16].ravel(), abs=6e-5)
    again = normed(states, 1) * tensor(trace, f"{block}.norm_gain") + tensor(trace, f"{block}.norm_shift")
    error = np.abs(again - tensor(trace, f"{block}.norm_out")).max()
    assert error < 1e-5
    assert shown_numbers(fact(page, "norm"))[-1] == pytest.approx(error, rel=0.1)


def test_another_word_moves_nobody_under_layer_norm_and_everybody_under_batch_norm(visit, export, trace):
    page = visit(export([trace], "#/model?d=numbers&kind=enc&l=0&swap=2"), offline=True)
    states = tensor(trace, "enc.0.self.resid_sum")
    farthest = int(np.linalg.norm(states - states[2], axis=1).argmax())
    changed = states.copy()
    changed[2] = states[farthest]
    others = [row for row in range(len(states)) if row != 2]
    moved = {axis: np.abs(normed(states, axis) - normed(changed, axis)).max(1)[others] for axis in (0, 1)}
    assert moved[1].max() == 0
    cells = [row.locator("td").all_inner_texts() for row in page.locator(".norm-experiment tbody tr").all()]
    assert [float(layer) for layer, _ in cells] == [0.0] * len(others)
    assert [float(batch) for _, batch in cells] == pytest.approx(list(moved[0]), rel=1e-3)
    assert f"{moved[0].max():.3f}" in fact(page, "swap")
    page.locator(".norm-experiment select").select_option(index=0)
    assert "swap=0" in page.url
    assert page.locator(".norm-experiment tbody tr").count() == len(others)


def test_a_norm_before_its_sub_layer_is_tried_on_what_goes_into_it(visit, export, pre):
    page = visit(export([pre], "#/model?d=numbers&kind=dec&l=1&table=1"), offline=True)
    states = tensor(pre, "dec.1.self.resid_in")
    cells = page.locator('[data-matrix="norm-layer"] tbody td').all_inner_texts()
    assert np.array(cells, dtype=float) == pytest.approx(normed(states, 1)[:, :16].ravel(), abs=6e-5)
    drawn = page.locator('[data-figure="model"] svg text').all_text_contents()
    assert [text for text in drawn if "×" in text and len(text) < 5] == ["2 ×", "3 ×"]
    # Three sub-layers and the norm above them in the decoder, two and one in the encoder.
    assert drawn.count("norm") == 3 + 1 + 2 + 1


def test_the_drawing_has_a_box_for_every_part_that_told(visit, export, trace):
    page = visit(export([trace], "#/model?d=numbers"), offline=True)
    drawn = page.locator('[data-figure="model"] svg text').all_text_contents()
    length, width = len(trace["axes"]["source"]["tokens"]), trace["model"]["letters"]["d_model"]
    for text in ("self-attention", "masked self-attention", "cross-attention", "linear + softmax", "24 → 40 → 24"):
        assert text in drawn
    assert drawn.count("feed-forward") == 2
    assert drawn.count("add & norm") == 5
    assert f"memory: {length} × {width}" in drawn
    links = page.locator("details a").evaluate_all(
        "links => links.map((link) => link.getAttribute('href').split('?')[0])"
    )
    assert {"#/heat", "#/steps", "#/position"} <= set(links)


def test_a_system_without_attention_is_drawn_too(visit, export, make_model, sentence):
    model = Session({"seq": make_model("seq2seq", width=16, layers=2)})
    trace = model.trace("seq", sentence, TraceOptions(detail=("all",)))
    page = visit(export([trace], "#/model?d=numbers"), offline=True)
    drawn = page.locator('[data-figure="model"] svg text').all_text_contents()
    assert f"memory: {trace['memory']['numbers']:,} numbers" in drawn
    assert "recurrent, backwards" in drawn
    assert "cross-attention" not in drawn


def test_a_file_with_weights_only_says_what_is_missing(visit, export, session, sentence):
    page = visit(export([session.trace("tiny", sentence, TraceOptions())], "#/model?d=numbers"), offline=True)
    assert page.locator("#view .note").count() == 2
    assert "--detail all" in page.locator(".norm-lab .note").inner_text()


def test_a_file_with_one_block_shows_that_one(visit, export, session, sentence):
    held = session.trace("tiny", sentence, TraceOptions(detail=("weights", "embedding", "block:enc.0.self")))
    page = visit(export([held], "#/model?d=numbers&kind=cross&l=1&table=1"), offline=True)
    assert "encoder self-attention, layer 1" in page.locator(".norm-lab").inner_text()
    cells = page.locator('[data-matrix="norm-before"] tbody td').all_inner_texts()
    expected = tensor(held, "enc.0.self.resid_sum")[:, :16].ravel()
    assert np.array(cells, dtype=float) == pytest.approx(expected, abs=6e-5)


@pytest.mark.slow
def test_the_served_page_asks_for_what_the_laboratory_needs(visit, server, route, ready, sentence):
    page = visit(f"{server}/{route('model', s=sentence, m='tiny', kind='dec', l=1)}")
    assert page.locator('[data-matrix="norm-batch"] canvas').count() > 0
    page.get_by_label("Layer", exact=True).select_option(index=0)
    ready(page, "model")
    assert "l=0" in page.url
    assert page.locator('[data-matrix="norm-batch"] canvas').count() > 0


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_nobody_is_shut_out(visit, export, trace, dark):
    page = visit(export([trace], "#/model?d=numbers"), dark=dark)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert json.dumps(Axe().run(page).response["violations"]) == "[]"


def test_a_narrow_window_does_not_scroll_sideways(visit, export, trace):
    page = visit(export([trace], "#/model?d=numbers"), width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
