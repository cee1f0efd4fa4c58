"""The view Heads: every head once, in its place, with numbers and colours that are those of the tensors."""

import math
import re

import numpy as np
import pytest

from saccade.explorer.session import Session
from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")

WORDS = " ".join(["the"] * 60)
KINDS = {"enc": ("enc", "self"), "dec": ("dec", "self"), "cross": ("dec", "cross")}


@pytest.fixture(scope="module")
def trace(session, sentence):
    return session.trace("tiny", sentence, TraceOptions())


@pytest.fixture(scope="module")
def hash(route, sentence):
    return lambda **parts: route("heads", s=sentence, m="tiny", **parts)


@pytest.fixture
def see(visit, server, hash):
    """The view under these parts of the link."""
    return lambda dark=False, **parts: visit(f"{server}/{hash(**parts)}", dark=dark)


def weights(trace, kind, layer):
    stack, name = KINDS[kind]
    return from_json(trace["tensors"][f"{stack}.{layer}.{name}.weights"]).astype(float)


def by_words(matrix, rows, columns):
    """Pieces as words: rows are means, columns sums."""
    summed = np.stack([matrix[:, word["pieces"]].sum(1) for word in columns], 1)
    return np.stack([summed[word["pieces"]].mean(0) for word in rows])


def facts(trace, kind, layer, head, unit="words"):
    """The numbers of a head as it is shown: over words, a row for each one written, or over pieces."""
    axes = trace["axes"]
    written, seen = axes["source" if kind == "enc" else "target"], axes["reads" if kind == "dec" else "source"]
    if unit == "pieces":
        rows, keys = weights(trace, kind, layer)[head], [[piece] for piece in range(len(seen["tokens"]))]
    else:
        rows = by_words(weights(trace, kind, layer)[head], written["words"], seen["words"])
        keys = [word["pieces"] for word in seen["words"]]
    special = [seen["tokens"][pieces[0]]["special"] is not None for pieces in keys]
    queries, keys = rows.shape
    found = {"entropy": 0.0, "distance": 0.0, "special": 0.0, "diagonal": 0.0}
    for q in range(queries):
        for k in range(keys):
            p = rows[q, k]
            found["entropy"] -= p * np.log2(p) if p > 0 else 0.0
            found["distance"] += p * abs(q - k)
            found["special"] += p * special[k]
            found["diagonal"] += p * (abs(k - q * (keys - 1) / (queries - 1)) <= 1)
    return {name: value / queries for name, value in found.items()}


def cells(page, kind):
    return page.locator(f'.heads-grid[data-kind="{kind}"] [role=gridcell]')


@pytest.mark.slow
def test_the_table_has_the_four_numbers_of_every_head(see, trace):
    page = see(table=1)
    tables = page.locator(".heads-panel table").all()
    assert len(tables) == 3
    for kind, table in zip(KINDS, tables, strict=True):
        for row in table.locator("tbody tr").all():
            layer, head = (int(row.get_attribute(f"data-{name}")) for name in ("layer", "head"))
            expected = facts(trace, kind, layer, head)
            shown = {name: row.locator(f'[data-fact="{name}"]').inner_text() for name in expected}
            assert {name: float(value) for name, value in shown.items()} == pytest.approx(expected, abs=6e-5)


@pytest.mark.core
def test_the_numbers_are_those_that_the_trace_counts_itself(trace):
    for block in trace["blocks"]:
        kind = "cross" if block["kind"] == "cross" else block["stack"][:3]
        for head in range(block["heads"]):
            expected = facts(trace, kind, block["layer"], head, "pieces")
            expected["entropy"] *= math.log(2)  # a trace counts nats
            assert {name: block["stats"][name][head] for name in expected} == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("against", ["own", "occlusion", "gradient"])
def test_agreement_is_the_share_of_rows_that_look_at_the_same_source_word(see, session, trace, sentence, against):
    if against == "own":
        reference = from_json(trace["tensors"][trace["alignment"]["tensor"]])
    else:
        measured = session.trace("tiny", sentence, TraceOptions(detail=("weights", "influence")))
        reference = from_json(measured["tensors"][measured["influence"]["tensors"][against]])
    written, read = (trace["axes"][name]["words"] for name in ("target", "source"))
    best = by_words(reference.astype(float), written, read)
    page = see(table=1, badge="agreement", against=against)
    for row in page.locator(".heads-panel").nth(2).locator("tbody tr").all():
        layer, head = (int(row.get_attribute(f"data-{name}")) for name in ("layer", "head"))
        ours = by_words(weights(trace, "cross", layer)[head], written, read)
        expected = np.mean(np.argmax(ours, 1) == np.argmax(best, 1))
        assert float(row.locator('[data-fact="agreement"]').inner_text()) == pytest.approx(expected, abs=6e-5)


def pixels(cell):
    """Red, green and blue of the whole canvas: [height, width, 3]."""
    size, values = cell.locator("canvas").evaluate(
        "c => [[c.height, c.width], [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]]"
    )
    return np.array(values).reshape(*size, 4)[:, :, :3].astype(float)


def centres(cell, rows, columns):
    """The colour in the middle of each of so many cells; they must be squares of whole pixels."""
    size, values = cell.locator("canvas").evaluate(
        """(canvas, [rows, columns]) => {
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const middle = (place) => Math.floor(((place + 0.5) * canvas.height) / rows);
            const start = (i, j) => 4 * (middle(i) * canvas.width + middle(j));
            const at = (i, j) => [...data.slice(start(i, j), start(i, j) + 3)];
            const all = Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => at(i, j)));
            return [[canvas.height / rows, canvas.width / columns], all];
        }""",
        [rows, columns],
    )
    assert size[0] == size[1] == round(size[0])
    return np.array(values, dtype=float)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_larger_weight_is_further_from_the_paper(see, trace, kind, dark):
    page = see(u="piece", dark=dark)
    axis = {"enc": ("source", "source"), "dec": ("reads", "reads"), "cross": ("reads", "source")}[kind]
    shape = tuple(len(trace["axes"][name]["tokens"]) for name in axis)
    assert cells(page, kind).count() == 4
    for cell in cells(page, kind).all():
        rows = weights(trace, kind, int(cell.get_attribute("data-layer")))[int(cell.get_attribute("data-head"))]
        light = centres(cell, *shape) @ [0.2126, 0.7152, 0.0722]
        assert light.shape == rows.shape == shape
        allowed = rows > 0
        values, lights = rows[allowed], (light if dark else -light)[allowed]
        clearly = values[:, None] > values[None, :] + 0.02
        assert (lights[:, None] >= lights[None, :])[clearly].all()


@pytest.mark.slow
def test_what_may_not_be_seen_is_hatched(see, trace):
    page = see(u="piece")
    count = len(trace["axes"]["reads"]["tokens"])
    picture = pixels(cells(page, "dec").first)
    size = len(picture) // count
    hidden = np.kron(np.triu(np.ones((count, count)), 1), np.ones((size, size))).astype(bool)
    colours = picture[hidden]
    paper, stripe = colours.max(0), colours.min(0)
    assert paper.min() > 245, "nothing looks like a weight"
    assert (paper - stripe).max() > 20, "and it does not look like a weight of zero"
    assert np.ptp(stripe) < 40, "a stripe is nearly grey"


def test_words_are_means_of_rows_and_sums_of_columns(see, trace):
    page = see(u="word")
    rows, columns = ([word["pieces"] for word in trace["axes"][name]["words"]] for name in ("target", "source"))
    pieces = weights(trace, "cross", 0)[0]
    expected = np.array([[pieces[np.ix_(row, column)].sum() / len(row) for column in columns] for row in rows])
    light = -(centres(cells(page, "cross").first, *expected.shape) @ [0.2126, 0.7152, 0.0722])
    clearly = expected[:, :, None, None] > expected[None, None] + 0.02
    assert (light[:, :, None, None] >= light[None, None])[clearly].all()


@pytest.mark.core
def test_rows_are_layers_and_columns_are_heads(see, trace):
    page = see()
    grid = page.locator('.heads-grid[data-kind="enc"]')
    assert grid.locator("[role=rowheader]").all_inner_texts() == ["Layer 1", "Layer 2"]
    assert grid.locator("[role=columnheader].heads-top").all_inner_texts() == ["Head 1", "Head 2"]
    boxes = {
        (cell.get_attribute("data-layer"), cell.get_attribute("data-head")): cell.bounding_box()
        for cell in cells(page, "enc").all()
    }
    assert boxes["0", "0"]["x"] == boxes["1", "0"]["x"] < boxes["0", "1"]["x"]
    assert boxes["0", "0"]["y"] == boxes["0", "1"]["y"] < boxes["1", "0"]["y"]


@pytest.mark.slow
def test_a_click_opens_the_head_in_heat(see, trace, ready):
    page = see()
    cells(page, "dec").nth(1).click()
    ready(page, "heat")
    assert re.search(r"#/heat\?.*kind=dec&l=0&h=1", page.url)


def test_enter_opens_where_it_was_chosen_to_and_shift_the_other(see, trace, ready):
    page = see(opens="steps")
    cells(page, "cross").nth(2).focus()
    page.keyboard.press("Shift+Enter")
    ready(page, "heat")
    page.go_back()
    ready(page, "heads")
    cells(page, "cross").nth(2).focus()
    page.keyboard.press("Enter")
    ready(page, "steps")
    assert re.search(r"l=1&h=0", page.url)


@pytest.mark.core
def test_arrows_move_through_the_grid_and_each_panel_is_one_tab_stop(see, trace):
    page = see()
    assert page.locator(".heads-grid [tabindex='0']").count() == 3
    cells(page, "enc").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("[document.activeElement.dataset.layer, document.activeElement.dataset.head]") == ["1", "1"]
    assert re.search(r"kind=enc&l=1&h=1", page.url)
    expected = facts(trace, "enc", 1, 1)
    shown = page.locator('.heads-card [data-fact="entropy"]').inner_text()
    assert float(shown.removesuffix(" bits")) == pytest.approx(expected["entropy"], abs=6e-3)
    assert "Layer 2, head 2" in page.locator("#live").inner_text()


@pytest.mark.parametrize(("order", "sign"), [("high", -1), ("low", 1)])
def test_heads_come_in_the_order_of_the_number(see, trace, order, sign):
    page = see(badge="distance", order=order)
    every = [(layer, head) for layer in range(2) for head in range(2)]
    expected = sorted(every, key=lambda place: sign * facts(trace, "cross", *place)["distance"])
    shown = [
        (int(c.get_attribute("data-layer")), int(c.get_attribute("data-head"))) for c in cells(page, "cross").all()
    ]
    assert shown == expected


def test_the_filter_leaves_out_the_pictures_below_it(see, trace):
    every = {(layer, head): facts(trace, "enc", layer, head)["special"] for layer in range(2) for head in range(2)}
    limit = sorted(every.values())[1] + 1e-4
    page = see(badge="special", limit=f"{limit:.6f}")
    shown = {
        (int(cell.get_attribute("data-layer")), int(cell.get_attribute("data-head")))
        for cell in cells(page, "enc").all()
        if cell.locator("canvas").count()
    }
    assert shown == {place for place, value in every.items() if value >= limit}
    assert "2 of 4 heads" in page.locator(".heads-title").first.inner_text()


def test_one_word_shows_its_row_of_every_head(see, trace):
    q = 2
    page = see(one=1, kind="cross", q=q, u="piece", table=1)
    table = page.locator("figure.matrix").nth(1).locator("tbody tr")
    shown = [[float(text) for text in row.locator("td").all_inner_texts()] for row in table.all()]
    expected = np.concatenate([weights(trace, "cross", layer)[:, q] for layer in range(2)])
    assert np.allclose(shown, expected, atol=6e-5)
    assert table.locator("th").all_inner_texts() == ["L1 H1", "L1 H2", "L2 H1", "L2 H2"]


def test_another_word_can_be_chosen(see, trace):
    page = see(one=1, kind="cross", u="piece")
    page.locator("[data-focus=heads-word]").select_option("enc 3")
    assert re.search(r"kind=enc&q=3", page.url)
    assert page.locator("figure.matrix").count() == 1, "only the encoder has rows of source words"


def test_a_reader_of_words_chooses_among_whole_words(see, trace):
    page = see(one=1, kind="cross", d="words")
    names = {"<s>": "(start)", "</s>": "(end)"}
    reads, target = (trace["axes"][name]["words"] for name in ("reads", "target"))
    before = [next(word for word in reads if row["pieces"][0] in word["pieces"]) for row in target]
    expected = [
        " → ".join(names.get(word["text"], word["text"]) for word in pair) for pair in zip(before, target, strict=True)
    ]
    chooser = page.locator("[data-focus=heads-word]")
    assert chooser.locator("optgroup").last.locator("option").all_inner_texts() == expected
    assert chooser.evaluate("one => one.selectedOptions[0].textContent") == expected[1]
    assert expected[1] in page.locator("figure.matrix").first.inner_text()


@pytest.mark.slow
def test_served_and_exported_pictures_are_equal(see, visit, export, trace, hash):
    served = see()
    exported = visit(export([trace], hash()), offline=True)
    for kind in KINDS:
        for one, other in zip(cells(served, kind).all(), cells(exported, kind).all(), strict=True):
            picture, again = (cell.locator("canvas").evaluate("c => c.toDataURL()") for cell in (one, other))
            assert picture == again


@pytest.fixture(scope="module")
def large(make_model):
    """Six layers, eight heads and three kinds over sixty words: 144 matrices."""
    model = make_model(encoder_layers=6, decoder_layers=6, width=32, heads=8)
    return Session({"tiny": model}).trace("tiny", WORDS, TraceOptions(force=WORDS))


@pytest.mark.slow
def test_144_matrices_of_60_words_fit_every_page(visit, export, large, route):
    page = visit(export([large], route("heads", force=WORDS)), offline=True)
    assert len(large["axes"]["source"]["words"]) == 61, "sixty words and the end of the sentence"
    for width in (1280, 1024, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("width => innerWidth === width", arg=width)
        assert page.locator(".heads-cell canvas").count() == 144
        assert page.evaluate("document.querySelectorAll('*').length") < 2500
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.keyboard.press("v")
    assert page.locator(".heads-panel tbody tr").count() == 144
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(
    ("system", "sizes", "kinds"),
    [("rnnsearch", {}, ["cross"]), ("lstmn", {"layers": 1, "width": 16}, ["enc", "dec", "cross"])],
)
def test_an_ancestor_shows_the_attention_it_has(visit, export, make_model, sentence, route, system, sizes, kinds):
    trace = Session({system: make_model(system)}).trace(system, sentence, TraceOptions())
    page = visit(export([trace], route("heads")), offline=True)
    shown = [grid.get_attribute("data-kind") for grid in page.locator(".heads-grid").all()]
    assert shown == kinds
    assert page.locator(".heads-cell").count() == len(trace["blocks"])


def test_a_model_without_attention_is_told_so(visit, export, make_model, sentence, route):
    trace = Session({"one vector": make_model("seq2seq", layers=1, width=16)}).trace(
        "one vector", sentence, TraceOptions()
    )
    page = visit(export([trace], route("heads")), offline=True)
    assert "one vector has no attention" in page.locator("main").inner_text()
    assert page.locator(".heads-grid").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["PNG", "SVG", "CSV"])
def test_a_panel_can_be_saved(see, trace, kind):
    page = see(u="piece")
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile(": Decoder self-attention")).filter(has_text=kind).click()
    saved = download.value.path().read_bytes()
    if kind == "PNG":
        assert saved.startswith(b"\x89PNG")
    elif kind == "SVG":
        assert saved.count(b"<rect") > 4
    else:
        last = saved.decode().splitlines()[-1].split(",")
        expected = facts(trace, "dec", 1, 1, "pieces")
        assert last[:2] == ["2", "2"]
        assert [float(value) for value in last[2:6]] == pytest.approx(list(expected.values()), abs=1e-6)


@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("parts", [{}, {"order": "high"}, {"table": 1}, {"one": 1}])
def test_axe_finds_nothing(see, trace, dark, parts):
    page = see(dark, **parts)
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
