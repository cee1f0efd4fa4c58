"""The page of `saccade serve` in a real browser: type, translate, see which word comes from which."""

import threading
from collections.abc import Iterator

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from tests.browser.conftest import tiny

from saccade.server.api_keys import Access, ApiKeys
from saccade.server.application import application
from saccade.server.served_models import ServedModels
from saccade.server.settings import ServerSettings

pytestmark = pytest.mark.slow
TEXT = "Two men are talking in the street. The cat drank the milk."


@pytest.fixture(scope="module")
def translator():
    return tiny()


@pytest.fixture(scope="module")
def address(translator) -> Iterator[str]:
    models = ServedModels({"tiny": translator}, settings={"repair": False})
    access = Access(ApiKeys({"sesame": None}), None)
    served = application(models, ServerSettings(), access=access, explorer="http://127.0.0.1:8017/")
    running = uvicorn.Server(uvicorn.Config(served, host="127.0.0.1", port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        thread.join(0.01)
    yield f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}/"
    running.should_exit = True
    thread.join()


@pytest.fixture
def page(browser, address):
    context = browser.new_context()
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda line: said.append(line.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda sent: None if sent.url.startswith(address) else said.append(sent.url))
    page.goto(address)
    page.wait_for_selector("#source option", state="attached")
    yield page
    context.close()
    assert [line for line in said if "400" not in line and "403" not in line] == []


def test_a_text_is_translated_and_its_words_are_linked(page, translator):
    page.fill("#key", "sesame")
    page.fill("#text", TEXT)
    page.click("#translate")
    page.wait_for_selector(".pair")
    assert page.text_content("#output") == translator.translate(TEXT, repair=False)
    assert page.locator(".pair").count() == 2
    page.locator(".pair p:first-child .word").first.hover()
    assert page.locator(".word.marked").count() >= 1
    assert page.get_attribute("#explorer", "href") == "http://127.0.0.1:8017/"


def test_a_mistake_is_told(page):
    page.fill("#key", "wrong")
    page.fill("#text", TEXT)
    page.press("#text", "Control+Enter")
    page.wait_for_selector("#problem:not([hidden])")
    assert page.text_content("#problem") == "Invalid API key"


def test_everybody_can_use_it(page):
    page.fill("#key", "sesame")
    page.fill("#text", TEXT)
    page.click("#translate")
    page.wait_for_selector(".pair")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
