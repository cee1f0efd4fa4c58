"""The tree of a parser in the view Translate: every bracket once, over its words, with the weights of its own step."""

import re

import pytest
import torch
from tests.drawn_parser import drawn_parser

from saccade.explorer.live_page import live_content
from saccade.explorer.page import document, exported_page
from saccade.explorer.session import Session
from saccade.serving.translator import Translator
from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json

pytestmark = pytest.mark.slow
SENTENCE = "the girl saw a bird with stripes ."


@pytest.fixture(scope="module")
def session() -> Session:
    return Session({"parser": Translator([drawn_parser()], torch.device("cpu"))})


def test_pointing_at_a_bracket_shows_where_its_step_looked(session, serve, visit, route):
    trace = session.trace("parser", SENTENCE, TraceOptions())
    tree = trace["tree"]
    assert tree["words"] == SENTENCE.split()
    assert tree["brackets"]
    page = visit(f"{serve(session)}/{route('translate', s=SENTENCE, m='parser')}")
    buttons = page.locator(".parse-bracket")
    assert buttons.count() == len(tree["brackets"])
    drawn = page.locator(".parse-drawing text").all_text_contents()
    assert sorted(drawn) == sorted(
        [one["label"] for one in tree["brackets"]] + [one["tag"] for one in tree["leaves"]] + tree["words"]
    )
    weights = from_json(trace["tensors"][trace["alignment"]["tensor"]]).astype(float)
    words = [one["pieces"] for one in trace["axes"]["source"]["words"] if one["special"] is None]
    for place, bracket in enumerate(tree["brackets"]):
        buttons.nth(place).focus()
        said = page.locator(".parse-tree [role=status]").inner_text()
        assert said.startswith(
            f"{bracket['label']} over “{' '.join(tree['words'][bracket['start'] : bracket['end']])}”"
        )
        row = [weights[bracket["open"], pieces].sum() for pieces in words]
        largest = max(range(len(row)), key=row.__getitem__)
        found = re.search(r"looked most at (\S+) ([\d.]+)", said)
        assert found[1] == tree["words"][largest]
        assert float(found[2]) == pytest.approx(row[largest], abs=0.006)


def test_choosing_a_bracket_goes_to_the_step_that_opened_it(session, serve, visit, route):
    trace = session.trace("parser", SENTENCE, TraceOptions())
    page = visit(f"{serve(session)}/{route('translate', s=SENTENCE, m='parser')}")
    page.locator(".parse-bracket").last.click()
    chosen = page.locator(".parse-bracket[aria-pressed=true]")
    chosen.wait_for()
    assert int(chosen.get_attribute("data-bracket")) == len(trace["tree"]["brackets"]) - 1
    assert f"step={trace['tree']['brackets'][-1]['open']}" in page.url


def test_a_parser_inside_the_page_draws_the_same_tree(session, visit, ready, route, tmp_path):
    tree = session.trace("parser", SENTENCE, TraceOptions())["tree"]
    path = tmp_path / "parser.html"
    path.write_text(exported_page(document(models=session.entries()), live_content(session.models)), encoding="utf-8")
    page = visit(path.as_uri() + route("translate", s=SENTENCE, m="parser"), offline=True)
    ready(page, "translate")
    drawn = page.locator(".parse-drawing text").all_text_contents()
    assert sorted(drawn) == sorted(
        [one["label"] for one in tree["brackets"]] + [one["tag"] for one in tree["leaves"]] + tree["words"]
    )


def test_among_the_heads_the_tree_has_the_weights_of_the_chosen_head(session, serve, visit, route):
    trace = session.trace("parser", SENTENCE, TraceOptions())
    bracket = trace["tree"]["brackets"][0]
    words = [one["pieces"] for one in trace["axes"]["source"]["words"] if one["special"] is None]
    address = serve(session)
    for head in (0, 1):
        page = visit(f"{address}/{route('heads', s=SENTENCE, m='parser', kind='cross', l=1, h=head)}")
        assert f"head {head + 1}" in page.locator(".heads-tree h2").inner_text()
        page.locator(".parse-bracket").first.focus()
        said = page.locator(".parse-tree [role=status]").inner_text()
        weights = from_json(trace["tensors"]["dec.1.cross.weights"]).astype(float)[head, bracket["open"]]
        row = [weights[pieces].sum() for pieces in words]
        assert f"{trace['tree']['words'][row.index(max(row))]} {max(row):.2f}" in said
