"""What the page says of a translation is what the command line would have said."""

from dataclasses import replace

import pytest
import torch

from saccade.explorer.remarks import remarks
from saccade.explorer.session import Session
from saccade.quality.calibration import UNCALIBRATED
from saccade.quality.certainty import CertaintyBound
from saccade.serving.translator import Translator
from saccade.tracing.options import TraceOptions


@pytest.fixture(scope="module")
def translator(bundle) -> Translator:
    made = replace(bundle("transformer"), task="translation", source_language="en", target_language="es")
    return Translator([made], torch.device("cpu"))


def said(translator: Translator, text: str, output: str, mode: str = "beam", logprob: float = -2.0) -> list[str]:
    made = {"output": {"text": output, "mode": mode, "logprob": logprob}, "steps": [{}] * 4}
    return remarks(translator, text, made)


def test_nothing_is_said_of_a_good_translation(translator):
    assert (
        said(translator, "The children play football on the grass.", "Los niños juegan al fútbol en el césped.") == []
    )


def test_text_of_the_target_language_is_named(translator):
    spanish = "Los niños del pueblo juegan al fútbol detrás de la escuela."
    [line] = said(translator, spanish, "Anything", "forced")
    assert line == "This looks like Spanish, but this model translates from English to Spanish."


def test_what_was_left_out_and_what_loops_is_told_in_one_line(translator):
    long = "The children of the town play football on the grass behind the old school because it rained all day long."
    [line] = said(translator, long, "agua agua agua")
    assert line == "Seen in the translation: loop (agua), too short (0.13 of the source's length)."
    assert said(translator, long, "agua agua agua", "forced") == []


def test_an_output_that_the_model_was_not_sure_of_is_told(translator):
    calibrated = translator.with_calibration(replace(UNCALIBRATED, certainty=CertaintyBound(-2.0)))
    texts = "The children play football.", "Los niños juegan al fútbol."
    assert said(calibrated, *texts, logprob=-3.9) == []
    assert said(calibrated, *texts, logprob=-4.1) == [
        "Seen in the translation: unsure (less certain than 90% of held-out text)."
    ]
    assert said(calibrated, *texts, "forced", logprob=-4.1) == []


def test_several_sentences_are_counted(translator):
    [line] = said(translator, "I have a dog. His name is Max. We go to the park.", "", "forced")
    assert line.startswith("These are 3 sentences, and the model reads one at a time")


def test_other_tasks_have_no_remarks(bundle):
    other = Translator([replace(bundle("transformer"), task="pronunciation")], torch.device("cpu"))
    assert said(other, "a b c", "") == []


def test_a_trace_carries_them(translator):
    made = Session({"one": translator}).trace("one", "I have a dog. He is old.", TraceOptions(force="Tengo un perro."))
    assert made["remarks"] == said(translator, "I have a dog. He is old.", "Tengo un perro.", "forced")
    assert len(made["remarks"]) == 1
