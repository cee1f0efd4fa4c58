"""Texts through a served model: plain, with markup, and with alternatives."""

from saccade.documents.document import Document
from saccade.documents.formats import HTML
from saccade.documents.plain_text import read_plain_text
from saccade.server.admission import Departure
from saccade.server.served_models import ServedModel
from saccade.serving.document_translation import translate_markup


def translated(model: ServedModel, texts: list[str], departure: Departure, *, markup: bool) -> list[str]:
    """The translation of each text, as `saccade translate` makes it: of a line, or of a file of HTML."""
    translator = model.for_client(departure)
    if not markup:
        return [translation.text for translation in translator.translate_batch(texts, **model.settings)]
    options = translator.options(**model.settings)
    return [translate_markup(translator.texts, text, HTML, options) for text in texts]


def alternatives(model: ServedModel, texts: list[str], departure: Departure, count: int) -> list[list[str]]:
    """Up to so many translations of each text and one more, best first: a narrower beam may find others.

    The next one is made of the next best translations of all its sentences.
    """
    translator = model.for_client(departure)
    beam = max(translator.beam_search(size=model.settings.get("beam")).size, count + 1)
    documents = [read_plain_text(text, model.source) for text in texts]
    if count < 1:
        return [[] for _ in texts]
    sentences = [" ".join(one.text.split()) for document in documents for one in document.sentences]
    settings = {**model.settings, "on_error": "copy", "beam": beam}
    ranked = iter(translator.translate_batch(sentences, nbest=count + 1, **settings))  # type: ignore[arg-type]
    return [_others(document, [next(ranked).texts for _ in document.sentences], count) for document in documents]


def _others(document: Document, ranked: list[list[str]], count: int) -> list[str]:
    texts = [document.written([own[min(place, len(own) - 1)] for own in ranked]) for place in range(count + 1)]
    return list(dict.fromkeys(texts))
