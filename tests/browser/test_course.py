"""The live figures of the course in a real browser: a chapter as the site shows it, opened from a folder."""

import shutil
from types import SimpleNamespace

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.course.chapters import COURSE
from tools.course.catalogue import FIGURES
from tools.course_live import figures_page

from saccade.explorer.live_page import live_content
from saccade.explorer.page import document, exported_page
from saccade.explorer.session import Session

CHAPTER = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>A chapter</title>
<body data-md-color-scheme="{scheme}" style="margin: 16px"><p><img alt="A picture" src="figures/{name}.svg"></p>
<script src="live.js"></script></body></html>"""
IN_FRAME = """() => ({
  sideways: document.documentElement.scrollWidth - innerWidth,
  hidden: document.documentElement.scrollHeight - innerHeight,
  theme: document.documentElement.dataset.theme,
})"""


@pytest.fixture(scope="module")
def site(tmp_path_factory, make_model):
    """The course as a folder of pages, with a tiny model where the site has the shipped one."""
    folder = tmp_path_factory.mktemp("course")
    shutil.copy(COURSE / "live.js", folder)
    shutil.copytree(COURSE / "figures", folder / "figures")
    session = Session({"en-es": make_model()})
    pages = {
        "figures": figures_page(),
        "training": exported_page(document(route="#/train")),
        "explorer": exported_page(document(models=session.entries()), live_content(session.models)),
    }
    (folder / "live").mkdir()
    for name, page in pages.items():
        (folder / "live" / f"{name}.html").write_text(page, encoding="utf-8")
    for scheme in ("default", "slate"):
        for name in FIGURES:
            (folder / f"{name}-{scheme}.html").write_text(CHAPTER.format(name=name, scheme=scheme), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def reader(browser, site):
    """Opens a chapter and waits until its figure lives."""
    said = []
    context = browser.new_context(viewport={"width": 390, "height": 800})
    context.set_offline(True)
    page = context.new_page()
    page.on("console", lambda line: said.append(line.text))
    page.on("pageerror", lambda error: said.append(str(error)))

    def opened(name, *, width=390, scheme="default"):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto((site / f"{name}-{scheme}.html").as_uri())
        button = page.query_selector("button")
        if button:
            button.click()
        page.wait_for_selector("iframe[data-live]")
        return SimpleNamespace(page=page, frame=page.frames[1])

    yield opened
    context.close()
    assert said == []


@pytest.mark.parametrize(
    ("names", "width", "scheme"), [(tuple(FIGURES), 390, "slate"), (("the-transformer", "training"), 1280, "default")]
)
def test_every_figure_lives_in_its_chapter_at_its_own_size(reader, names, width, scheme):
    for name in names:
        chapter = reader(name, width=width, scheme=scheme)
        found = chapter.frame.evaluate(IN_FRAME)
        assert found["sideways"] <= 0, name
        assert found["theme"] == ("dark" if scheme == "slate" else "light")
        if chapter.frame.url.split("/")[-1].startswith("figures"):
            assert found["hidden"] <= 0, name


def test_a_figure_answers_what_the_reader_changes(reader):
    chapter = reader("counting-words")
    assert chapter.page.locator("img").is_hidden()
    frame = chapter.frame
    assert "perplexity" in frame.locator(".course-reading").inner_text()
    frame.get_by_role("button", name="count only").click()
    assert frame.locator(".course-reading").inner_text().endswith("impossible, says this model.")
    field = frame.get_by_label("All it reads")
    field.fill("one two. ")
    field.press_sequentially("one three.")
    assert frame.locator(".row-label").all_inner_texts() == ["one", "two", "three"]
    frame.get_by_role("button", name="Table").click()
    assert frame.locator("tbody tr").count() == 3


def test_the_model_answers_a_sentence_inside_the_chapter(reader):
    chapter = reader("attention", width=1280)
    assert chapter.frame.locator(".rail").is_hidden()
    chapter.frame.locator("#sentence").fill("The children play.")
    chapter.frame.locator("#sentence").press("Enter")
    chapter.frame.locator(".column-label", has_text="children").wait_for()
    assert chapter.page.locator("img").is_hidden()


def test_no_rule_of_accessibility_is_broken(reader, site):
    page = reader("counting-words").page
    for name, theme in (("perceptrons", "dark"), ("the-transformer", "light"), ("encoder-decoder", "dark")):
        page.goto("about:blank")
        page.goto(f"{(site / 'live' / 'figures.html').as_uri()}#/{name}?lang=en&theme={theme}")
        page.wait_for_selector(f'html[data-ready="{name}"]')
        assert [(one["id"], one["nodes"][0]["html"]) for one in Axe().run(page).response["violations"]] == [], name


def test_a_picture_stays_where_no_live_figure_is_found(browser, site):
    page = browser.new_page()
    lonely = site / "alone"
    lonely.mkdir()
    shutil.copy(COURSE / "live.js", lonely)
    (lonely / "chapter.html").write_text(CHAPTER.format(name="forgetting", scheme="default"), encoding="utf-8")
    page.goto((lonely / "chapter.html").as_uri())
    page.wait_for_selector("iframe", state="attached")
    assert page.locator("img").is_visible()
    assert page.locator("iframe[data-live]").count() == 0
    page.close()
