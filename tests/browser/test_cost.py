"""Table 1 in the page: the numbers of the formulas, for this sentence and any other size; the clock beside them."""

import json
import math

import pytest
from axe_playwright_python.sync_playwright import Axe

from saccade.explorer.cost import measured_cost
from saccade.explorer.page import document, exported_page
from saccade.layers.vaswani_table_1 import Table1Sizes, multiply_adds
from saccade.tracing.options import TraceOptions

KINDS = ["self-attention", "recurrent", "convolutional", "restricted"]
WIDTH = 24


@pytest.fixture(scope="module")
def trace(session, sentence):
    return session.trace("tiny", sentence, TraceOptions())


@pytest.fixture(scope="module")
def cost():
    """Times of an invented clock, so that every digit is known: call i takes i milliseconds."""
    ticks = iter(at / 1000 * (1 + at // 2 % 7) for at in range(10_000))
    sizes = Table1Sizes(width=WIDTH, heads=2)
    return measured_cost(sizes, clock=lambda: next(ticks), date="2020-02-03", repeats=1, lengths=[4, 8, 16])


def operations(n: int, d: int, k: int = 3, r: int = 5) -> list[int]:
    return [n * n * d, n * d * d, k * n * d * d, min(n, r) * n * d]


def paths(n: int, k: int = 3, r: int = 5) -> list[int]:
    layers = next(count for count in range(99) if k**count >= n)
    return [1, n, max(1, layers), math.ceil(n / min(n, r))]


def numbers(page, column: int) -> list[int]:
    """The large number of each row in a column; the first column has the name."""
    found = page.locator(f".cost-table:not(.times) tbody tr td:nth-child({column}) strong").all_inner_texts()
    return [int("".join(filter(str.isdigit, text))) for text in found]


def duration(seconds: float) -> str:
    """As the page writes it: three digits that count, in the largest unit of which there is one."""
    size, unit = next(
        (
            (size, unit)
            for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
            if float(f"{seconds / size:.3g}") >= 1
        ),
        (1e-6, "µs"),
    )
    value = seconds / size
    return f"{value:.{0 if value >= 99.95 else 1 if value >= 9.995 else 2}f} {unit}"


@pytest.mark.core
def test_the_table_has_the_sentence_and_the_width_of_the_model(visit, server, route, trace, sentence):
    page = visit(f"{server}/{route('cost', s=sentence, m='tiny')}")
    n = len(trace["axes"]["source"]["tokens"])
    exact = page.locator(".cost-exact .number").all_text_contents()
    assert exact == [f"{multiply_adds(kind, n, Table1Sizes(width=WIDTH)):,}" for kind in KINDS]
    assert numbers(page, 2) == operations(n, WIDTH)
    assert numbers(page, 3) == [1, n, 1, 1]
    assert numbers(page, 4) == paths(n)


def test_the_formulas_are_those_of_the_paper_at_any_size(visit, server, route, sentence):
    page = visit(f"{server}/{route('cost', s=sentence, m='tiny', n=9, dm=5, kw=3, r=9)}")
    assert numbers(page, 2) == operations(9, 5, 3, 9)
    assert numbers(page, 4) == paths(9, 3, 9)
    script = 'async (s) => (await import("page/cost/table")).table(s).map((row) => [row.operations, row.path])'
    for n, d, k, r in [(1, 7, 3, 5), (243, 64, 3, 11), (244, 64, 3, 11), (1000, 512, 7, 1), (6, 2, 5, 99)]:
        found = page.evaluate(script, {"n": n, "d": d, "k": k, "r": r})
        assert found == [list(pair) for pair in zip(operations(n, d, k, r), paths(n, k, r), strict=True)]


@pytest.mark.core
def test_writing_another_length_changes_the_numbers_and_the_link(visit, server, route, trace, sentence):
    page = visit(f"{server}/{route('cost', s=sentence, m='tiny')}")
    page.fill("#cost-n", "37")
    assert numbers(page, 2) == operations(37, WIDTH)
    exact = page.locator(".cost-exact .number").all_text_contents()
    assert exact == [f"{multiply_adds(kind, 37, Table1Sizes(width=WIDTH)):,}" for kind in KINDS]
    assert "n=37" in page.url
    assert page.evaluate("document.activeElement.id") == "cost-n"
    for nonsense in ("0", "-3", ""):
        page.fill("#cost-n", nonsense)
        assert numbers(page, 2) == operations(37, WIDTH)
    page.get_by_role("button", name="From my sentence").click()
    n = len(trace["axes"]["source"]["tokens"])
    assert numbers(page, 2) == operations(n, WIDTH)
    assert page.input_value("#cost-n") == str(n)


@pytest.mark.slow
def test_the_crossing_is_where_n_equals_d(visit, server, route, sentence):
    page = visit(f"{server}/{route('cost', s=sentence, m='tiny')}")
    for n, said in [(12, "2.0 times fewer"), (24, "same number"), (48, "2.0 times as many")]:
        page.fill("#cost-n", str(n))
        assert said in page.locator("#view").inner_text()


@pytest.mark.slow
def test_without_a_sentence_the_paper_s_sizes_stand_there(visit, server):
    page = visit(f"{server}/#/cost", fresh=True)
    assert numbers(page, 2) == operations(30, 512)


@pytest.mark.slow
def test_measuring_shows_what_the_server_measured(visit, server, route, sentence):
    page = visit(f"{server}/{route('cost', s=sentence, m='tiny')}", fresh=True)
    with page.expect_response(lambda answer: "/api/cost" in answer.url) as caught:
        page.get_by_role("button", name="Measure now").click()
    found = caught.value.json()
    page.wait_for_selector(".cost-table.times")
    shown = [row.locator("td").all_inner_texts() for row in page.locator(".cost-table.times tbody tr").all()]
    expected = [
        [duration(found["kinds"][kind]["seconds"][at]) for kind in KINDS] for at in range(len(found["lengths"]))
    ]
    assert [[cell.split("\n")[0] for cell in row] for row in shown] == expected
    assert (found["d"], found["heads"]) == (WIDTH, 2)


def test_a_file_holds_the_times_it_was_written_with(visit, tmp_path, trace, cost):
    path = tmp_path / "with.html"
    path.write_text(exported_page(document([trace], route="#/cost?n=8", cost=cost)), encoding="utf-8")
    page = visit(path.as_uri(), offline=True)
    shown = page.locator(".cost-table:not(.times) tbody td:last-child strong").all_inner_texts()
    assert shown == [duration(cost["kinds"][kind]["seconds"][1]) for kind in KINDS]
    assert "2020-02-03" in page.locator("#view").inner_text()
    between = 'async ([cost, n]) => (await import("page/cost/table")).secondsAt(cost, "recurrent", n)'
    low, high = cost["kinds"]["recurrent"]["seconds"][1:]
    expected = math.exp(math.log(low) + (math.log(high) - math.log(low)) * math.log(11 / 8) / math.log(2))
    assert page.evaluate(between, [cost, 11]) == pytest.approx(expected)
    assert [page.evaluate(between, [cost, beyond]) for beyond in (3, 17)] == [None, None]


def test_a_file_without_times_says_how_to_get_them(visit, export, trace):
    page = visit(export([trace], "#/cost"), offline=True)
    assert "--export" in page.locator(".cost-measured").inner_text()
    assert page.get_by_role("button", name="Measure").count() == 0


def test_claims_are_answered_with_these_numbers_and_the_drawing_can_be_saved(visit, server, route, trace, sentence):
    page = visit(f"{server}/{route('cost', s=sentence, m='tiny', n=22)}")
    answers = " ".join(page.locator("details.claim p").all_text_contents())
    assert f"{22 * 22 * WIDTH:,} operations" in answers
    assert f"{44 * 44 * WIDTH:,} for twice as many" in answers
    assert f"{4 * 2 * 22 * 22 / 1024:.2f} KiB" in answers
    assert f"{trace['model']['config']['maximum_length']:,} positions" in answers

    with page.expect_download() as caught:
        page.get_by_role("button", name="as SVG: Operations against length").click()
    text = caught.value.path().read_text(encoding="utf-8")
    assert text.startswith("<?xml")
    assert "restricted" in text


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_nobody_is_shut_out(visit, tmp_path, trace, cost, dark):
    path = tmp_path / "axe.html"
    path.write_text(exported_page(document([trace], route="#/cost", cost=cost)), encoding="utf-8")
    page = visit(path.as_uri(), dark=dark)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert json.dumps(Axe().run(page).response["violations"]) == "[]"


@pytest.mark.slow
def test_a_narrow_window_does_not_scroll_sideways(visit, server, route, sentence):
    page = visit(f"{server}/{route('cost', s=sentence, m='tiny')}", width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("names", [["a"], ["Selbstaufmerksamkeit, beschränkt", "rekurrent"], [""]])
def test_the_names_beside_a_chart_stand_whole(visit, server, names):
    page = visit(f"{server}/#/cost")
    script = """async (names) => {
      const { drawChart } = await import("page/drawing/chart");
      const { measure } = await import("page/drawing/matrix-drawing");
      const axis = { label: "", domain: [0, 1], ticks: [] };
      const ends = [];
      const surface = new Proxy({}, { get: (_, what) => (x, __, said) => {
        if (what === "text" && names.includes(said)) ends.push(x + measure(said, 12));
      } });
      const series = names.map((name) => ({ name, points: [[0, 0], [1, 1]] }));
      drawChart(surface, { width: 500, height: 300, x: axis, y: axis, series }, "light");
      return ends.filter((end) => end > 500).length;
    }"""
    assert page.evaluate(script, names) == 0
