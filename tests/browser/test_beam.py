"""The view Beam: every node of the search with its own numbers, and the finished outputs under any alpha."""

import math
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest
import torch

from saccade.decoding.length_penalty import length_penalty
from saccade.explorer.session import Session
from saccade.serving.bundle import Bundle
from saccade.serving.model_names import shipped_models
from saccade.serving.translator import Translator
from saccade.tracing.options import TraceOptions

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def searching():
    """The shipped model: one whose outputs end, so that there is something to choose from, with a wider beam."""
    shipped = Bundle.load(shipped_models()["en-es"])
    bundle = replace(shipped, decoding={**shipped.decoding, "size": 5, "alpha": 0.6})
    return Session({"en-es": Translator([bundle], torch.device("cpu"))})


@pytest.fixture(scope="module")
def sentence():
    """Whose best output depends on how much length is forgiven."""
    return "I don't know."


@pytest.fixture(scope="module")
def trace(searching, sentence):
    return searching.trace("en-es", sentence, TraceOptions())


@pytest.fixture(scope="module")
def hash(route, sentence):
    return lambda **parts: route("beam", s=sentence, m="en-es", **parts)


@pytest.fixture(scope="module")
def server(serve, searching):
    return serve(searching)


@pytest.fixture
def see(visit, server, hash):
    """The view under these parts of the link."""
    return lambda dark=False, **parts: visit(f"{server}/{hash(**parts)}", dark=dark)


@pytest.fixture(scope="module")
def nodes(trace):
    return {node["n"]: node for node in trace["beam"]["nodes"]}


def path(nodes, number):
    """The nodes from the first written token to this one."""
    found = []
    while nodes[number]["parent"] is not None:
        found.insert(0, nodes[number])
        number = nodes[number]["parent"]
    return found


def ends(trace, alpha):
    """All nodes that ended, the best under this alpha first: (node, score)."""
    finished = [node for node in trace["beam"]["nodes"] if node["state"] == "finished"]
    scored = [(node, node["cum"] / length_penalty(node["t"], alpha)) for node in finished]
    return sorted(scored, key=lambda pair: -round(pair[1] * 2**16))


def digits(text):
    """The number a page shows with a real minus sign."""
    return float(text.replace("−", "-"))


def test_the_page_divides_by_the_length_penalty_of_the_search(see, trace):
    page = see()
    asked = [(length, alpha) for length in (1, 2, 7, 31, 256) for alpha in (0.0, 0.17, 0.6, 1.0, 1.93)]
    shown = page.evaluate(
        "async (asked) => { const tree = await import('page/beam/tree');"
        " return asked.map(([length, alpha]) => tree.lengthPenalty(length, alpha)); }",
        asked,
    )
    assert shown == pytest.approx([length_penalty(length, alpha) for length, alpha in asked], abs=1e-9, rel=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.35])
def test_finished_outputs_stand_in_the_order_of_their_scores(see, trace, alpha):
    page = see(alpha=alpha, pruned="all")
    rows = page.locator(".beam-ends tbody tr").all()
    expected = ends(trace, alpha)
    before = [node["n"] for node, _ in ends(trace, trace["beam"]["alpha"])]
    assert [int(row.get_attribute("data-node")) for row in rows] == [node["n"] for node, _ in expected]
    for place, (row, (node, score)) in enumerate(zip(rows, expected, strict=True)):
        now, was, length, total, penalty, final = row.locator("td").all_inner_texts()
        assert (int(now), int(was), int(length)) == (place + 1, before.index(node["n"]) + 1, node["t"])
        assert digits(total) == pytest.approx(node["cum"], abs=6e-5)
        assert digits(penalty) == pytest.approx(length_penalty(node["t"], alpha), abs=6e-5)
        assert digits(final) == pytest.approx(score, abs=6e-5)


def test_with_the_alpha_of_the_search_its_own_result_wins(trace):
    best = trace["beam"]["hypotheses"][trace["beam"]["best"]]
    node, score = ends(trace, trace["beam"]["alpha"])[0]
    assert node["n"] == best["node"]
    assert score == pytest.approx(trace["output"]["score"], abs=1e-9)


def test_another_alpha_lets_another_output_win_without_decoding(see, trace):
    alpha = 0.0
    page = see()
    slider = page.locator("[data-focus=beam-alpha]")
    assert "The search used alpha 0.6" in page.locator(".beam-verdict").inner_text()
    slider.evaluate("(slider, alpha) => { slider.value = alpha; slider.dispatchEvent(new Event('input')); }", alpha)
    assert "another output wins" in page.locator(".beam-verdict").inner_text()
    winner = ends(trace, alpha)[0][0]["n"]
    assert winner != ends(trace, 0.6)[0][0]["n"]
    assert page.locator(".beam-ends tbody tr.winner").get_attribute("data-node") == str(winner)
    assert f"alpha={alpha:g}" in page.url
    page.get_by_role("button", name="Back to 0.6").click()
    assert "The search used alpha 0.6" in page.locator(".beam-verdict").inner_text()
    assert "alpha=" not in page.url


def test_the_ranges_of_alpha_name_the_winner_everywhere(see, trace):
    page = see()
    ranges = page.evaluate(
        "async (beam) => { const tree = await import('page/beam/tree'); return tree.winners(tree.ends(beam), 2); }",
        trace["beam"],
    )
    assert len(ranges) > 1
    assert [one["to"] for one in ranges[:-1]] == [one["from"] for one in ranges[1:]]
    for place in range(200):
        alpha = 2 * (place + 0.5) / 200
        inside = next(one for one in ranges if one["from"] <= alpha <= one["to"])
        best, second = ends(trace, alpha)[:2]
        if best[1] - second[1] > 1e-4:
            assert inside["node"] == best[0]["n"]


def test_the_table_has_every_node_with_its_digits(see, trace, nodes):
    page = see(table=1, pruned="all")
    rows = page.locator(".beam-main tbody tr").all()
    assert {int(row.get_attribute("data-node")) for row in rows} == set(nodes) - {0}
    alpha = trace["beam"]["alpha"]
    for row in rows[:: max(1, len(rows) // 25)]:
        node = nodes[int(row.get_attribute("data-node"))]
        step, rank, state, logp, total, score, _ = row.locator("td").all_inner_texts()
        assert (int(step), int(rank), state) == (node["t"], node["rank"] + 1, node["state"])
        assert row.locator("th").inner_text() == node["piece"]
        assert digits(logp) == pytest.approx(node["logp"], abs=6e-5)
        assert digits(total) == pytest.approx(node["cum"], abs=6e-5)
        assert digits(score) == pytest.approx(node["cum"] / length_penalty(node["t"], alpha), abs=6e-5)


def test_a_step_stands_in_the_order_of_its_sums_with_the_pruned_ones_last(see, trace, nodes):
    page = see(table=1, pruned="all")
    shown = [nodes[int(row.get_attribute("data-node"))] for row in page.locator(".beam-main tbody tr").all()]
    order = [(node["t"], node["state"] == "pruned", -node["cum"]) for node in shown]
    assert order == sorted(order)


def test_the_winning_path_is_the_output(see, trace, nodes):
    page = see(table=1, pruned="none")
    marked = [int(row.get_attribute("data-node")) for row in page.locator(".beam-main tr.winner").all()]
    assert [nodes[number]["id"] for number in marked] == [token["id"] for token in trace["axes"]["target"]["tokens"]]


def test_a_click_shows_what_was_written_and_how_the_score_comes_about(see, trace, nodes):
    page = see()
    second = sorted(
        (node for node in nodes.values() if node["t"] == 2 and node["state"] != "pruned"), key=lambda n: -n["cum"]
    )[1]
    place = page.evaluate("async () => (await import('page/beam/drawing')).boxOf('numbers', 2, 1)")
    page.locator(".beam-room canvas").click(position={"x": place["x"] + 9, "y": place["y"] + 9})
    assert f"hyp={second['n']}" in page.url
    card = page.locator(".beam-node")
    written = "".join(node["piece"] for node in path(nodes, second["n"]) if node["state"] != "finished")
    assert card.locator(".beam-written bdi").inner_text() == written.replace("▁", " ").strip()
    before = nodes[second["parent"]]["cum"]
    numbers = [digits(part) for part in re.findall(r"[−\d.]+", card.locator('[data-fact="sum"]').inner_text())]
    assert numbers == pytest.approx([before, second["logp"], second["cum"]], abs=6e-5)
    lp = length_penalty(2, trace["beam"]["alpha"])
    numbers = [digits(part) for part in re.findall(r"[−\d.]+", card.locator('[data-fact="score"]').inner_text())]
    assert numbers == pytest.approx([second["cum"], lp, second["cum"] / lp], abs=6e-5)


def test_keys_go_along_the_tree_and_say_where_they_are(see, trace, nodes):
    page = see()
    page.locator(".beam-scroll").focus()
    chosen = []
    for key in ("ArrowRight", "ArrowDown", "ArrowRight", "ArrowLeft", "Home"):
        page.keyboard.press(key)
        chosen.append(nodes[int(re.search(r"hyp=(\d+)", page.url)[1])])
    first, second, third, back, home = chosen
    assert (first["t"], first["rank"]) == (1, 0)
    assert (second["t"], third["t"]) == (1, 2)
    assert back["n"] == third["parent"]
    assert home == first
    said = page.locator("#live").inner_text()
    assert said.startswith("step 1, ")
    assert digits(re.search(r"log probability ([−\d.]+)", said)[1]) == pytest.approx(home["logp"], abs=6e-5)


def test_continue_from_here_begins_with_what_was_written(see, ready):
    page = see()
    page.locator(".beam-scroll").focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    written = page.locator(".beam-written bdi").inner_text()
    page.get_by_role("button", name="Continue from here").click()
    ready(page, "beam")
    assert "The output had to begin with" in page.locator("main").inner_text()
    first = page.locator(".beam-ends tbody tr").first.locator("th bdi").inner_text()
    assert first.startswith(written)


def test_searching_again_uses_the_alpha_of_the_slider(see, ready):
    page = see(alpha=1.3)
    page.get_by_role("button", name="Search again with this alpha").click()
    ready(page, "beam")
    assert "The search used alpha 1.3" in page.locator(".beam-verdict").inner_text()


def test_a_given_output_says_that_there_was_no_search(see, searching, sentence):
    given = "Gracias, gracias."
    trace = searching.trace("en-es", sentence, TraceOptions(force=given))
    page = see(force=given, table=1)
    assert "There was no search" in page.locator("main").inner_text()
    assert page.locator(".beam-ends").count() == 0
    rows = page.locator(".beam-main tr.winner").all()
    steps = trace["steps"]
    assert len(rows) == len(steps)
    for place, row in enumerate(rows):
        logp, total = (digits(text) for text in row.locator("td").all_inner_texts()[3:5])
        assert logp == pytest.approx(steps[place]["logprob"], abs=6e-5)
        assert total == pytest.approx(math.fsum(step["logprob"] for step in steps[: place + 1]), abs=1e-4)


def test_a_given_output_can_be_searched_for_instead(see, ready):
    page = see(force="Gracias, gracias.")
    page.get_by_role("button", name="Search instead").click()
    ready(page, "beam")
    assert "force=" not in page.url
    assert "The search used alpha 0.6" in page.locator(".beam-verdict").inner_text()


def test_another_size_of_the_beam_searches_again(see, ready):
    page = see()
    page.locator("[data-focus=beam-size]").select_option("2")
    page.wait_for_function("() => document.querySelector('main').innerText.includes('best 2 beginnings')")
    ready(page, "beam")
    assert "beam=2" in page.url


def test_a_beam_of_one_is_shown_as_one_path(see, searching, sentence):
    trace = searching.trace("en-es", sentence, TraceOptions(size=1))
    page = see(beam=1, table=1, pruned="none")
    assert "With a beam of 1" in page.locator("main").inner_text()
    kept = [node for node in trace["beam"]["nodes"] if node["state"] == "kept"]
    shown = page.locator(".beam-main tbody tr").filter(has_text="kept")
    assert shown.count() == len(kept) == len({node["t"] for node in kept})


def test_an_output_that_never_ended_is_said_to_be_unfinished(visit, export, session, route):
    trace = session.trace("tiny", "The cat drank the milk.", TraceOptions())
    assert not trace["output"]["finished"]
    page = visit(export([trace], route("beam")), offline=True)
    assert "No output ended within the limit" in page.locator(".beam-ends").inner_text()
    first = page.locator(".beam-ends tbody tr").first
    assert int(first.get_attribute("data-node")) == trace["beam"]["hypotheses"][trace["beam"]["best"]]["node"]
    assert digits(first.locator("td").last.inner_text()) == pytest.approx(trace["output"]["score"], abs=6e-5)


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["▁El", "▁ga", "to", "."], "El gato."),
        (["▁", "<0xF0>", "<0x9F>", "<0x90>", "<0xB1>", "!"], "🐱!"),
        (["▁a", "<0xC3>", "<0xA9>", "▁b"], "aé b"),
        ([], ""),
    ],
)
def test_pieces_are_joined_to_text(see, pieces, text):
    joined = "async (path) => (await import('page/beam/tree')).textOf(path)"
    assert see().evaluate(joined, [{"n": n, "piece": piece} for n, piece in enumerate(pieces)]) == text


def test_a_reader_of_words_sees_each_word_grow(see):
    named = """async (path) => {
      const { nameOf } = await import('page/beam/numbers');
      const index = new Map(path.map((node) => [node.n, node]));
      return ['words', 'numbers'].map((depth) => path.slice(1).map((node) => nameOf(node, depth, index)));
    }"""
    pieces = ["", "▁El", "▁g", "ato", "</s>"]
    nodes = [
        {"n": n, "parent": n - 1, "piece": piece, "state": "kept" if n else "root"} for n, piece in enumerate(pieces)
    ]
    assert see().evaluate(named, nodes) == [["El", "g", "gato", "(end)"], pieces[1:]]


def test_an_export_shows_what_the_served_page_shows(see, visit, export, trace, hash):
    pages = [see(hyp=3, alpha=1.1), visit(export([trace], hash(hyp=3, alpha=1.1)), offline=True)]
    drawn = [page.locator(".beam-room canvas").evaluate("canvas => canvas.toDataURL()") for page in pages]
    tables = [page.locator(".beam-ends tbody").inner_text() for page in pages]
    assert drawn[0] == drawn[1]
    assert tables[0] == tables[1]
    assert pages[0].get_by_role("button", name="Continue from here").count() == 1
    assert "This file has no model behind it" in pages[1].locator(".beam-node").inner_text()


@pytest.fixture(scope="module")
def long(make_model):
    """An output of 71 pieces."""
    words = " ".join(["the"] * 70)
    return words, Session({"tiny": make_model(encoder_layers=1, decoder_layers=1)}).trace(
        "tiny", words, TraceOptions(force=words)
    )


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_a_long_output_scrolls_in_its_own_box(visit, export, long, route, width):
    words, trace = long
    assert len(trace["steps"]) == 71
    page = visit(export([trace], route("beam", force=words)), offline=True, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator(".beam-scroll")
    assert box.evaluate("box => box.scrollWidth > 10 * box.clientWidth")
    assert page.locator(".beam-room canvas").bounding_box()["width"] <= width
    box.focus()
    page.keyboard.press("Home")
    page.keyboard.press("End")
    assert box.evaluate("box => box.scrollLeft + box.clientWidth >= box.scrollWidth - 2")
    assert page.evaluate("document.querySelectorAll('*').length") < 2500


def test_the_drawing_holds_every_piece_as_text(see, trace):
    page = see(pruned="all")
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile("^Save the drawing")).click()
    root = ElementTree.fromstring(download.value.path().read_text(encoding="utf-8"))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    for node in trace["beam"]["nodes"][1:]:
        assert f"{node['cum']:.3f}".replace("-", "−") in texts
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile("^Save the picture")).click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


def test_the_csv_has_every_digit_of_every_node(see, trace, nodes):
    page = see()
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile("^Save the numbers")).click()
    lines = [line.rsplit(",", 4) for line in download.value.path().read_text(encoding="utf-8").splitlines()[1:]]
    assert len(lines) == len(nodes)
    for line, node in zip(lines, nodes.values(), strict=True):
        assert (line[1], float(line[2]), float(line[3])) == (node["state"], node["logp"], node["cum"])


@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("parts", [{"hyp": 1}, {"table": 1}, {"d": "words", "alpha": 1.5}, {"d": "tensors", "hyp": 2}])
def test_axe_finds_nothing(see, trace, dark, parts):
    page = see(dark, **parts)
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
