"""What a person should know before they believe a translation on the page: what `saccade translate` would have said."""

from collections.abc import Mapping
from typing import Any

from saccade.documents.plain_text import read_plain_text
from saccade.quality.faults import NAMES
from saccade.serving.language_check import language_warning_for_sentence
from saccade.serving.translator import Translator


def remarks(translator: Translator, text: str, made: Mapping[str, Any]) -> list[str]:
    """Short sentences about a text and the output in its trace; none where nothing is seen to be wrong."""
    if translator.task != "translation":
        return []
    found = []
    tokenizer = translator.source_tokenizer
    suspected = language_warning_for_sentence(translator, text)
    if suspected is not None:
        found.append(suspected)
    elif tokenizer.spells_every_letter(tokenizer.encode([text])[0]):
        found.append("The model has never seen these letters: saccade translate would copy them.")
    sentences = len(read_plain_text(text, translator.bundle.source_language).sentences)
    if sentences > 1:
        found.append(
            f"These are {sentences} sentences, and the model reads one at a time: saccade translate splits them."
        )
    output = made["output"]
    if output["mode"] != "forced":  # what somebody else has written is not for us to judge
        faults = list(translator.faults(text, output["text"]))  # the page itself says where an output has no end
        if translator.calibration is not None and translator.calibration.certainty is not None:
            faults += translator.calibration.certainty(output["logprob"], len(made["steps"]))
        told = dict.fromkeys(f"{NAMES[fault.kind]} ({fault.what})" for fault in faults)
        if told:
            found.append(f"Seen in the translation: {', '.join(told)}.")
    return found
