"""The frame: links that hold the whole state, the keyboard, notes, and what is said when something is amiss."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.explorer.page import document, exported_page
from saccade.explorer.session import Session
from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json, to_json

VIEWS = ["translate", "steps", "heads", "heat", "beam", "ancestors", "cost", "position", "model", "train", "quiz"]
WORD = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PLACE = st.none() | st.integers(0, 300)
STATES = st.fixed_dictionaries(
    {"view": st.sampled_from(VIEWS)},
    optional={
        "sentence": WORD,
        "model": WORD,
        "whatif": WORD,
        "kind": st.sampled_from(["enc", "dec", "cross"]),
        "layer": PLACE,
        "head": st.just("mean") | st.integers(0, 31),
        "q": PLACE,
        "k": PLACE,
        "step": PLACE,
        "unit": st.sampled_from(["word", "piece"]),
        "transfer": st.sampled_from(["sqrt", "linear", "rowmax"]),
        "hide": st.booleans(),
        "table": st.booleans(),
        "mass": st.sampled_from([1, 0.5, 0.75, 0.123]),
        "alpha": st.none() | st.floats(-2, 2),
        "size": st.none() | st.integers(1, 9),
        "theme": st.sampled_from(["system", "light", "dark"]),
    },
)


@pytest.fixture(scope="module")
def trace(session, sentence):
    return session.trace("tiny", sentence, TraceOptions())


READ_AGAIN = """async (states) => {
    const { defaults, format, parse } = await import("page/state/state");
    return states.map((one) => ({...defaults(), ...one})).map((state) => [state, parse(format(state))]);
}"""


@pytest.mark.slow
def test_a_link_holds_the_whole_state(visit, server):
    page = visit(f"{server}/", fresh=True)

    @settings(max_examples=10, deadline=None)
    @given(states=st.lists(STATES, min_size=1, max_size=20))
    def check(states):
        for state, read in page.evaluate(READ_AGAIN, states):
            assert read == {"state": state, "notes": []}

    check()


def test_what_a_link_cannot_say_is_said_in_a_note(visit, server, route, sentence):
    page = visit(f"{server}/{route('heat', s=sentence, m='tiny', l='first', kind='sideways', nonsense=3, q=0, k=1)}")
    notes = [note for note in page.locator(".notes .note").all_inner_texts() if "in the link" in note]
    assert [note[1 : note.index("”")] for note in notes] == ["l=first", "kind=sideways"]
    assert page.evaluate("document.querySelector('.cell').dataset.cell") == "0,1"


@pytest.mark.core
def test_an_unknown_model_or_view_is_named_and_replaced(visit, server, route, sentence):
    page = visit(f"{server}/{route('heatt', s=sentence, m='huge')}")
    assert "heatt" in page.locator(".notes").inner_text()
    assert "huge" in page.locator(".notes").inner_text()


def test_characters_that_were_never_seen_are_listed_in_their_order(visit, server, route):
    page = visit(f"{server}/{route('translate', s='She reads أنا.')}", fresh=True)
    note = page.locator(".notes", has_text="has no piece for")
    assert ", ".join(f"“\u2068{letter}\u2069”" for letter in "أنا"[:2]) in note.text_content()


@pytest.mark.slow
def test_back_and_forward_go_through_views_and_not_through_cells(visit, server, route, sentence, ready):
    page = visit(f"{server}/{route('heat', s=sentence, m='tiny')}", fresh=True)
    page.locator("figure.matrix .cells").click(position={"x": 5, "y": 5})
    page.locator("figure.matrix .cells").press("ArrowRight")
    page.get_by_role("link", name="Translate").first.click()
    ready(page, "translate")
    page.go_back()
    ready(page, "heat")
    assert page.evaluate("location.hash").endswith("q=0&k=1&d=numbers")
    page.go_forward()
    ready(page, "translate")


def plain(piece: str) -> str:
    """A piece as a reader of words sees it: the mark of a word's beginning is shown only where it stands alone."""
    return piece.removeprefix("\u2581") or piece


@pytest.mark.slow
def test_everything_from_sentence_to_file_without_a_mouse(visit, server, session, ready):
    page = visit(f"{server}/", fresh=True)
    page.keyboard.press("/")
    page.keyboard.type("She reads.")
    page.keyboard.press("Enter")
    ready(page, "translate")
    assert page.locator(".from").inner_text() == "She reads."
    page.keyboard.press("Escape")
    for key, part in {"g": "", "m": "#/heat", "e": "kind=enc", "2": "h=1", "[": "l=0", "w": "u=piece"}.items():
        page.keyboard.press(key)
        assert part in page.evaluate("location.hash")
    ready(page, "heat")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('cells')"):
            break
    for key in ("End", "ArrowDown", "ArrowLeft", "Control+Home", "ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.classList.contains('cells')")
    said = page.locator("#live").inner_text()
    weight = page.locator(".side .share").inner_text()
    tokens = session.trace("tiny", "She reads.", TraceOptions())["axes"]["source"]["tokens"]
    row, column = (plain(tokens[at]["piece"]) for at in (0, 1))
    assert said.startswith(f"row {row}, column {column}, {weight}")
    with page.expect_download() as started:
        for _ in range(4):
            page.keyboard.press("Shift+Tab")
        while page.evaluate("document.activeElement.textContent") != "CSV":
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    assert started.value.suggested_filename == "enc.0.self-head-2.csv"


@pytest.mark.slow
def test_letters_do_nothing_in_the_sentence_and_can_be_switched_off(visit, server, route, sentence):
    page = visit(f"{server}/{route('heat', s=sentence, m='tiny')}", fresh=True)
    page.keyboard.press("?")
    page.locator("dialog input").uncheck()
    page.keyboard.press("Escape")
    before = page.evaluate("location.hash")
    page.locator("main").focus()
    page.keyboard.press("v")
    assert page.evaluate("location.hash") == before
    page.locator("#sentence").focus()
    page.keyboard.press("w")
    assert page.evaluate("location.hash") == before


def test_rounds_replay_what_was_written(visit, server, trace, route, sentence):
    page = visit(f"{server}/{route('translate', s=sentence, m='tiny', step=1)}")
    assert page.locator(".rounds-table tbody tr").count() == 2
    page.keyboard.press(".")
    assert page.locator(".rounds-table tbody tr").count() == 3
    line = page.locator(".rounds-table tbody tr").nth(2).locator("td").all_inner_texts()
    step = trace["steps"][2]
    assert line[0] == trace["axes"]["reads"]["tokens"][2]["piece"]
    assert line[1] == trace["axes"]["target"]["tokens"][2]["piece"]
    assert float(line[2]) == pytest.approx(2.718281828459045 ** step["logprob"], abs=5.1e-5)
    candidates = page.locator(".rounds-table tbody tr").nth(2).locator(".candidate").all_inner_texts()
    for shown, one in zip(candidates, step["top"], strict=True):
        assert shown.startswith(one["piece"])
        assert float(shown.removeprefix(one["piece"])) == pytest.approx(one["p"], abs=5.1e-4)


@pytest.mark.slow
def test_a_sentence_that_is_too_long_is_refused_in_words(visit, server, route):
    page = visit(f"{server}/{route('heat', s='word ' * 300, m='tiny')}", fresh=True)
    page.watch.allowed.append("422")
    said = page.locator("[role=alert]").inner_text()
    assert "must have at most 256 tokens" in said
    assert "Give one sentence at a time." in said


@pytest.mark.slow
@pytest.mark.parametrize(
    "view",
    [
        "steps",
        "model",
        *(pytest.param(v, marks=pytest.mark.slow) for v in ("heads", "heat", "beam", "position", "quiz")),
    ],
)
def test_every_view_gets_what_it_needs_of_a_sentence_that_is_here(visit, server, route, ready, view):
    """A link opened afresh: the trace comes first, and then what the view asks for besides."""
    page = visit(f"{server}/{route(view, s=f'the cat sat {view}', m='tiny')}", fresh=True)
    ready(page, view)
    assert page.locator(".problem").count() == 0
    assert "does not hold" not in page.inner_text("main")


@pytest.mark.slow
def test_a_server_that_is_gone_is_said_and_tried_again(visit, serve, make_model, route, ready):
    page = visit(serve(Session({"tiny": make_model()})), fresh=True)
    page.watch.allowed.append("ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    page.locator("#sentence").fill("A dog runs.")
    page.locator("#sentence").press("Enter")
    page.locator("[role=alert]").wait_for()
    assert "does not answer" in page.locator("[role=alert]").inner_text()
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    ready(page, "translate")
    assert page.locator(".from").inner_text() == "A dog runs."


@pytest.mark.slow
def test_waiting_can_be_cancelled_and_begun_again(visit, serve, make_model, ready):
    session = Session({"tiny": make_model()})
    page = visit(serve(session), fresh=True)
    with session._computing:  # a sentence that takes its time
        page.locator("#sentence").fill("A dog runs.")
        page.locator("#sentence").press("Enter")
        page.get_by_role("button", name="Cancel").click()
        assert "Cancelled." in page.locator("[role=alert]").inner_text()
    page.get_by_role("button", name="Try again").click()
    ready(page, "translate")
    assert page.locator(".from").inner_text() == "A dog runs."


@pytest.mark.slow
def test_a_trace_whose_rows_do_not_sum_to_one_gets_a_red_note(visit, export, trace):

    wrong = json.loads(json.dumps(trace))
    weights = from_json(wrong["tensors"]["dec.1.cross.weights"]).copy()
    weights[0, 0] *= 1.1
    wrong["tensors"]["dec.1.cross.weights"] = to_json(weights, ["head", "query", "key"])
    page = visit(export([wrong], "#/heat"))
    assert page.locator(".checks").get_attribute("data-checks") == "fail"
    assert "sum to one" in page.locator(".checks .fails").first.inner_text()
    good = visit(export([trace], "#/heat"))
    assert good.locator(".checks").get_attribute("data-checks") == "hold"


@pytest.mark.core
def test_a_tensor_that_is_cut_off_does_not_take_the_page_with_it(visit, export, trace):
    wrong = json.loads(json.dumps(trace))
    wrong["tensors"]["dec.1.cross.weights"]["data"] = "AAAA"
    page = visit(export([wrong], "#/heat?l=1"))
    page.watch.allowed.append("bytes")
    assert "bytes" in page.locator("[role=alert]").inner_text()
    assert page.locator(".rail a").count() == 12


@pytest.mark.core
def test_a_document_of_another_kind_is_refused(visit, tmp_path):
    path = tmp_path / "later.html"
    path.write_text(exported_page(document() | {"schema": "explore-document/2"}), encoding="utf-8")
    assert "explore-document/2" in visit(path.as_uri()).locator("[role=alert]").inner_text()


MERGED = """async ([into, from]) => (await import("page/trace/store")).merge(into, from)"""


@pytest.mark.slow
def test_what_is_asked_for_later_is_added_to_what_is_there(visit, server, session):
    """Tokens that come twice stay two, and what both traces hold is what each of them held."""
    text = "the cat the cat"
    plain = session.trace("tiny", text, TraceOptions(force="She reads."))
    fuller = session.trace("tiny", text, TraceOptions(force="She reads.", detail=("influence", "block:enc.0.self")))
    merged = visit(f"{server}/", fresh=True).evaluate(MERGED, [plain, fuller])
    for name in plain.keys() - {"id", "options", "seconds", "tensors"}:
        assert merged[name] == fuller[name], name
    assert merged["tensors"] == plain["tensors"] | fuller["tensors"]
    assert merged["options"] == plain["options"]


def test_g_and_a_letter_lead_to_every_view(visit, server, route, sentence):
    page = visit(f"{server}/{route('quiz', s=sentence)}", fresh=True)
    links = {
        link.get_attribute("href").split("?")[0]: link.locator("kbd").text_content()
        for link in page.locator(".rail-links a").all()
    }
    for view, letter in links.items():
        page.keyboard.press("g")
        page.keyboard.press(letter)
        assert page.evaluate("location.hash.split('?')[0]") == view


def test_what_tab_reaches_is_not_under_the_strip(visit, server, route, sentence):
    page = visit(f"{server}/{route('translate', s=sentence)}", fresh=True, height=600)
    page.locator(".rounds-table button").first.focus()
    covered = """() => {
      const { left, top, width, height } = document.activeElement.getBoundingClientRect();
      const shown = document.elementFromPoint(left + width / 2, top + height / 2);
      return !document.activeElement.contains(shown);
    }"""
    for _ in range(page.locator(".rounds-table button").count()):
        assert not page.evaluate(covered)
        page.keyboard.press("Tab")
