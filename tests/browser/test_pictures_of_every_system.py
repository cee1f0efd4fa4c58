"""Heat and Translate for every system of the catalogue: with many heads, with one, and with no attention at all."""

import pytest

from saccade.explorer.session import Session
from saccade.models.catalogue import ARCHITECTURES
from saccade.tracing.options import TraceOptions

# One system with attention and one without it stand for the others; the sweep over all of them is slow.
FEW = ("transformer", "seq2seq")


@pytest.mark.core
@pytest.mark.parametrize(
    "name", [name if name in FEW else pytest.param(name, marks=pytest.mark.slow) for name in ARCHITECTURES]
)
def test_it_is_drawn_or_explained(visit, ready, export, make_model, name):
    trace = Session({name: make_model(name)}).trace(name, "She reads.", TraceOptions())
    page = visit(export([trace], "#/heat?d=numbers"))
    assert page.locator("[role=alert], .bad-text").count() == 0
    assert page.locator(".checks").get_attribute("data-checks") == "hold"
    if trace["blocks"]:
        assert page.locator("figure.matrix").count() == 1
    else:
        assert f"{name} has no attention" in page.locator("main").inner_text()
    page.evaluate("delete document.documentElement.dataset.ready; location.hash = '#/translate?d=numbers'")
    ready(page, "translate")
    assert page.locator("[role=alert], .bad-text").count() == 0
    assert page.locator(".links").count() == (trace["alignment"] is not None)
    assert page.locator(".to .written").count() == len(trace["axes"]["target"]["words"])
