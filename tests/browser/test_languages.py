"""The page in German and Spanish: by the browser's language, by the link, and by choice."""

from dataclasses import replace

import pytest
import torch
from axe_playwright_python.sync_playwright import Axe

from saccade.explorer.page import view_names
from saccade.explorer.session import Session
from saccade.serving.translator import Translator

NAMES = {
    "de": ["Start", "Übersetzen", "Schritte", "Köpfe", "Matrix", "Beam", "Vorläufer", "Aufwand"],
    "es": ["Inicio", "Traducir", "Pasos", "Cabezas", "Matriz", "Haz", "Antecesores", "Coste"],
}


def views_named(page):
    return [link.text_content()[:-1] for link in page.locator(".rail-links a").all()][:8]  # the last letter is the key


@pytest.mark.slow
def test_the_browser_the_link_and_the_reader_choose_the_language(browser, server, route, sentence, ready):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="es-MX")
    page = context.new_page()
    page.goto(f"{server}/{route('heat', s=sentence, m='tiny')}")
    ready(page, "heat")
    assert (page.locator("html").get_attribute("lang"), views_named(page)) == ("es", NAMES["es"])

    page.get_by_role("combobox", name="Idioma").select_option("Deutsch")  # the page is loaded again
    page.wait_for_selector("html[lang=de][data-ready=heat]", state="attached")
    assert views_named(page) == NAMES["de"]
    assert "lang=de" in page.url
    assert page.locator("h1").text_content() == "Wohin jedes Wort schaut"
    assert Axe().run(page).response["violations"] == []

    page.evaluate("location.hash = location.hash.replace('lang=de', 'lang=en')")
    page.wait_for_selector("html[lang=en][data-ready=heat]", state="attached")
    context.close()


@pytest.mark.slow
def test_every_view_fits_a_telephone_in_german_whose_words_are_the_longest(visit, server, route, sentence, ready):
    page = visit(f"{server}/{route('home', s=sentence, m='tiny', lang='de')}", width=390, fresh=True)
    wide = []
    for view in view_names():
        page.evaluate("hash => { location.hash = hash; }", route(view, s=sentence, m="tiny", lang="de"))
        ready(page, view)
        assert page.locator("h1").first.text_content() != ""
        assert page.locator(".problem").count() == 0
        if page.evaluate("document.documentElement.scrollWidth") > 390:
            wide.append(view)
    assert wide == []


@pytest.mark.slow
def test_on_a_telephone_choices_take_one_line_and_the_server_s_errors_are_translated(visit, server, route, sentence):
    page = visit(f"{server}/{route('heat', s=sentence, m='tiny', lang='es')}", width=390, fresh=True)
    assert page.locator(".rail").bounding_box()["height"] < 50
    assert page.locator(".rail .language").is_hidden()
    page.get_by_role("button", name="Menú").click()
    assert page.locator(".top-tools .language select").is_visible()
    page.watch.allowed.append("422")
    page.evaluate("hash => { location.hash = hash; }", route("heat", s=sentence, m="tiny", lang="es", beam=99))
    page.wait_for_selector(".problem")
    assert page.locator(".problem strong").inner_text() == "El tamaño del haz debe estar entre 1 y 64, pero es 99."


@pytest.mark.slow
def test_a_model_that_reads_german_is_offered_german_sentences(visit, serve, make_model, route):
    german = Translator([replace(make_model().bundle, source_language="de")], torch.device("cpu"))
    address = serve(Session({"german": german}))
    page = visit(f"{address}/{route('translate')}", fresh=True)
    offered = page.locator(".presets a").all_text_contents()
    assert "Der Hund jagte den Ball." in offered
    assert "The dog chased the ball" not in offered
