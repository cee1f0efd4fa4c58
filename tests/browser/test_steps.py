"""Steps: what is written in digits is what the tensors hold, computed again here by numpy."""

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from axe_playwright_python.sync_playwright import Axe

from saccade.explorer.page import document, exported_page
from saccade.explorer.session import Session
from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json
from saccade.tracing.what_if import WhatIf

EVERYTHING = TraceOptions(detail=("all", "parameters"))
BLOCK, HEAD, QUERY, KEY, NUMBER = "dec.1.cross", 1, 2, 3, 5
STEPS = [
    "tokens",
    "embedding",
    "position",
    "qkv",
    "scores",
    "scale",
    "mask",
    "softmax",
    "values",
    "concat",
    "norm",
    "ffn",
    "output",
]


class Tensors:
    """The tensors of a trace as numpy arrays, by name."""

    def __init__(self, trace):
        self.trace = trace

    def __getitem__(self, name):
        return np.asarray(from_json(self.trace["tensors"][name]), dtype=np.float64)


@pytest.fixture(scope="module")
def trace(session, sentence):
    return session.trace("tiny", sentence, EVERYTHING)


@pytest.fixture(scope="module")
def tensors(trace):
    return Tensors(trace)


@pytest.fixture(scope="module")
def place(route, sentence):
    """The link to a step of the chosen cell: place(4), place(4, kind="dec")."""

    def link(step, **changes):
        step = STEPS.index(step) if isinstance(step, str) else step
        chosen = {"kind": "cross", "l": 1, "h": HEAD, "u": "piece", "q": QUERY, "k": KEY, "dim": NUMBER, "at": step}
        return route("steps", **({"s": sentence, "m": "tiny"} | chosen | changes))

    return link


def opened_once(browser, address, place, ready):
    """One page that goes from link to link, as a reader does. It writes to no console."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(90_000)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda line: said.append(line.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address)
    ready(page)

    def opened(step, **changes):
        page.evaluate("hash => { location.hash = hash; document.activeElement.blur(); }", place(step, **changes))
        page.wait_for_function("hash => location.hash === hash", arg=place(step, **changes))
        ready(page)
        return page

    yield opened
    context.close()
    assert said == []


@pytest.fixture(scope="module")
def at(browser, trace, place, ready, tmp_path_factory):
    """An exported page at the link that is asked for: at("scores", table=1)."""
    path = tmp_path_factory.mktemp("steps") / "steps.html"
    path.write_text(exported_page(document([trace], route=place(0))), encoding="utf-8")
    yield from opened_once(browser, path.as_uri(), place, ready)


@pytest.fixture(scope="module")
def served_at(browser, server, place, ready):
    """The same, served."""
    yield from opened_once(browser, f"{server}/{place(0)}", place, ready)


@pytest.fixture(scope="module")
def walk(at):
    """One walk through all steps by the space bar: what each step says."""
    page = at(0)
    said = {}
    for _ in STEPS:
        page.wait_for_selector("html[data-ready]")
        step = page.locator("article.step")
        lines = {line.get_attribute("data-line"): line.inner_text() for line in step.locator("[data-line]").all()}
        said[step.get_attribute("data-step")] = {
            "lines": lines,
            "title": step.locator("h2").inner_text(),
            "marked": step.locator("math .now").all_inner_texts(),
            "bad": step.locator(".bad").count(),
        }
        page.keyboard.press("Space")
    return said


def result(said, step, name):
    """The last number of a spelled line."""
    return float(said[step]["lines"][name].split("=")[-1].strip().replace("−", "-"))


def near(value):
    return pytest.approx(value, abs=6e-5)


@pytest.mark.slow
def test_space_walks_through_thirteen_steps(walk):
    assert list(walk) == STEPS


@pytest.mark.core
def test_every_step_says_where_it_stands(walk):
    assert [said["title"].split(":")[0] for said in walk.values()] == [f"Step {n} of 13" for n in range(1, 14)]


@pytest.mark.core
def test_every_equation_marks_one_term(walk):
    assert {step: len(said["marked"]) for step, said in walk.items()} == dict.fromkeys(STEPS, 1) | {"mask": 0}


@pytest.mark.core
def test_no_sum_of_the_page_disagrees_with_the_model(walk):
    assert {step: said["bad"] for step, said in walk.items()} == dict.fromkeys(STEPS, 0)


@pytest.mark.core
def test_a_piece_has_its_number(walk, trace):
    token = trace["axes"]["reads"]["tokens"][QUERY]
    assert walk["tokens"]["lines"] == {f"“{token['piece']}”": f"“{token['piece']}” = piece number {token['id']}"}


@pytest.mark.core
def test_the_embedding_is_its_row_times_the_root_of_the_width(walk, tensors):
    value = tensors["embedding.target.token"][QUERY, NUMBER]
    assert result(walk, "embedding", f"x[{QUERY}, {NUMBER}]") == near(value)
    row = re.search(r"= \(?(−?)([\d.]+)\)? × √24", walk["embedding"]["lines"][f"x[{QUERY}, {NUMBER}]"])
    assert float(row[2]) * math.sqrt(24) == pytest.approx(abs(value), abs=5e-5)


@pytest.mark.core
def test_the_position_is_the_cosine_of_the_paper(walk):
    expected = math.cos(QUERY / 10000 ** ((NUMBER - 1) / 24))
    assert result(walk, "position", f"PE[{QUERY}, {NUMBER}]") == near(expected)


@pytest.mark.core
def test_token_and_position_add_up(walk, tensors):
    expected = tensors["embedding.target.token"][QUERY, NUMBER] + tensors["embedding.target.position"][QUERY, NUMBER]
    assert result(walk, "position", f"x[{QUERY}, {NUMBER}]") == near(expected)


@pytest.mark.core
@pytest.mark.parametrize(("name", "row", "source"), [("q", QUERY, "resid_in"), ("k", KEY, None), ("v", KEY, None)])
def test_projections_are_products_with_the_columns_of_the_head(walk, tensors, name, row, source):
    vector = tensors[f"{BLOCK}.{source}"][row] if source else tensors["memory.states"][row]
    column = tensors[f"{BLOCK}.w_{name}"][:, HEAD * 12 + NUMBER]
    assert result(walk, "qkv", f"{name}[{row}, {NUMBER}]") == near(vector @ column)


def scores_of(tensors, block=BLOCK):
    return tensors[f"{block}.q"][HEAD] @ tensors[f"{block}.k"][HEAD].T


def softmax(scores, allowed=None):
    scores = scores if allowed is None else np.where(allowed, scores, -np.inf)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


@pytest.mark.core
def test_a_score_is_the_product_of_query_and_key(walk, tensors):
    assert result(walk, "scores", f"score[{QUERY}, {KEY}]") == near(scores_of(tensors)[QUERY, KEY])


@pytest.mark.core
def test_the_printed_terms_of_a_score_add_up_to_it(walk):
    text = walk["scores"]["lines"][f"score[{QUERY}, {KEY}]"].replace("−", "-")
    rest = float(re.search(r"more terms: (-?[\d.]+)", text)[1])
    factors = [float(x) * float(y) for x, y in re.findall(r"\(?(-?[\d.]+)\)? × \(?(-?[\d.]+)\)?", text)]
    assert len(factors) == 4
    assert sum(factors) + rest == pytest.approx(float(text.split("=")[-1]), abs=0.02)


@pytest.mark.core
def test_a_score_is_divided_by_the_root_of_d_k(walk, tensors):
    expected = scores_of(tensors)[QUERY, KEY] / math.sqrt(12)
    assert result(walk, "scale", f"scaled[{QUERY}, {KEY}]") == near(expected)


@pytest.mark.core
def test_a_weight_is_its_power_over_the_sum_of_powers(walk, tensors):
    expected = softmax(scores_of(tensors) / math.sqrt(12))[QUERY, KEY]
    assert result(walk, "softmax", f"weight[{QUERY}, {KEY}]") == near(expected)


@pytest.mark.core
def test_values_are_mixed_by_weights(walk, tensors):
    expected = tensors[f"{BLOCK}.weights"][HEAD, QUERY] @ tensors[f"{BLOCK}.v"][HEAD, :, NUMBER]
    assert result(walk, "values", f"out[{QUERY}, {NUMBER}]") == near(expected)


@pytest.mark.core
def test_the_output_matrix_mixes_all_heads(walk, tensors):
    joined = np.concatenate(list(tensors[f"{BLOCK}.head_out"]), axis=-1)[QUERY]
    assert result(walk, "concat", f"out[{QUERY}, {NUMBER}]") == near(joined @ tensors[f"{BLOCK}.w_o"][:, NUMBER])


@pytest.mark.core
def test_the_sum_is_normalised(walk, tensors):
    total = tensors[f"{BLOCK}.resid_in"][QUERY] + tensors[f"{BLOCK}.out"][QUERY]
    normed = (total - total.mean()) / np.sqrt(total.var() + 1e-6)
    expected = normed * tensors[f"{BLOCK}.norm_gain"] + tensors[f"{BLOCK}.norm_shift"]
    assert result(walk, "norm", f"norm[{QUERY}, {NUMBER}]") == near(expected[NUMBER])


@pytest.mark.core
def test_a_unit_of_the_feed_forward_network_is_cut_at_zero(walk, tensors):
    inner = tensors["dec.1.ffn.in"][QUERY] @ tensors["dec.1.ffn.w_1"] + tensors["dec.1.ffn.b_1"]
    assert result(walk, "ffn", f"hidden[{QUERY}, {NUMBER}]") == near(max(0, inner[NUMBER]))


@pytest.mark.core
def test_the_feed_forward_network_writes_the_second_product(walk, tensors):
    hidden = np.maximum(0, tensors["dec.1.ffn.in"][QUERY] @ tensors["dec.1.ffn.w_1"] + tensors["dec.1.ffn.b_1"])
    expected = hidden @ tensors["dec.1.ffn.w_2"][:, NUMBER] + tensors["dec.1.ffn.b_2"][NUMBER]
    assert result(walk, "ffn", f"out[{QUERY}, {NUMBER}]") == near(expected)


@pytest.mark.core
def test_the_likeliest_piece_has_the_probability_of_its_logit(walk, trace, tensors):
    best = trace["steps"][QUERY]["top"][0]
    logit = tensors["final.states"][QUERY] @ tensors["final.rows"][QUERY, 0]
    name = best["text"] or best["piece"]
    assert result(walk, "output", f"logit({name})") == near(logit)
    assert result(walk, "output", f"P({name})") == near(math.exp(logit - trace["steps"][QUERY]["log_normaliser"]))


@pytest.mark.slow
def test_in_a_pre_norm_model_projections_read_the_normalised_states(visit, export, make_model, place, sentence):
    trace = Session({"tiny": make_model(norm="pre")}).trace("tiny", sentence, EVERYTHING)
    tensors = Tensors(trace)
    page = visit(export([trace], place("qkv")), offline=True)
    expected = tensors[f"{BLOCK}.norm_out"][QUERY] @ tensors[f"{BLOCK}.w_q"][:, HEAD * 12 + NUMBER]
    assert float(number_in(page, f"q[{QUERY}, {NUMBER}]")) == near(expected)


def number_in(page, line):
    return page.locator(f'[data-line="{line}"] output').inner_text().replace("−", "-")


def test_biases_of_projections_are_part_of_the_sum(visit, export, make_model, place, sentence):
    model = make_model(attention_bias=True)
    for name, parameter in model.model.named_parameters():
        if name.endswith("attention.query.bias"):
            parameter.data.fill_(0.75)
    trace = Session({"tiny": model}).trace("tiny", sentence, EVERYTHING)
    page = visit(export([trace], place("qkv")), offline=True)
    assert float(number_in(page, f"q[{QUERY}, {NUMBER}]")) == near(Tensors(trace)[f"{BLOCK}.q"][HEAD, QUERY, NUMBER])
    assert "0.750" in page.locator(f'[data-line="q[{QUERY}, {NUMBER}]"]').inner_text()


def table(page, name):
    """A matrix in table mode, as numbers; cells that are not allowed are None."""
    rows = page.locator(f'figure[data-matrix="{name}"] tbody tr').all()
    cells = [row.locator("td").all_inner_texts() for row in rows]
    return [[None if cell == "not allowed" else float(cell) for cell in row] for row in cells]


@pytest.mark.core
def test_the_table_of_scores_is_the_tensor(at, trace, tensors):
    page = at("scores", table=1)
    np.testing.assert_allclose(table(page, "scores-scores"), tensors[f"{BLOCK}.scores"][HEAD], atol=6e-5)


def test_the_table_of_values_has_rows_of_keys(at, trace, tensors):
    page = at("values", table=1)
    np.testing.assert_allclose(table(page, "values-v"), tensors[f"{BLOCK}.v"][HEAD], atol=6e-5)


def test_what_may_not_be_seen_is_hatched(at, trace):
    page = at("mask", kind="dec", table=1)
    covered = [[cell is None for cell in row] for row in table(page, "mask-masked")]
    length = len(trace["axes"]["reads"]["tokens"])
    assert covered == [[column > row for column in range(length)] for row in range(length)]


def test_strips_are_orange_above_zero_and_blue_below(at, trace, tensors):
    page = at("embedding")
    values = tensors["embedding.target.token"]
    canvas = page.locator('figure[data-matrix="embedding-token"] canvas')
    box = canvas.evaluate("c => [c.width, c.height]")
    wide, tall = box[0] / values.shape[1], box[1] / values.shape[0]
    largest = [np.unravel_index(found, values.shape) for found in (np.argmax(values), np.argmin(values))]
    places = [[int((column + 0.5) * wide), int((row + 0.5) * tall)] for row, column in largest]
    read = "(c, places) => { const all = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
    read += " return places.map(([x, y]) => [...all.slice(4 * (y * c.width + x), 4 * (y * c.width + x) + 3)]); }"
    (above_red, _, above_blue), (below_red, _, below_blue) = canvas.evaluate(read, places)
    assert above_red > above_blue
    assert below_red < below_blue


def cosines_of(tensors):
    lengths = [np.linalg.norm(tensors[f"{BLOCK}.{name}"][HEAD], axis=-1) for name in "qk"]
    return scores_of(tensors) / np.outer(*lengths)


@pytest.mark.parametrize(
    ("step", "suppose", "changed"),
    [
        ("scale", "no-scale", scores_of),
        ("softmax", "temperature:0.5", lambda tensors: scores_of(tensors) / math.sqrt(12) / 0.5),
        ("scores", "score:cosine", cosines_of),
    ],
)
def test_a_supposition_is_computed_in_the_page(at, tensors, step, suppose, changed):
    page = at(step, suppose=suppose, table=1)
    np.testing.assert_allclose(table(page, "suppose-here-after"), softmax(changed(tensors)), atol=6e-5)


def test_the_original_stands_beside_the_supposition(at, trace, tensors):
    page = at("scale", suppose="no-scale", table=1)
    np.testing.assert_allclose(table(page, "suppose-here-before"), tensors[f"{BLOCK}.weights"][HEAD], atol=6e-5)


def test_without_the_mask_a_word_sees_what_is_not_written_yet(at, trace, tensors):
    page = at("mask", kind="dec", suppose="no-mask", table=1)
    expected = softmax(scores_of(tensors, "dec.1.self") / math.sqrt(12))
    np.testing.assert_allclose(table(page, "suppose-here-after"), expected, atol=6e-5)


def test_the_share_of_a_head_is_the_length_of_what_it_writes(at, trace, tensors):
    page = at("concat", suppose=f"head-off:{BLOCK}:{HEAD}")
    part = tensors[f"{BLOCK}.head_out"][HEAD, QUERY] @ tensors[f"{BLOCK}.w_o"][HEAD * 12 : (HEAD + 1) * 12]
    share = np.linalg.norm(part) / np.linalg.norm(tensors[f"{BLOCK}.out"][QUERY])
    assert float(page.locator("[data-contribution]").get_attribute("data-contribution")) == pytest.approx(
        share, rel=1e-4
    )


def test_a_file_without_a_run_of_the_whole_model_says_so(at, trace):
    page = at("scale", suppose="no-scale")
    assert "saccade explore tiny" in page.locator(".whole").inner_text()


def test_a_file_of_weights_alone_names_the_command_for_more(visit, export, session, sentence, place):
    page = visit(export([session.trace("tiny", sentence, TraceOptions())], place("scores")), offline=True)
    said = page.locator("[data-lacking]").inner_text()
    wanted = [f"--detail {part}" for part in (f"block:{BLOCK}", "block:dec.1.ffn", "embedding", "memory", "final")]
    assert f'saccade explore tiny --sentence "{sentence}" {" ".join(wanted)} --export page.html' in said


@pytest.mark.slow
def test_the_command_it_names_fills_every_step(visit, export, session, sentence, place):
    wanted = ("weights", f"block:{BLOCK}", "block:dec.1.ffn", "embedding", "memory", "final")
    page = visit(export([session.trace("tiny", sentence, TraceOptions(detail=wanted))], place(0)), offline=True)
    lacking = []
    for _ in STEPS:
        lacking += page.locator("[data-lacking]").all_inner_texts()
        page.keyboard.press("Space")
    assert page.locator("article.step").get_attribute("data-step") == "output"
    assert lacking == []


def test_a_file_opens_at_the_block_it_has_the_numbers_of(visit, export, session, sentence, tensors, place):
    trace = session.trace("tiny", sentence, TraceOptions(detail=("weights", "block:dec.0.cross")))
    page = visit(export([trace], place("scores", l="none")), offline=True)
    assert float(number_in(page, f"score[{QUERY}, {KEY}]")) == near(scores_of(tensors, "dec.0.cross")[QUERY, KEY])


@pytest.mark.slow
def test_the_served_page_asks_for_the_numbers_of_a_step(served_at, tensors):
    page = served_at("scores")
    assert float(number_in(page, f"score[{QUERY}, {KEY}]")) == near(scores_of(tensors)[QUERY, KEY])


SIX = np.array([89, 12, 32, 45, 73, 34], dtype=np.float64)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("share of the sum", SIX / SIX.sum()),
        ("softmax", softmax(SIX)),
        ("softmax of ÷ √6", softmax(SIX / math.sqrt(6))),
        ("softmax of ÷ √64", softmax(SIX / 8)),
    ],
)
def test_softmax_is_no_proportion(at, trace, column, expected):
    page = at("softmax", claim="proportion")
    cells = page.locator(f'td[data-column="{column}"]').all_inner_texts()
    assert cells == [f"{value:.4f}" for value in expected]


def claim(page, name):
    return page.locator(f'[data-claim="{name}"] > p').inner_text()


def test_d_k_and_the_number_of_keys_are_two_numbers(at, trace):
    page = at("scale", claim="options")
    keys = len(trace["axes"]["source"]["tokens"])
    assert [int(found) for found in re.findall(r"\b\d+\b(?! )?", claim(page, "options"))] == [12, keys]


def test_scaling_is_about_slopes_not_about_overflow(at, trace, tensors):
    page = at("scale", claim="overflow")
    slopes = [
        (weights * (1 - weights)).max()
        for weights in (softmax(scores_of(tensors)[QUERY] / factor) for factor in (math.sqrt(12), 1))
    ]
    assert f"{slopes[0]:.4f} in this row with the root, {slopes[1]:.4f} without" in claim(page, "overflow")


def test_only_the_decoders_self_attention_is_covered(at, trace):
    page = at("mask", claim="causal")
    n = len(trace["axes"]["reads"]["tokens"])
    m = len(trace["axes"]["source"]["tokens"])
    counted = [f"0 of {m * m}", f"{n * (n - 1) // 2} of {n * n}", f"0 of {n * m}"]
    assert re.findall(r"\d+ of \d+", claim(page, "causal")) == counted


def test_the_lengths_behind_the_root_of_the_width(at, trace, tensors):
    page = at("embedding", claim="norms")
    after = np.linalg.norm(tensors["embedding.target.token"], axis=-1).mean()
    position = np.linalg.norm(tensors["embedding.target.position"], axis=-1).mean()
    for value in (after, after / math.sqrt(24), position):
        assert f"{value:.2f}" in claim(page, "norms")


def test_a_reader_of_words_sees_no_formula(at, trace):
    page = at("scores", d="words")
    folded = page.locator("details.step-folded")
    assert not folded.locator("math").first.is_visible()
    folded.locator("summary").press("Enter")
    assert folded.locator("math").first.is_visible()
    assert folded.locator("[data-line] output").first.is_visible()
    assert page.locator("code").count() == 0
    assert page.locator("figure.matrix").count() == 1


def test_a_reader_of_tensors_sees_names_shapes_and_code(at, trace):
    page = at("scores", d="tensors")
    said = page.locator(".tensor-list").inner_text()
    assert f"{BLOCK}.scores[{HEAD}]" in said
    assert "q @ k.transpose(-2, -1)" in said


@pytest.mark.parametrize("analogy", ["cafeteria", "search", "dictionary", "filter"])
def test_every_analogy_tells_the_weight_of_this_query(at, trace, tensors, analogy):
    page = at("softmax", a=analogy)
    largest = tensors[f"{BLOCK}.weights"][HEAD, QUERY].max()
    text = page.locator(f'[data-analogy="{analogy}"]').inner_text()
    assert f"{100 * largest:.0f} %" in text or f"{100 * largest:.1f} %" in text


def test_softmax_leads_to_the_same_head_in_heat(at):
    link = at("softmax").locator(".further a").get_attribute("href")
    assert link.startswith("#/heat?")
    assert {"l=1", f"h={HEAD}", f"q={QUERY}", f"k={KEY}", "u=piece"} <= set(link.split("?")[1].split("&"))


@pytest.mark.core
def test_shift_and_space_go_back(at, trace):
    page = at("scores")
    page.keyboard.press("Shift+Space")
    assert page.locator("article.step").get_attribute("data-step") == "qkv"


def test_space_in_the_sentence_is_a_space(at, trace):
    page = at("scores")
    page.locator("#sentence").focus()
    page.keyboard.press("Space")
    assert page.locator("article.step").get_attribute("data-step") == "scores"


def test_arrows_in_a_strip_choose_the_number_that_is_spelled(at, trace, tensors):
    page = at("values")
    page.locator('figure[data-matrix="values-head_out"] .cells').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    expected = tensors[f"{BLOCK}.head_out"][HEAD, QUERY - 1, NUMBER + 1]
    assert float(number_in(page, f"out[{QUERY - 1}, {NUMBER + 1}]")) == near(expected)
    assert f"dim={NUMBER + 1}" in page.url


def test_a_click_in_the_scores_chooses_query_and_key(at, trace, tensors):
    page = at("scores")
    cells = page.locator('figure[data-matrix="scores-scores"] .cells')
    box = cells.bounding_box()
    size = box["width"] / tensors[f"{BLOCK}.scores"].shape[2]
    cells.click(position={"x": 1.5 * size, "y": 0.5 * size})
    assert float(number_in(page, "score[0, 1]")) == near(tensors[f"{BLOCK}.scores"][HEAD, 0, 1])


CHANGES = {
    "no-scale": ("scale", WhatIf(name="no-scale")),
    "temperature:0.5": ("softmax", WhatIf(name="temperature", value=0.5)),
    "score:cosine": ("scores", WhatIf(name="score", value="cosine")),
    "no-positions": ("position", WhatIf(name="no-positions")),
    "shuffled-positions": ("position", WhatIf(name="shuffled-positions")),
    f"head-off:{BLOCK}:{HEAD}": ("concat", WhatIf(name="head-off", block=BLOCK, head=HEAD)),
}


@pytest.mark.parametrize("suppose", CHANGES)
def test_the_whole_model_is_run_with_the_change(served_at, session, sentence, suppose):
    step, what_if = CHANGES[suppose]
    changed = session.trace("tiny", sentence, TraceOptions(what_if=what_if))
    page = served_at(step, suppose=suppose, table=1)
    assert page.locator("[data-changed] bdi").inner_text() == changed["output"]["text"].strip()
    if what_if.name != "head-off":
        weights = Tensors(changed)[f"{BLOCK}.weights"][HEAD]
        np.testing.assert_allclose(table(page, "suppose-whole-after"), weights, atol=6e-5)


def test_a_file_shows_the_changed_run_it_holds(visit, export, session, sentence, trace, place):
    changed = session.trace("tiny", sentence, TraceOptions(what_if=WhatIf(name="no-scale")))
    page = visit(export([trace, changed], place("scale", suppose="no-scale", table=1)), offline=True)
    weights = Tensors(changed)[f"{BLOCK}.weights"][HEAD]
    np.testing.assert_allclose(table(page, "suppose-whole-after"), weights, atol=6e-5)


def test_the_changed_model_leads_back_to_the_original(served_at, trace):
    page = served_at("scale", w="no-scale")
    page.locator(".changed-model a").click()
    page.wait_for_selector(".whole dd bdi")
    assert page.locator(".whole dd bdi").first.inner_text() == trace["output"]["text"].strip()
    assert "suppose=no-scale" in page.url


def test_the_original_stays_the_original_while_something_is_supposed(served_at, tensors):
    page = served_at("scale", suppose="no-scale", table=1)
    np.testing.assert_allclose(table(page, "scale-scores"), tensors[f"{BLOCK}.scores"][HEAD], atol=6e-5)


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("step", ["tokens", "scores", "softmax", "output"])
def test_no_rule_of_accessibility_is_broken(at, step, theme):
    changes = {"suppose": "temperature:2", "claim": "proportion"} if step == "softmax" else {}
    found = Axe().run(at(step, theme=theme, **changes)).response["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


def test_the_page_never_scrolls_sideways_on_a_telephone(at):
    page = at(0)
    page.set_viewport_size({"width": 390, "height": 800})
    wide = {}
    for step in STEPS:
        at(step, suppose={"softmax": "temperature:2", "scale": "no-scale"}.get(step, ""))
        wide[step] = page.evaluate("() => document.documentElement.scrollWidth")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert wide == dict.fromkeys(STEPS, 390)


def ancestor(make_model, sentence, architecture, **changes):
    """The trace of an ancestor whose attention is not flat: what starts at zero is drawn too."""
    model = make_model(architecture, **changes)
    generator = torch.Generator().manual_seed(3)
    for parameter in model.model.parameters():
        if not parameter.any():
            parameter.data = torch.randn(parameter.shape, generator=generator)
    return Session({"tiny": model}).trace("tiny", sentence, EVERYTHING)


def step_names(page):
    return [name.split(" ", 1)[1].strip() for name in page.locator(".steps-rail button").all_inner_texts()]


@pytest.fixture(scope="module")
def searching(make_model, sentence):
    return ancestor(make_model, sentence, "rnnsearch")


def test_an_additive_score_is_spelled_by_its_own_equation(visit, export, searching, place):
    tensors = Tensors(searching)
    page = visit(export([searching], place("scores", l=0, h=0)), offline=True)
    inside = np.tanh(tensors["dec.0.cross.q_hidden"][0, QUERY] + tensors["dec.0.cross.k_hidden"][0, KEY])
    assert float(number_in(page, f"tanh[{NUMBER}]")) == near(inside[NUMBER])
    assert float(number_in(page, f"score[{QUERY}, {KEY}]")) == near(inside @ tensors["dec.0.cross.vector"])
    assert "tanh" in page.locator("math .now").text_content()


def test_an_ancestor_has_fewer_steps_and_says_why(visit, export, searching, place):
    page = visit(export([searching], place("scores", l=0, h=0)), offline=True)
    assert step_names(page) == ["Tokens", "States", "Scores", "Softmax", "× V", "Output"]
    assert "÷ √d_k: the scores are used as they are, not divided." in page.locator(".missing li").all_inner_texts()


def test_a_step_an_ancestor_lacks_leads_to_the_next_it_has(visit, export, searching, place):
    page = visit(export([searching], place("scale", l=0, h=0)), offline=True)
    assert page.locator("article.step").get_attribute("data-step") == "softmax"


@pytest.mark.slow
def test_a_bell_makes_far_keys_lighter(visit, export, make_model, sentence, place):
    trace = ancestor(make_model, sentence, "luong", alignment="local-p", reach=3)
    weights = Tensors(trace)["dec.0.cross.weights"][0, QUERY]
    key = int(np.argmax(weights))
    page = visit(export([trace], place("softmax", l=0, h=0, k=key)), offline=True)
    assert float(number_in(page, f"weight[{QUERY}, {key}]")) == near(weights[key])
    assert f"add up to {weights.sum():.4f} only" in page.locator(".step-text").inner_text()


def test_a_model_without_attention_shows_what_it_carries_over(visit, export, make_model, sentence, place):
    trace = ancestor(make_model, sentence, "rnn-encoder-decoder")
    page = visit(export([trace], place("qkv")), offline=True)
    assert step_names(page) == ["Tokens", "Memory", "Output"]
    numbers = Tensors(trace)["memory.states"].size
    assert float(number_in(page, "numbers for each piece")) == near(numbers / len(trace["axes"]["source"]["tokens"]))


@pytest.mark.slow
def test_the_blank_slot_of_a_tape_takes_its_share(visit, export, make_model, sentence, place):
    trace = ancestor(make_model, sentence, "lstmn")
    tensors = Tensors(trace)
    page = visit(export([trace], place("softmax", kind="enc", l=0, h=0, k=1)), offline=True)
    assert float(number_in(page, f"weight[{QUERY}, 1]")) == near(tensors["enc.0.self.weights"][0, QUERY, 1])
    blank = tensors["enc.0.self.blank"][0, QUERY]
    assert f"the other {blank:.4f} goes to" in page.locator(".step-text").inner_text()


def test_over_words_a_step_takes_the_first_piece_of_the_word(at, trace, tensors):
    words = trace["axes"]["source"]["words"]
    chosen = next(i for i, word in enumerate(words) if len(word["pieces"]) > 1)
    piece = words[chosen]["pieces"][0]
    page = at("scores", u="word", q=1, k=chosen)
    query = trace["axes"]["target"]["words"][1]["pieces"][0]
    assert float(number_in(page, f"score[{query}, {piece}]")) == near(scores_of(tensors)[query, piece])


def test_a_drawing_of_vectors_has_a_cell_for_each_number(at, tensors, tmp_path):
    page = at("scores")
    with page.expect_download() as saved:
        page.locator('figure[data-matrix="scores-q"] button', has_text="SVG").click()
    saved.value.save_as(tmp_path / "q.svg")
    drawn = ElementTree.parse(tmp_path / "q.svg").getroot()
    cells = [rect for rect in drawn.iter("{http://www.w3.org/2000/svg}rect") if rect.get("width") == "12"]
    assert len(cells) == tensors[f"{BLOCK}.q"][HEAD].size


@pytest.mark.slow
def test_a_long_sentence_stays_light(visit, export, session, route):
    text = " ".join(["The children of the town play football on the grass behind the old school."] * 4)
    trace = session.trace("tiny", text, TraceOptions(force="Die Katze trank die Milch.", detail=("all",)))
    source = len(trace["axes"]["source"]["tokens"])
    assert source > 60
    hash = route("steps", s=trace["source_text"], m="tiny", force="Die Katze trank die Milch.", kind="enc", l=1, at=8)
    page = visit(export([trace], hash), offline=True)
    assert page.locator('figure[data-matrix="values-v"] .label').count() == 24
    assert f"of {source}" in page.locator('figure[data-matrix="values-v"]').inner_text()
    assert page.evaluate("() => document.querySelectorAll('*').length") < 2500


def test_the_table_of_the_softmax_can_be_followed_with_a_calculator(at):
    page = at("softmax")
    rows = [row.locator("td").all_inner_texts() for row in page.locator(".row-of-keys tbody tr[data-key]").all()]
    numbers = np.array([[float(text.replace("−", "-")) for text in row[:4]] for row in rows])
    scaled, shifted, powers, shares = numbers.T
    assert shifted == pytest.approx(scaled - scaled.max(), abs=2e-4)
    assert powers == pytest.approx(np.exp(shifted), abs=2e-4)
    total = float(page.locator(".row-of-keys .total td").nth(2).inner_text())
    assert shares == pytest.approx(powers / total, abs=2e-4)
    assert page.locator(".row-of-keys thead th").nth(1).inner_text() == "score ÷ √d_k"
