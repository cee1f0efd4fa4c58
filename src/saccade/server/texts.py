"""Texts through a served model: plain, with markup, and with alternatives."""

from saccade.documents.formats import HTML
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
