"""What a class sees first: words without markers, defined terms, a vector before and after, pictures that fit."""

import base64
import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from saccade.explorer.ancestor_traces import ancestor_traces
from saccade.explorer.page import exported_page
from saccade.explorer.session import Session
from saccade.explorer.side_by_side import page_document
from saccade.serving.translator import Translator
from saccade.tracing.options import TraceOptions

pytestmark = pytest.mark.slow
LONG = "The children of the town play football on the grass behind the old school."


@pytest.fixture(scope="module")
def whole(session, sentence):
    return session.trace("tiny", sentence, TraceOptions(detail=("all", "block:dec.1.cross")))


def test_a_page_opens_with_whole_words_and_percentages(visit, export, whole):
    page = visit(export([whole], "#/translate"), offline=True, fresh=True)
    words = [word for word in whole["axes"]["target"]["words"] if not word["special"]]
    assert page.locator(".to .written bdi").all_inner_texts() == [word["text"] for word in words]
    text = page.locator("main").inner_text()
    assert not re.search(r"</?s>|\u2581|log-probability|\d\.\d{3}", text)
    first = page.locator(".rounds-table tbody tr").first.locator("td").all_inner_texts()
    p = np.exp(sum(whole["steps"][t]["logprob"] for t in words[0]["pieces"]))
    assert first[0] == words[0]["text"]
    assert first[1] == (f"{100 * p:.0f} %" if p >= 0.1 else f"{100 * p:.1f} %" if p >= 0.0005 else "< 0.1 %")
    page.keyboard.press("g")
    page.keyboard.press("m")
    assert "</s>" not in page.locator("main").inner_text()
    assert "(end)" in page.locator("main").inner_text()
    page.get_by_role("button", name="numbers", exact=True).click()
    assert "</s>" in page.locator("main").inner_text()


def test_a_word_chosen_in_steps_is_a_word_elsewhere(visit, export, whole):
    page = visit(export([whole], "#/steps?at=7&kind=cross&l=1"), offline=True, fresh=True)
    words = [word["text"] for word in whole["axes"]["source"]["words"]]
    keys = page.locator('select[data-focus="steps-key"]')
    assert keys.locator("option").all_inner_texts() == [*words[:-1], "(end)"]
    keys.select_option("2")
    assert "u=piece" not in page.url
    assert "k=2" in page.url
    page.get_by_text("The formula, and one cell in digits").click()
    keys.select_option("1")
    assert page.locator(".step-folded math").first.is_visible()  # what was unfolded stays so


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_a_term_is_defined_where_somebody_points_at_it_or_reaches_it(visit, export, whole, language):
    page = visit(export([whole], f"#/translate?lang={language}"), offline=True, fresh=True, width=390, height=844)
    term = page.locator('main .term[data-term="layer"]')
    assert term.count() == 1
    term.hover()
    told = page.locator("[role=tooltip]")
    assert len(told.inner_text()) > 30
    box = told.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.keyboard.press("Escape")
    assert told.count() == 0
    term.focus()
    assert told.count() == 1
    assert term.get_attribute("aria-describedby") == told.get_attribute("id")
    page.keyboard.press("Tab")
    assert page.locator('.term[data-term="layer"] [role=tooltip]').count() == 0
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    assert page.locator("dialog .glossary dt").count() >= 40


def test_the_norm_shows_the_chosen_word_before_and_after(visit, export, whole, session):
    page = visit(export([whole], "#/steps?at=10&kind=cross&l=1&d=numbers&u=piece&q=2"), offline=True, fresh=True)
    rows = page.locator(".before-after tr[data-stage]").evaluate_all(
        "rows => rows.map(row => [row.dataset.stage, ...[...row.querySelectorAll('td')].map(td => td.textContent)])"
    )
    assert [row[0] for row in rows] == ["resid_in", "out", "resid_sum", "norm_out"]
    raw = whole["tensors"]["dec.1.cross.resid_sum"]
    states = np.frombuffer(base64.b64decode(raw["data"]), dtype="<f4").reshape(raw["shape"])[2]
    shown = [float(text.replace("\u2212", "-")) for text in rows[2][1:]]
    assert shown == pytest.approx([states.mean(), states.std(), np.linalg.norm(states)], abs=6e-5)
    assert page.locator('[data-figure="before-after"] svg rect').count() >= 4 * 24
    page.locator('[data-figure="before-after"] svg').click(position={"x": 5, "y": 40})
    assert "dim=" not in page.url or "dim=0" in page.url
    assert page.locator("input[name=suppose]").count() == 0
    page.evaluate("location.hash = '#/steps?at=4&kind=cross&l=1'")
    values = page.locator("input[name=suppose]").evaluate_all("inputs => inputs.map((input) => input.value)")
    assert values == ["", "score:cosine"]  # plain products are the next step's “no division”


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 900), (1920, 1080)])
def test_pictures_fit_their_window(visit, export, session, width, height):
    trace = session.trace("tiny", LONG, TraceOptions(force=LONG))
    page = visit(export([trace], "#/translate"), offline=True, fresh=True, width=width, height=height)
    box = page.locator(".links-scroll").evaluate("box => [box.scrollWidth, box.clientWidth]")
    assert box[0] <= box[1]
    assert page.locator(".linked").count() == 2 * len(LONG.split())
    table = page.locator(".rounds-table .table-scroll").evaluate("box => [box.scrollWidth, box.clientWidth]")
    assert table[0] <= table[1]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("location.hash = '#/heat?kind=enc&u=piece'")
    labels = page.locator(".column-label").evaluate_all(
        "labels => labels.map((label) => label.getBoundingClientRect()).map(({ left, right }) => [left, right])"
    )
    turned = page.locator(".column-label").first.evaluate("label => label.style.transform")
    if turned == "rotate(-90deg)":
        assert all(right <= left + 0.5 for (_, right), (left, _) in zip(labels, labels[1:], strict=False))


def test_on_a_phone_the_sentence_takes_one_line_until_somebody_writes_in_it(visit, export, session):
    trace = session.trace("tiny", LONG, TraceOptions(force=LONG))
    page = visit(export([trace], "#/translate"), offline=True, fresh=True, width=390, height=844)
    read, written = (
        page.locator("#sentence").evaluate(f"(field) => {{ field.{act}(); return field.clientHeight; }}")
        for act in ("blur", "focus")
    )
    assert read < 50 < written


def test_a_word_that_is_wider_than_a_phone_is_broken(visit, export, session, ready):
    word = "Donaudampfschifffahrtsgesellschaftskapitänsmützenband"
    trace = session.trace("tiny", word, TraceOptions(force=word))
    page = visit(export([trace], "#/home"), offline=True, fresh=True, width=390, height=844)
    for view in ("home", "translate", "heat"):
        page.evaluate(f"location.hash = '#/{view}'")
        ready(page, view)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_other_tasks_are_named_and_a_busy_machine_is(visit, tmp_path, make_model, sentence):
    mine, other = make_model("transformer"), make_model("transformer", seed=23)
    french = Translator([replace(other.bundle, target_language="fr")], torch.device("cpu"))
    models = {"mine": mine, "other": french}
    path = tmp_path / "page.html"
    shown = page_document(Session(models), [sentence], route="#/ancestors?m=mine")
    seconds = [1.0, 2.0, 4.0]
    row = {"seconds": seconds, "fastest": seconds, "slowest": [9.0, 9.0, 9.0], "multiply_adds": [1, 2, 3]}
    kinds = dict.fromkeys(("self-attention", "recurrent", "convolutional", "restricted"), row)
    cost = {"d": 24, "heads": 2, "k": 3, "r": 5, "lengths": [4, 8, 16], "kinds": kinds, "repeats": 5}
    shown["cost"] = cost | {"machine": "a CPU", "threads": 1, "torch": "2", "date": "2020-02-03"}
    path.write_text(exported_page(shown), encoding="utf-8")
    page = visit(path.as_uri(), offline=True, fresh=True)
    assert page.locator("[data-mismatch]").count() == 1
    assert "en \u2192 fr" in page.locator('th[data-column="other"] [data-mismatch="languages"]').inner_text()
    page.evaluate("location.hash = '#/cost'")
    assert "busy" in page.locator(".unsteady").inner_text()
    n, d = len(shown["traces"][0]["axes"]["source"]["tokens"]), 24
    summary = page.locator("[data-summary]").inner_text()
    fewer = 8 * d / (4 * d + 2 * n)
    assert f"{fewer:.2g}" in summary


def test_an_older_system_stands_beside_one_model_alone(visit, tmp_path, make_model):
    traced = ancestor_traces([{"task": "translation", "source_language": "en", "target_language": "es"}])
    bundle = replace(make_model("transformer").bundle, target_language="es")
    session = Session({"mine": Translator([bundle], torch.device("cpu"))})
    path = tmp_path / "page.html"
    shown = page_document(session, [traced[0]["source_text"], "She reads."], route="#/ancestors")
    path.write_text(exported_page(shown), encoding="utf-8")
    page = visit(path.as_uri(), offline=True, fresh=True)
    assert page.locator("th[data-column]").evaluate_all("all => all.map(th => th.dataset.column)") == [
        "RNNsearch",
        "mine",
    ]
    assert page.locator("th [data-traced]").count() == 1
    cell = page.locator('td[data-cell="translation"][data-model="RNNsearch"]')
    assert traced[0]["output"]["text"] in cell.inner_text()
    assert page.locator("[role=alert], .problem").count() == 0
    page.evaluate("location.hash = '#/ancestors?s=She%20reads.'")
    assert page.locator("th[data-column]").count() == 1
    offered = page.locator("div[data-traced] a")
    assert offered.all_inner_texts() == [traced[0]["source_text"]]  # a file offers what it holds
    offered.first.click()
    assert page.locator("th[data-column]").count() == 2
