"""What the page says where its server refuses or is silent, and how one goes on from there."""

import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

GONE = "The server does not answer."


@pytest.fixture
def stops():
    """Cuts a page off from its server, as a server that was stopped does; stops(page)() ends it."""

    def cut(page):
        page.watch.allowed.append("net::ERR_FAILED")
        page.route("**/api/**", lambda route: route.abort())
        return lambda: page.unroute("**/api/**")

    return cut


@pytest.mark.core
def test_what_a_view_could_not_get_is_asked_for_again_by_a_button(visit, server, route, sentence, stops, ready):
    page = visit(f"{server}/{route('translate', s=sentence)}", fresh=True)
    back = stops(page)
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.get_by_role("button", name="4 Q K V").click()
    ready(page, "steps")
    note = page.locator(".notes .problem")
    assert GONE in note.inner_text()
    assert "This file" not in page.locator("main").inner_text()  # it is no file, and --export would not help
    back()
    note.get_by_role("button", name="Try again").click()
    ready(page, "steps")
    assert page.locator(".problem").count() == 0
    assert page.locator("main [data-lacking]").count() == 0


def test_enter_asks_again_for_the_sentence_that_failed(visit, server, route, stops, ready):
    page = visit(f"{server}/{route('translate')}", fresh=True)
    back = stops(page)
    page.locator("#sentence").fill("Two men are talking.")
    page.locator("#sentence").press("Enter")
    page.get_by_role("alert").get_by_text(GONE).wait_for()
    back()
    page.locator("#sentence").press("Enter")
    page.locator(".to .written").wait_for()
    assert page.get_by_role("alert").count() == 0


def test_title_and_hint_of_a_refusal_are_shown(visit, server, route):
    page = visit(f"{server}/{route('translate')}", fresh=True)
    page.watch.allowed.append("422")
    page.locator("#sentence").fill("the cat " * 300)
    page.locator("#sentence").press("Enter")
    refused = page.get_by_role("alert")
    refused.wait_for()
    asked = {"model": "tiny", "text": ("the cat " * 300).strip(), "detail": ["weights"]}
    said = problem(server, asked)
    assert refused.locator("strong").inner_text() == said["title"]
    assert refused.locator("p").all_inner_texts() == [said["hint"]]


def test_a_what_if_that_cannot_be_run_says_what_to_do(visit, server, route, sentence, stops):
    page = visit(f"{server}/{route('steps', s=sentence, at=5, kind='cross', l=1)}", fresh=True)
    stops(page)
    page.get_by_label("nothing is divided by √d_k").check()
    refused = page.locator(".whole .problem")
    refused.wait_for()
    assert refused.inner_text() == (
        f"The model could not be run with this change. {GONE} Start it again: saccade explore MODEL"
    )


def problem(server: str, asked: dict) -> dict[str, str]:
    """What the server answers to a request that it refuses."""
    body = json.dumps(asked).encode()
    request = Request(f"{server}/api/trace", body, {"Content-Type": "application/json"})
    with pytest.raises(HTTPError) as refused:
        urlopen(request)
    return json.load(refused.value)
