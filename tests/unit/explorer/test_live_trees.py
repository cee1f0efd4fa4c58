"""A parser inside a page writes the trees that it writes in Python, and nothing that is no tree."""

import pytest
from tests.drawn_parser import TREES, drawn_parser
from tests.unit.explorer.engine_in_node import answers, request
from tests.unit.explorer.test_live_engine import differences, without_own

from saccade.explorer.live_model import live_model
from saccade.tracing.options import TraceOptions
from saccade.tracing.trace import trace


@pytest.mark.parametrize(
    ("leaves", "count"),
    [("tags", 2), *(pytest.param(one, 8, marks=pytest.mark.slow) for one in ("tags", "placeholder", "words"))],
)
def test_its_trees_are_python_s(leaves, count):
    model = drawn_parser(leaves)
    # Words with brackets in them, and one that no tree had.
    texts = [
        "the girl saw a bird with stripes .",
        "the girl (saw) a zebra .",
        *(" ".join(one.words) for one in TREES[:count]),
    ]
    found = answers(live_model(model, "tiny"), [("trace", request(text)) for text in texts])
    expected = [trace(model, text, TraceOptions(), "tiny") for text in texts]
    assert [differences(without_own(one), without_own(other)) for one, other in zip(found, expected, strict=True)] == [
        [] for _ in texts
    ]
    assert all(one["tree"]["brackets"] or one["tree"]["leaves"] for one in found)


@pytest.mark.parametrize("leaves", ["tags", *(pytest.param(one, marks=pytest.mark.slow) for one in ("words",))])
def test_a_tree_can_be_given_and_what_is_none_is_refused(leaves):
    model = drawn_parser(leaves)
    tree = TREES[3]
    text = " ".join(tree.words)
    wrong = ["", "(S", "(TOP (S (NN dog)))", str(tree)[:-1], str(tree) + " x", str(tree).replace("(S ", "( ", 1)]
    asked = [request(text, force=one) for one in (str(tree), *wrong)]
    given, *refused = answers(live_model(model, "tiny"), [("trace", one) for one in asked])
    expected = trace(model, text, TraceOptions(force=str(tree)), "tiny")
    assert differences(without_own(given), without_own(expected)) == []
    assert {one["problem"] for one in refused} == {"This is no bracketed tree over the words of the sentence."}


def test_a_beginning_that_no_tree_has_is_refused():
    [found] = answers(live_model(drawn_parser(), "tiny"), [("trace", request("the girl saw a bird .", prefix=")S"))])
    assert found["problem"] == "No output can begin so."
