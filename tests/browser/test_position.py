"""Positions in the page: the formula against the model's table, cell by cell, and what follows from it."""

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
    return session.trace("tiny", sentence, TraceOptions(detail=("all",)))


@pytest.fixture(scope="module")
def table(trace):
    return from_json(trace["tensors"][trace["positions_table"]]).astype(np.float64)


@pytest.fixture(scope="module")
def learned(make_model, sentence):
    model = Session({"learned": make_model("transformer", positions="learned", maximum_length=20)})
    return model.trace("learned", sentence, TraceOptions(detail=("all",)))


def fact(page, name: str) -> str:
    return page.locator(f'[data-fact="{name}"]').inner_text()


def shown_number(text: str) -> float:
    return float(re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)[-1])


@pytest.mark.core
def test_the_formula_is_that_of_the_paper(visit, server, table):
    page = visit(f"{server}/#/cost")
    width = table.shape[1]
    script = (
        'async ([pos, place, width]) => (await import("page/position/table")).position("sinusoidal", pos, place, width)'
    )
    for pos, place in [(0, 0), (0, 1), (1, 0), (7, 5), (63, width - 1), (40, 8)]:
        angle = pos / 10000 ** (2 * (place // 2) / width)
        expected = np.cos(angle) if place % 2 else np.sin(angle)
        assert page.evaluate(script, [pos, place, width]) == pytest.approx(expected, abs=1e-12)
        assert table[pos, place] == pytest.approx(expected, abs=1e-6)
    other = script.replace("sinusoidal", "tensor2tensor")
    for pos, place in [(3, 0), (3, 11), (5, 12), (5, 23)]:
        half = width // 2
        angle = pos / 10000 ** ((place % half) / (half - 1))
        expected = np.cos(angle) if place >= half else np.sin(angle)
        assert page.evaluate(other, [pos, place, width]) == pytest.approx(expected, abs=1e-12)


def test_a_legend_begins_where_its_first_number_keeps_its_sign(visit, server):
    page = visit(f"{server}/#/cost")
    script = """async (limit) => {
      const { legend, measure } = await import("page/drawing/matrix-drawing");
      const values = { rows: 1, columns: 1, data: new Float64Array([limit]) };
      const written = [];
      const surface = { rect() {}, outline() {}, line() {}, text: (x, y, said) => written.push([x, said]) };
      legend(surface, { values, scale: "diverging", theme: "light" }, 8, 1);
      return [written[0][1], written[0][0] - measure(written[0][1], 10) / 2];
    }"""
    for limit, label in [(192, "-192"), (48.2, "-48.2"), (0.0000123, "-0.0000123"), (2, "-2")]:
        said, edge = page.evaluate(script, limit)
        assert said == label
        assert edge >= 0


@pytest.mark.core
def test_the_page_says_how_well_formula_and_table_agree(visit, export, trace, table):
    page = visit(export([trace], "#/position?d=numbers&wave=5&pos=7"), offline=True)
    rows, width = table.shape
    places = np.arange(width)
    angles = np.arange(rows)[:, None] / 10000 ** (2 * (places // 2) / width)
    error = np.abs(np.where(places % 2, np.cos(angles), np.sin(angles)) - table).max()
    assert shown_number(fact(page, "formula")) == pytest.approx(error, rel=0.01)
    assert page.locator("[data-spelled] b").inner_text() == f"{table[7, 5]:.4f}"
    assert "cos(7 / " in page.locator("[data-spelled]").inner_text()


def test_each_cell_of_the_picture_has_the_colour_of_its_number(visit, export, trace, table):
    page = visit(export([trace], "#/position?d=numbers"), offline=True)
    rows, width = table.shape
    cells = [(0, 1), (3, 0), (11, 7), (rows - 1, width - 1)]
    drawn, expected = page.evaluate(
        """async ([cells, rows, width, values]) => {
          const { diverging } = await import("page/drawing/colour");
          const canvas = document.querySelector(".position-cells canvas");
          const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          const pixel = ([pos, dim]) => {
            const [x, y] = [(dim + 0.5) * canvas.width / width, (pos + 0.5) * canvas.height / rows].map(Math.floor);
            return [...pixels.slice(4 * (y * canvas.width + x), 4 * (y * canvas.width + x) + 3)];
          };
          return [cells.map(pixel), values.map((value) => diverging(value, "light"))];
        }""",
        [cells, rows, width, [table[cell] / np.abs(table).max() for cell in cells]],
    )
    assert np.abs(np.subtract(drawn, expected)).max() <= 2


def test_products_of_positions_are_those_of_the_table(visit, export, trace, table):
    page = visit(export([trace], "#/position?d=numbers&table=1"), offline=True)
    cells = page.locator('[data-matrix="position-products"] tbody td').all_inner_texts()
    products = table @ table.T
    assert cells == [f"{value:.4f}" for value in products[:24, :24].ravel()]
    spread = max(np.ptp(np.diagonal(products, offset)) for offset in range(len(table) - 1))
    assert shown_number(fact(page, "spread").split(":")[0]) == pytest.approx(spread, rel=0.05)


@pytest.mark.slow
def test_arrows_and_clicks_choose_a_wave(visit, server, route, sentence, table):
    page = visit(f"{server}/{route('position', s=sentence, m='tiny', wave=4, pos=2)}")
    page.locator(".position-cells").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert "wave=5" in page.url
    assert "pos=3" in page.url
    assert page.locator("[data-spelled] b").inner_text() == f"{table[3, 5]:.4f}"
    assert page.locator("#live").inner_text() == f"position 3, place in the vector 5, {table[3, 5]:.4f}"
    box = page.locator(".position-cells canvas").bounding_box()
    rows, width = table.shape
    page.mouse.click(box["x"] + 9.5 * box["width"] / width, box["y"] + 6.5 * box["height"] / rows)
    assert page.locator("[data-spelled] b").inner_text() == f"{table[6, 9]:.4f}"
    page.mouse.move(box["x"] + 12.5 * box["width"] / width, box["y"] + 1.5 * box["height"] / rows)
    assert page.locator("[data-spelled] b").inner_text() == f"{table[1, 12]:.4f}"
    assert "wave=9" in page.url


def test_learned_positions_are_shown_as_they_are(visit, export, learned):
    page = visit(export([learned], "#/position?d=numbers&wave=3"), offline=True)
    text = page.locator("#view").inner_text()
    assert "were learned" in text
    assert page.locator('[data-fact="formula"], [data-spelled], .position-formulas').count() == 0
    table = from_json(learned["tensors"][learned["positions_table"]])
    assert f"{table.shape[0]} × {table.shape[1]}" in text


def test_the_shuffle_test_prints_what_the_trace_found(visit, export, trace):
    order = list(range(len(trace["axes"]["source"]["tokens"])))[::-1]
    tested = trace | {"shuffle": {"order": order, "with_positions": 1.25, "without_positions": 3e-7}}
    page = visit(export([tested], "#/position?d=numbers"), offline=True)
    text = page.locator("section[aria-labelledby=position-shuffle]").inner_text()
    assert "3.00e-7" in text
    assert "1.250" in text
    pieces = [token["piece"].removeprefix("▁") or "▁" for token in trace["axes"]["source"]["tokens"]]
    lines = [line.locator("bdi").all_inner_texts() for line in page.locator(".shuffle-line").all()]
    assert lines == [pieces, pieces[::-1]]


def test_where_no_shuffle_test_can_be_made_the_page_says_why(visit, export, make_model, session, sentence):
    recurrent = Session({"recurrent": make_model("rnnsearch")})
    for models, name, text, said in [
        (recurrent, "recurrent", sentence, "No vectors of positions can be left out of this model"),
        (session, "tiny", "the", "One piece has only one order"),
    ]:
        whole = models.trace(name, text, TraceOptions(detail=("all",)))
        page = visit(export([whole], "#/position"), offline=True)
        assert said in page.locator("section[aria-labelledby=position-shuffle] .note").inner_text()


def test_a_file_without_the_table_says_how_to_get_it(visit, export, session, sentence):
    page = visit(export([session.trace("tiny", sentence, TraceOptions())], "#/position?d=numbers"), offline=True)
    assert "--detail all" in page.locator("#view").inner_text()


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_nobody_is_shut_out(visit, export, trace, dark):
    page = visit(export([trace], "#/position?d=numbers"), dark=dark)
    assert json.dumps(Axe().run(page).response["violations"]) == "[]"


def test_a_narrow_window_does_not_scroll_sideways(visit, export, trace):
    page = visit(export([trace], "#/position?d=numbers"), width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
