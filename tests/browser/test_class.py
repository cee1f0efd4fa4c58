"""For a class: a page that is presented, printed, handed in as a result, and linked from elsewhere."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe


def shown(page, selector):
    return page.locator(selector).first.is_visible()


@pytest.mark.slow
def test_a_presenter_goes_on_with_a_clicker_and_shows_numbers_when_asked(visit, server, route, sentence, ready):
    page = visit(f"{server}/{route('steps', s=sentence, m='tiny')}", fresh=True)
    page.get_by_role("button", name="Present", exact=True).click()
    ready(page, "steps")
    assert "present=1" in page.url
    assert "veil=1" in page.url
    assert not shown(page, ".rail")
    assert Axe().run(page).response["violations"] == []
    page.keyboard.press("PageDown")
    ready(page, "steps")
    assert "at=1" in page.url
    page.keyboard.press("PageUp")
    page.keyboard.press("PageUp")  # before the first step: the view before
    ready(page, "translate")
    assert page.locator(".written .p").first.evaluate("one => getComputedStyle(one).visibility") == "hidden"
    page.keyboard.press("n")
    assert page.locator(".written .p").first.evaluate("one => getComputedStyle(one).visibility") == "visible"
    page.keyboard.press("ArrowRight")
    assert "step=0" in page.url
    page.get_by_role("button", name="End presentation").click()
    assert shown(page, ".rail")

    page.evaluate("hash => { location.hash = hash; }", route("heat", s=sentence, m="tiny", present=1))
    ready(page, "heat")
    cells = page.locator(".cells")
    box = cells.bounding_box()
    rows, columns = page.locator(".row-labels .label").count(), page.locator(".column-labels .label").count()
    cells.click(position={"x": 2.5 * box["width"] / columns, "y": 1.5 * box["height"] / rows})
    assert "q=1&k=2" in page.url  # the pointer finds its cell in a page that is drawn larger


DECIMALS = r"""() => {
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    const kept = parentElement.closest("button, a, label, bdi");
    const seen = parentElement.checkVisibility({ visibilityProperty: true });
    if (seen && !kept && /\d\.\d|\d\s?%/.test(data) && !data.includes("://")) found.push(data);
  }
  return found;
}"""


@pytest.mark.slow
def test_numbers_in_prose_charts_and_tables_are_hidden_until_asked_for(visit, server, route, sentence, ready):
    page = visit(f"{server}/{route('steps', s=sentence, m='tiny', at=7, veil=1)}", fresh=True)
    for view in ("steps", "ancestors", "cost"):
        page.evaluate("hash => { location.hash = hash; }", route(view, s=sentence, m="tiny", at=7, veil=1))
        ready(page, view)
        assert page.evaluate(DECIMALS) == []
    cells = page.locator("table td .computed")
    assert cells.count() > 0
    assert page.locator("table math .computed").count() == 0  # the exponents of a formula are no measurements
    page.keyboard.press("n")
    ready(page, "cost")
    assert page.evaluate(DECIMALS) != []


@pytest.mark.slow
def test_paper_has_the_sentence_and_the_picture_in_light_colours(visit, server, route, sentence):
    page = visit(f"{server}/{route('heat', s=sentence, m='tiny', theme='dark')}", fresh=True)
    page.emulate_media(media="print")
    page.wait_for_selector("html[data-theme=light]", state="attached")
    assert sentence in page.locator(".printed").text_content()
    assert shown(page, ".printed")
    assert shown(page, "main figure")
    for selector in (".top", ".rail", ".side", ".strip", ".tools", ".steering"):
        assert not shown(page, selector), selector
    page.emulate_media(media="screen")
    page.wait_for_selector("html[data-theme=dark]", state="attached")
    assert not shown(page, ".printed")


@pytest.mark.slow
def test_a_result_can_be_handed_in_and_says_what_was_answered(visit, server, route, sentence, tmp_path):
    page = visit(f"{server}/{route('quiz', s=sentence, m='tiny', ans='abca')}", fresh=True)
    page.locator(".quiz-hand-in summary").click()
    page.get_by_label("Your name").fill("Ada")
    text = page.locator(".quiz-result").text_content()
    assert text.startswith("Quiz · Ada · 20")
    assert text.count("✓") + text.count("✗") == 4
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as file").click()
    saved.value.save_as(tmp_path / "quiz.json")
    made = json.loads((tmp_path / "quiz.json").read_text(encoding="utf-8"))
    assert (made["name"], made["answered"], made["right"]) == ("Ada", 4, text.count("✓"))
    assert [one["answer"][0] for one in made["answers"]] == ["a", "b", "c", "a"]
    assert "Ada" not in page.url


@pytest.mark.slow
def test_a_link_from_another_host_can_be_pasted_as_a_sentence(visit, server, route, sentence, ready):
    page = visit(f"{server}/{route('home', s=sentence, m='tiny')}", fresh=True)
    page.locator("#sentence").fill("http://elsewhere.example:9/" + route("heat", s="Two men.", kind="enc", h=1))
    page.locator("#sentence").press("Enter")
    ready(page, "heat")
    assert page.locator("#sentence").input_value() == "Two men."
    assert "kind=enc" in page.url
    assert page.url.startswith(server)
