"""The same sentence through several models: every digit against the traces, in a real browser."""

import json
import math
from dataclasses import replace
from urllib.parse import quote

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from saccade.explorer.page import document, exported_page
from saccade.explorer.session import Session
from saccade.explorer.side_by_side import page_document
from saccade.papers import PAPERS
from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json

SENTENCE = "The cat drank the milk because it was hungry."
OTHER = "The cat drank the milk because it was early."
NAMES = {"attention": "transformer", "search": "rnnsearch", "pair": "seq2seq", "windows": "convs2s"}
OLDEST_FIRST = ["pair", "search", "windows", "attention"]
ALL = TraceOptions(detail=("influence", "memory", "recurrent", "weights"))
PARTS = ("models", "papers", "words")


@pytest.fixture(scope="module")
def several(make_model):
    sizes = {"seq2seq": {"width": 12, "layers": 2}}
    return Session({name: make_model(kind, **sizes.get(kind, {})) for name, kind in NAMES.items()})


@pytest.fixture(scope="module")
def address(serve, several):
    return serve(several)


@pytest.fixture(scope="module")
def traces(several):
    return {name: several.trace(name, SENTENCE, ALL) for name in NAMES}


@pytest.fixture(scope="module")
def shown(browser, address, ready):
    """The view as it opens, for tests that only look."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(90_000)
    page = context.new_page()
    page.goto(link(address))
    ready(page, "ancestors")
    yield page
    context.close()


def link(address, **parts):
    query = "&".join(
        f"{key}={quote(str(value), safe='')}" for key, value in ({"s": SENTENCE, "d": "numbers"} | parts).items()
    )
    return f"{address}/#/ancestors?{query}"


def cell(page, row, model):
    return page.locator(f'td[data-cell="{row}"][data-model="{model}"]')


def words(axis):
    return [word["text"] for word in axis["words"]]


def over_words(trace, matrix):
    """Rows: the mean over the pieces of a target word; columns: the sum over those of a source word."""
    rows = [matrix[word["pieces"]].mean(0) for word in trace["axes"]["target"]["words"]]
    columns = [np.array(rows)[:, word["pieces"]].sum(1) for word in trace["axes"]["source"]["words"]]
    return np.array(columns).T


def digits(figure):
    return [row.locator("td").all_inner_texts() for row in figure.locator("tbody tr").all()]


@pytest.mark.slow
def test_models_stand_in_the_order_of_their_years(shown):
    names = shown.locator("th[data-column]").evaluate_all("cells => cells.map((one) => one.dataset.column)")
    assert names == OLDEST_FIRST


@pytest.mark.core
@pytest.mark.parametrize("model", NAMES)
def test_a_translation_comes_with_its_log_probability(shown, traces, model):
    trace = traces[model]
    assert cell(shown, "translation", model).locator(".output").inner_text() == trace["output"]["text"].strip()
    total = math.fsum(step["logprob"] for step in trace["steps"])
    shown = cell(shown, "translation", model).locator("[data-logprob]").inner_text()
    assert shown.startswith(f"log p = {total:.2f}; {total / len(trace['steps']):.2f} for each of")


@pytest.mark.core
@pytest.mark.parametrize("model", NAMES)
def test_what_is_handed_over_is_counted(shown, traces, several, model):
    said = cell(shown, "memory", model).locator("[data-numbers]")
    memory = traces[model]["memory"]
    assert said.get_attribute("data-numbers") == str(memory["numbers"])
    rows, width = traces[model]["tensors"]["memory.states"]["shape"]
    if model == "pair":
        config = several.model(model).bundle.model_config
        assert memory["numbers"] == 2 * config.layers * config.width
        assert f"{rows} vectors" in said.inner_text().lower()
    else:
        # The decoder of an RNNsearch also begins with a state: without it the product would not be the sum.
        beside = memory["numbers"] - rows * width
        assert (beside > 0) == (model != "attention")
        more = f" {beside:,} numbers beside them," if beside else ""
        assert f"{rows} states of {width} numbers,{more} {memory['numbers']:,} numbers in all." in said.inner_text()


@pytest.mark.slow
def test_weights_over_words_are_those_of_the_tensors(visit, address, traces):
    page = visit(link(address, table=1))
    for model in ("search", "attention", "windows"):
        trace = traces[model]
        expected = over_words(trace, from_json(trace["tensors"][trace["alignment"]["tensor"]]).astype(float))
        figure = cell(page, "alignment", model).locator("figure")
        assert digits(figure) == [[f"{value:.4f}" for value in row] for row in expected]
        assert figure.locator("thead th").all_inner_texts()[1:] == words(trace["axes"]["source"])
        assert figure.locator("tbody th").all_inner_texts() == words(trace["axes"]["target"])


def test_all_pictures_of_weights_have_cells_of_one_size(shown, traces):
    sizes = set()
    for model in ("search", "attention", "windows"):
        box = cell(shown, "alignment", model).locator(".cells canvas").bounding_box()
        sizes.add(round(box["width"] / len(traces[model]["axes"]["source"]["words"]), 3))
        sizes.add(round(box["height"] / len(traces[model]["axes"]["target"]["words"]), 3))
    assert len(sizes) == 1


def test_a_model_that_does_not_look_is_explained(shown):
    assert "does not look" in cell(shown, "alignment", "pair").inner_text()


@pytest.mark.slow
def test_with_one_translation_for_all_every_model_reads_the_first_ones_words(visit, address, several, traces, ready):
    page = visit(link(address))
    page.get_by_label("same translation for all").check()
    page.wait_for_function("() => location.hash.includes('forced=1')")
    ready(page, "ancestors")
    first = traces["attention"]["output"]["text"]
    for model in NAMES:
        assert cell(page, "translation", model).locator(".output").inner_text() == first.strip()
    trace = several.trace("search", SENTENCE, TraceOptions(force=first, detail=ALL.detail))
    total = math.fsum(step["logprob"] for step in trace["steps"])
    assert f"log p = {total:.2f};" in cell(page, "translation", "search").inner_text()


def test_a_file_shows_own_and_forced_translations_without_a_server(visit, several, tmp_path):
    written = page_document(several, [SENTENCE], detail=ALL.detail, route="#/ancestors?d=numbers")
    made = written["traces"]
    path = tmp_path / "several.html"
    path.write_text(exported_page(written), encoding="utf-8")
    page = visit(path.as_uri(), offline=True)
    for model in NAMES:
        own = next(trace for trace in made if trace["model"]["id"] == model and trace["role"] == "own")
        assert cell(page, "translation", model).locator(".output").inner_text() == own["output"]["text"].strip()
    page.get_by_label("same translation for all").check()
    for model in NAMES:
        assert cell(page, "translation", model).locator(".output").inner_text() == made[0]["output"]["text"].strip()


def test_a_file_says_which_trace_it_lacks_and_how_to_get_it(visit, several, tmp_path):
    path = tmp_path / "one.html"
    path.write_text(
        exported_page(document([several.trace("attention", SENTENCE, ALL)], models=several.entries())), encoding="utf-8"
    )
    page = visit(f"{path.as_uri()}#/ancestors?d=numbers", offline=True)
    assert f"--sentence {json.dumps(SENTENCE)} --export" in cell(page, "translation", "search").inner_text()


def test_hops_within_the_source(shown, traces):
    """Attention in one, one chain a hop for each place; the first word is "The", the last "hungry."."""
    source = traces["pair"]["axes"]["source"]["words"]
    ordinary = [word for word in source if word["special"] is None]
    apart = ordinary[-1]["pieces"][0] - ordinary[0]["pieces"][-1]
    assert cell(shown, "path", "attention").locator("[data-hops]").get_attribute("data-hops") == "1"
    assert cell(shown, "path", "pair").locator("[data-hops]").get_attribute("data-hops") == str(apart)


def test_hops_across_grow_with_the_place_where_one_vector_is_handed_over(visit, address, traces):
    target = traces["pair"]["axes"]["target"]["words"]
    page = visit(link(address, path="across", wa=1, wt=0))
    place = traces["pair"]["axes"]["source"]["words"][1]["pieces"][0]
    hops = cell(page, "path", "pair").locator("[data-hops]").get_attribute("data-hops")
    # Words are read from the last to the first, then the mark of the end; then all is handed over.
    assert hops == str(place + 1 + 1 + target[0]["pieces"][0])
    assert cell(page, "path", "search").locator("[data-hops]").get_attribute("data-hops") == "1"


@pytest.mark.slow
def test_words_are_chosen_from_lists_and_kept_in_the_link(visit, address, ready):
    page = visit(link(address))
    page.locator('select[data-picker="wb"]').select_option("3")
    page.wait_for_function("() => location.hash.includes('wb=3')")
    before = cell(page, "path", "pair").locator("[data-hops]").get_attribute("data-hops")
    page.reload()
    ready(page, "ancestors")
    assert page.locator('select[data-picker="wb"]').input_value() == "3"
    assert cell(page, "path", "pair").locator("[data-hops]").get_attribute("data-hops") == before


def test_what_must_wait_is_said_for_this_sentence(shown, traces):
    n, m = (len(traces["pair"]["axes"][side]["tokens"]) for side in ("source", "target"))
    chains = cell(shown, "waiting", "pair").locator("[data-chain] b").all_inner_texts()
    assert chains == [str(n + 1), str(m + 1), str(2 * m)]
    m = len(traces["attention"]["axes"]["target"]["tokens"])
    assert cell(shown, "waiting", "attention").locator("[data-chain] b").all_inner_texts() == ["2", "2", str(2 * m)]


def shares(rows):
    """What of each row falls on each column; what is below nothing counts as nothing."""
    positive = np.maximum(rows, 0)
    return positive / positive.sum(1, keepdims=True)


def bits(shares_of):
    return -sum(share * math.log2(share) for share in shares_of if share > 0)


@pytest.mark.parametrize(("word", "row"), [(None, None), (1, 1)])
def test_influence_is_shown_as_shares_with_their_entropy(visit, address, traces, word, row):
    page = visit(link(address, table=1, **({} if word is None else {"wt": word})))
    for model in NAMES:
        trace = traces[model]
        measured = [
            over_words(trace, from_json(trace["tensors"][f"influence.{name}"]).astype(float))
            for name in ("gradient", "occlusion")
        ]
        last = len(measured[0]) - 1
        rows = [shares(one).mean(0) if row is None else shares(one)[min(row, last)] for one in measured]
        place = cell(page, "influence", model)
        assert digits(place.locator("figure")) == [[f"{value:.4f}" for value in one] for one in rows]
        said = place.locator("[data-bits]").inner_text()
        spread = [
            np.mean([bits(one) for one in (shares(m) if row is None else shares(m)[[min(row, last)]])])
            for m in measured
        ]
        assert f"gradient {spread[0]:.2f} bits, occlusion {spread[1]:.2f} bits" in said


def test_a_model_that_does_not_look_shows_what_each_word_is_worth_instead(visit, address, traces):
    page = visit(link(address, table=1))
    trace = traces["pair"]
    lost = over_words(trace, from_json(trace["tensors"]["influence.occlusion"]).astype(float))
    figure = cell(page, "alignment", "pair").locator("figure")
    expected = 1 - np.exp(-np.maximum(lost, 0))
    assert digits(figure) == [[f"{value:.4f}" for value in row] for row in expected]


@pytest.mark.parametrize(
    ("measure", "drawn"), [("occlusion", lambda lost: 1 - np.exp(-np.maximum(lost, 0))), ("gradient", shares)]
)
def test_all_models_can_be_compared_by_what_needs_no_attention(visit, address, traces, measure, drawn):
    page = visit(link(address, table=1, o=measure))
    for model, trace in traces.items():
        measured = over_words(trace, from_json(trace["tensors"][f"influence.{measure}"]).astype(float))
        figure = cell(page, "alignment", model).locator("figure")
        assert digits(figure) == [[f"{value:.4f}" for value in row] for row in drawn(measured)]


@pytest.mark.parametrize("model", ["pair", "search"])
def test_gates_are_means_over_units_at_the_words_they_read(visit, address, traces, model):
    page = visit(link(address, table=1))
    trace = traces[model]
    found = [one for one in trace["recurrent"]["layers"] if one["stack"] == "encoder"]
    figures = cell(page, "gates", model).locator("figure").all()
    assert len(figures) == len(found)
    for figure, one in zip(figures, found, strict=True):
        gates = from_json(trace["tensors"][one["tensors"]["gates"]]).astype(float).mean(-1)
        placed = np.empty_like(gates)
        placed[:, one["order"] or list(range(gates.shape[1]))] = gates
        groups = [word["pieces"] for word in trace["axes"]["source"]["words"]]
        assert digits(figure) == [[f"{row[group].mean():.4f}" for group in groups] for row in placed]


def test_systems_that_are_not_here_come_with_a_command(shown):
    assert shown.locator(".absent strong").all_inner_texts() == ["rctm", "rnn-encoder-decoder", "luong", "lstmn"]
    assert "saccade train multi30k --set model.architecture=luong" in shown.locator(".absent").inner_text()


def test_cards_show_the_papers_as_they_are_called(visit, address):
    page = visit(link(address, part="papers"))
    names = page.locator(".papers-by-year button").evaluate_all("found => found.map((one) => one.dataset.card)")
    assert len(names) == 11
    assert [PAPERS[name].year for name in names] == sorted(PAPERS[name].year for name in names)
    for name in names:
        page.locator(f'[data-card="{name}"]').click()
        card = page.locator(f'.paper-card[data-paper="{name}"]')
        assert card.locator("cite").inner_text() == PAPERS[name].title
        assert str(PAPERS[name].year) in card.locator(".cite").inner_text()
        assert card.locator("math").count() >= 1


def test_a_card_can_be_turned_by_keyboard(visit, address):
    page = visit(link(address, part="papers", card="bahdanau2015"))
    page.locator('[data-card="luong2015"]').focus()
    page.keyboard.press("Enter")
    assert page.locator(".paper-card").get_attribute("data-paper") == "luong2015"
    assert page.evaluate("document.activeElement.dataset.card") == "luong2015"


def test_the_comparison_of_two_sentences_says_how_much_moved(visit, address, several):
    page = visit(link(address, part="words", m="attention", cmp=OTHER, cw=6, l=1, h=1, table=1))
    left, right = (
        several.trace("attention", text, TraceOptions(detail=("memory", "weights"))) for text in (SENTENCE, OTHER)
    )
    rows = []
    for trace in (left, right):
        weights = from_json(trace["tensors"]["enc.1.self.weights"])[1].astype(float)
        groups = [word["pieces"] for word in trace["axes"]["source"]["words"]]
        rows.append(np.array([weights[groups[6]].mean(0)[group].sum() for group in groups]))
    expected = np.abs(rows[0] - rows[1]).sum() / 2
    assert float(page.locator("[data-moved]").get_attribute("data-moved")) == pytest.approx(expected, abs=2e-6)
    figure = page.locator('figure[data-matrix="compare"]')
    assert digits(figure) == [[f"{value:.4f}" for value in row] for row in rows]


def test_the_comparison_marks_the_word_that_changed(visit, address):
    page = visit(link(address, part="words", m="attention", cmp=OTHER))
    assert page.locator(".two mark").all_inner_texts() == ["hungry.", "early."]


def test_shared_words_have_the_cosine_of_their_states(visit, address, several):
    page = visit(link(address, part="words", m="search", cmp=OTHER))
    left, right = (
        several.trace("search", text, TraceOptions(detail=("memory", "weights"))) for text in (SENTENCE, OTHER)
    )
    shown = []
    for number in range(8):
        one, other = (
            from_json(trace["tensors"]["memory.states"])[trace["axes"]["source"]["words"][number]["pieces"]].mean(0)
            for trace in (left, right)
        )
        shown.append(f"{one @ other / np.linalg.norm(one) / np.linalg.norm(other):.3f}")
    assert page.locator("table.vectors td").all_inner_texts() == shown
    assert "no attention within the source" in page.locator(".comparison").inner_text()


def test_a_pair_is_one_click_away(visit, address, ready):
    page = visit(link(address, part="words", m="attention"))
    page.locator(".pairs button").first.click()
    page.wait_for_function("() => location.hash.includes('cmp=')")
    ready(page, "ancestors")
    assert page.locator('select[data-picker="cw"] option:checked').inner_text() == "it"


def test_a_file_compares_the_sentences_it_holds(visit, several, tmp_path):
    made = [several.trace("attention", text, TraceOptions(detail=("memory", "weights"))) for text in (SENTENCE, OTHER)]
    path = tmp_path / "pair.html"
    path.write_text(exported_page(document(made, route="#/ancestors?d=numbers&part=words")), encoding="utf-8")
    page = visit(path.as_uri(), offline=True)
    page.locator(".pairs button").click()
    assert page.locator(".two mark").all_inner_texts() == ["hungry.", "early."]
    assert page.locator("[data-moved]").count() == 1


def test_a_file_without_the_other_sentence_says_how_to_get_it(visit, several, tmp_path):
    path = tmp_path / "single.html"
    made = several.trace("attention", SENTENCE, TraceOptions(detail=("memory", "weights")))
    path.write_text(exported_page(document([made])), encoding="utf-8")
    page = visit(f"{path.as_uri()}#/ancestors?d=numbers&part=words&cmp={quote(OTHER)}", offline=True)
    wanted = f"--sentence {json.dumps(SENTENCE)} --sentence {json.dumps(OTHER)} --export"
    assert wanted in page.locator(".comparison").inner_text()


@pytest.mark.parametrize("part", PARTS)
def test_the_page_itself_never_scrolls_sideways(visit, address, part):
    page = visit(link(address, part=part, cmp=OTHER))
    for width in (1280, 1024, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_four_models_are_drawn_with_few_nodes(shown):
    assert shown.evaluate("document.querySelectorAll('*').length") < 1500


@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["light", "dark"])
@pytest.mark.parametrize("part", PARTS)
def test_nothing_for_axe_to_complain_about(visit, address, part, dark):
    page = visit(link(address, part=part, cmp=OTHER, m="attention"), dark=dark)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.slow
def test_a_model_without_a_source_stands_beside_the_others(visit, serve, make_model):
    alone = make_model("rnn-language-model", width=12)
    alone.bundle = replace(alone.bundle, task="language-modelling")
    page = visit(link(serve(Session({"attention": make_model(), "alone": alone}))))
    for row in ("memory", "alignment", "path", "influence"):
        assert "has no source" in cell(page, row, "alone").inner_text()
    assert cell(page, "path", "attention").locator("[data-hops]").get_attribute("data-hops") == "1"


def test_the_letter_c_leads_to_the_comparison(visit, address, ready):
    page = visit(f"{address}/#/translate?s={quote(SENTENCE)}")
    page.locator("main").focus()
    page.keyboard.press("c")
    ready(page, "ancestors")
    assert page.locator("#other-sentence").count() == 1


@pytest.mark.slow
def test_depth_decides_between_pictures_numbers_and_tensors(visit, address, traces):
    page = visit(link(address, d="words"))
    assert page.locator("tbody[data-row]").evaluate_all("rows => rows.map((row) => row.dataset.row)") == [
        "translation",
        "memory",
        "alignment",
        "path",
    ]
    assert page.locator("[data-entropy]").count() == 0
    page = visit(link(address, d="tensors"))
    shape = traces["search"]["tensors"]["memory.states"]["shape"]
    assert f"memory.states [{shape[0]}, {shape[1]}]" in cell(page, "memory", "search").inner_text()
    shape = traces["search"]["tensors"]["alignment.weights"]["shape"]
    assert f"alignment.weights [{shape[0]}, {shape[1]}]" in cell(page, "alignment", "search").inner_text()


def test_without_a_sentence_the_papers_are_still_there(visit, address):
    page = visit(f"{address}/#/ancestors?part=papers")
    assert page.locator(".papers-by-year button").count() == 11
