"""Home: the drawing of the model is a map whose boxes lead on, and the decoding steps can be played."""

import pytest

SECONDS = 60


@pytest.fixture
def page(visit, server, route, sentence):
    opened = visit(f"{server}/{route('home', s=sentence, m='tiny')}", fresh=True)
    opened.emulate_media(reduced_motion="reduce")
    return opened


@pytest.mark.core
def test_every_box_leads_to_the_view_that_shows_it(page, ready, server, route, sentence):
    views = {}
    for link in page.locator(".home-map a").all():
        views.setdefault(link.get_attribute("href").split("?")[0], link.get_attribute("aria-label"))
    assert set(views) == {"#/translate", "#/steps", "#/position", "#/heat"}
    page.get_by_role("link", name="cross-attention: open heat").click()
    ready(page, "heat")
    assert "Cross-attention" in page.locator("figure.matrix").inner_text()


def test_links_lie_on_the_boxes_they_name(page):
    drawn = page.evaluate(
        """() => [...document.querySelectorAll(".home-map svg text")].map((text) => {
            const { x, y, width, height } = text.getBoundingClientRect();
            return [text.textContent, x + width / 2, y + height / 2];
        })"""
    )
    for link in page.locator(".home-map a").all():
        label, box = link.get_attribute("aria-label").split(": open ")[0], link.bounding_box()
        inside = [
            text
            for text, x, y in drawn
            if box["x"] <= x <= box["x"] + box["width"] and box["y"] <= y <= box["y"] + box["height"]
        ]
        assert label in inside


def test_what_is_not_written_yet_is_pale(page, visit, server, route, sentence):
    assert page.locator(".home-output .later").count() == 0
    early = visit(f"{server}/{route('home', s=sentence, m='tiny', step=0)}", fresh=True)
    assert early.locator(".home-output .later").count() == early.locator(".home-output span").count() - 1 > 0


def test_play_begins_with_the_first_step_and_can_be_paused(page):
    page.locator("main").get_by_role("button", name="Play").click()
    assert "step=0" in page.evaluate("location.hash")
    page.locator("main").get_by_role("button", name="Pause").click()
    assert page.locator("main").get_by_role("button", name="Play").count() == 1


@pytest.mark.slow
def test_the_tour_marks_each_part_and_can_be_left(page):
    page.get_by_role("button", name=f"{SECONDS}-second tour").click()
    seen = []
    while page.get_by_role("button", name="Next", exact=True).count():
        seen.append(page.locator(".home-door.told").count())
        page.get_by_role("button", name="Next", exact=True).click()
    assert len(seen) == 7
    assert all(seen)
    page.get_by_role("button", name="Back", exact=True).click()
    page.get_by_role("button", name="Skip the tour").click()
    assert page.locator(".home-door.told").count() == 0


def test_after_all_steps_the_point_key_shows_the_first(page):
    page.keyboard.press("Escape")
    page.keyboard.press(".")
    assert "step=0" in page.evaluate("location.hash")
