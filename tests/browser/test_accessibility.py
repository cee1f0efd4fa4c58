"""Rules of accessibility in every view and theme, room at every width, and pages that stay small."""

import pytest
from axe_playwright_python.sync_playwright import Axe

VIEWS = ["home", "translate", "heat"]
LONG = " ".join(["the", "children", "of", "the", "old", "town", "play", "football", "on", "grass"] * 6)


@pytest.mark.core
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    "more",
    [
        pytest.param({}, id="picture"),
        pytest.param({"table": 1}, id="table", marks=pytest.mark.slow),
        pytest.param({"links": 1, "d": "tensors"}, id="links", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["light", "dark"])
def test_no_rule_is_broken(visit, server, route, sentence, view, more, dark):
    page = visit(f"{server}/{route(view, s=sentence, m='tiny', q=1, k=1, **more)}", dark=dark)
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["target"] for node in one["nodes"]][:4]) for one in found] == []


@pytest.mark.slow
def test_dialogs_and_the_empty_page_break_none_either(visit, server):
    page = visit(f"{server}/", fresh=True)
    for name in (None, "Decoding", "Export", "?"):
        if name:
            page.get_by_role("button", name=name, exact=True).click()
        found = Axe().run(page).response["violations"]
        assert [(one["id"], [node["target"] for node in one["nodes"]][:4]) for one in found] == [], name
        page.keyboard.press("Escape")


@pytest.mark.core
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("width", [390, *(pytest.param(width, marks=pytest.mark.slow) for width in (1024, 1280))])
def test_no_page_is_wider_than_its_window(visit, server, route, sentence, view, width):
    page = visit(f"{server}/{route(view, s=sentence, m='tiny')}", width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS)
def test_sixty_words_keep_the_page_small(visit, server, route, view):
    page = visit(f"{server}/{route(view, s=LONG, m='tiny', force=LONG)}")
    assert page.evaluate("document.querySelectorAll('*').length") < 2500
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
