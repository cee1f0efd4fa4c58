"""One file is the page: the same digits and pixels without a server, whatever words are in it; and in a notebook."""

import hashlib
import json

import pytest

import saccade
from saccade.explorer.notebook import ExplorerPage
from saccade.explorer.page import opened
from saccade.explorer.session import Session
from saccade.explorer.side_by_side import page_document
from saccade.tracing.options import TraceOptions

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!-- saccade: document --> <!-- saccade: head -->",
    "{{ x }} ${y} %s \\u2028 &amp;",
    "<img src=x onerror=alert(1)>",
    "مرحبا بالعالم \u202eabc\u202c",
    "猫喝了牛奶 🙂👩‍🚀",
)


@pytest.fixture(scope="module")
def trace(session, sentence):
    return session.trace("tiny", sentence, TraceOptions())


def drawn(page) -> list[str]:
    """A digest of every canvas of the view."""
    urls = page.locator("main canvas").evaluate_all("all => all.map((canvas) => canvas.toDataURL())")
    return [hashlib.sha256(url.encode()).hexdigest() for url in urls]


@pytest.mark.parametrize("view", ["heat", pytest.param("translate", marks=pytest.mark.slow)])
@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_served_and_exported_pages_show_the_same_digits_and_pixels(
    visit, server, export, trace, route, sentence, view, dark
):
    hash = route(view, s=sentence, m="tiny", u="piece", q=1, k=2, l=0)
    served = visit(f"{server}/{hash}", dark=dark, fresh=True)
    file = visit(export([trace], hash), dark=dark, offline=True)
    assert drawn(file) == drawn(served) != []
    remaining = "main .more, .top-tools"  # presets to try and the search settings need a server
    texts = [
        page.evaluate(
            f"(document.querySelectorAll('{remaining}').forEach((one) => one.remove()), document.body.innerText)"
        )
        for page in (served, file)
    ]
    assert texts[0] == texts[1]


@pytest.mark.slow
def test_a_file_of_several_sentences_leads_from_one_to_the_other(visit, export, session, route, sentence, ready):
    traces = [session.trace("tiny", text, TraceOptions()) for text in (sentence, "A dog runs.")]
    page = visit(export(traces, route("translate", s=sentence, m="tiny")), offline=True, fresh=True)
    page.get_by_role("link", name="A dog runs.").click()
    ready(page, "translate")
    assert page.locator(".from").inner_text() == "A dog runs."
    assert page.get_by_role("link", name=sentence).count() == 1


@pytest.mark.slow
def test_the_page_saves_itself_as_a_file_that_shows_the_same(visit, server, route, sentence, tmp_path):
    page = visit(f"{server}/{route('heat', s=sentence, m='tiny', kind='enc', l=0, h=1, q=2, k=1)}", fresh=True)
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="This page as one HTML file").click()
    path = tmp_path / "saved.html"
    started.value.save_as(path)
    file = visit(path.as_uri(), offline=True)
    assert file.evaluate("document.documentElement.dataset.ready") == "heat"
    assert drawn(file) == drawn(page)
    assert file.locator(".cell").get_attribute("data-cell") == "2,1"
    assert file.locator(".side dd").all_inner_texts() == page.locator(".side dd").all_inner_texts()
    for hash in (*(f"#/steps?kind=enc&l=0&at={step}" for step in range(13)), "#/position", "#/model", "#/home"):
        other = visit(f"{path.as_uri()}{hash}", offline=True)
        assert "does not hold" not in other.locator("main").inner_text(), hash


@pytest.mark.slow
def test_saved_numbers_open_again_where_they_were_left(visit, server, export, route, sentence, tmp_path):
    page = visit(f"{server}/{route('heat', s=sentence, m='tiny', kind='dec', l=1, h=0)}", fresh=True)
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="The numbers as JSON").click()
    found = opened(started.value.path().read_text(encoding="utf-8"), "trace.json")
    file = visit(export(found["traces"], found["route"]), offline=True)
    assert drawn(file) == drawn(page)


@pytest.mark.core
@pytest.mark.parametrize("text", [HOSTILE[0], *(pytest.param(text, marks=pytest.mark.slow) for text in HOSTILE[1:])])
def test_words_are_words_whatever_they_spell(visit, server, session, export, route, text):
    trace = session.trace(
        "tiny", text, TraceOptions(force="She reads.")
    )  # what is read matters here, not what is found
    for address in (
        f"{server}/{route('heat', s=text, m='tiny', force='She reads.', kind='enc', u='piece')}",
        export([trace], "#/heat?d=numbers&kind=enc&u=piece"),
    ):
        page = visit(address)
        assert page.locator("main .row-label").all_text_contents() == [
            clipped(token["piece"]) for token in trace["axes"]["source"]["tokens"]
        ]
        assert page.locator("img, script:not([type])").count() == 0
    assert visit(export([trace])).locator(".from").inner_text() == trace["source_text"]


def clipped(label: str) -> str:
    return label if len(label) <= 14 else label[:13] + "…"


@pytest.mark.core
def test_an_exported_page_may_connect_to_nothing(visit, export, trace):
    page = visit(export([trace]))
    page.watch.allowed.extend(["Content Security Policy", "violates", "Fetch API"])
    page.watch.strangers = []
    blocked = page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'reached', () => 'blocked')")
    assert blocked == "blocked"
    assert any("Content Security Policy" in line for line in page.watch.said)


def test_a_sentence_a_file_does_not_hold_is_said_with_those_it_does(visit, export, trace, route):
    page = visit(export([trace], route("heat", s="Another sentence.")))
    assert page.locator("main a").all_inner_texts() == [trace["source_text"]]
    page.locator("main a").click()
    assert page.locator("figure.matrix").count() == 1


@pytest.mark.slow
def test_a_notebook_shows_it_in_a_frame_of_its_own(visit, make_model, sentence, tmp_path):
    shown = saccade.explore(make_model(), sentence=sentence, detail=["weights"], view="heat")
    assert isinstance(shown, ExplorerPage)
    notebook = tmp_path / "notebook.html"
    notebook.write_text(
        f"<!doctype html><html data-ready='yes'><body>{shown._repr_html_()}</body></html>", encoding="utf-8"
    )
    page = visit(notebook.as_uri(), offline=True)
    frame = page.frame_locator("iframe")
    frame.locator("figure.matrix .cells").wait_for()
    frame.get_by_role("link", name="Translate").first.click()
    frame.locator(".from", has_text=sentence).wait_for()
    assert frame.locator(".rail a[aria-current]").inner_text().startswith("Translate")


@pytest.mark.slow
def test_several_models_and_sentences_stand_in_one_document(make_model):
    session = Session({"one": make_model(seed=5), "two": make_model(seed=7)})
    shown = page_document(session, ["She reads.", "Two men."], detail=["weights"])
    roles = [(trace["model"]["id"], trace["source_text"], trace["role"]) for trace in shown["traces"]]
    assert roles == [
        (name, text, role)
        for text in ("She reads.", "Two men.")
        for name, role in (("one", "own"), ("two", "own"), ("two", "forced"))
    ]
    forced = shown["traces"][2]
    assert forced["options"]["force"] == shown["traces"][0]["output"]["text"]
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown
