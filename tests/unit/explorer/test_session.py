"""A session passes a sentence through a model once, and says how long that took."""

from dataclasses import replace
from functools import partial

import pytest
import torch

from saccade.data.language_identification import identifier
from saccade.explorer.session import Session
from saccade.serving.translator import Translator
from saccade.tracing.options import TraceOptions


def test_a_trace_says_how_long_it_took_and_keeps_saying_it(bundle):
    ticks = iter([10.0, 12.5])
    made = Session({"one": Translator([bundle("transformer")], torch.device("cpu"))}, clock=lambda: next(ticks))
    for _ in range(2):
        assert made.trace("one", "Two men are talking.", TraceOptions(force="The sea."))["seconds"] == 2.5


def test_another_detail_of_a_sentence_is_the_same_as_asked_for_alone_and_needs_no_pass(bundle, monkeypatch):
    translator = Translator([bundle("transformer")], torch.device("cpu"))
    text, wanted = "Two men are talking.", TraceOptions(detail=("block:enc.0.self", "influence", "weights"))
    alone = Session({"one": translator}).trace("one", text, wanted)
    both = Session({"one": translator})
    both.trace("one", text, TraceOptions())
    assert both.made("one", text, wanted) is None  # the influence is yet to be measured
    both.trace("one", text, TraceOptions(detail=("influence", "weights")))
    monkeypatch.setattr("saccade.tracing.trace.run", None)
    found = both.made("one", text, wanted)
    assert {**found, "seconds": None} == {**alone, "seconds": None}


def test_sentences_that_take_too_much_room_are_forgotten(bundle, monkeypatch):
    session = Session({"one": Translator([bundle("transformer")], torch.device("cpu"))})
    monkeypatch.setattr("saccade.explorer.session.KEPT_BYTES", 0)
    other = TraceOptions(detail=("embedding", "weights"))
    session.trace("one", "Two men are talking.", TraceOptions())
    assert session.made("one", "Two men are talking.", other) is not None  # the latest is kept whatever its size
    session.trace("one", "A dog.", TraceOptions())
    assert session.made("one", "Two men are talking.", replace(other, detail=("memory", "weights"))) is None


def test_what_tells_languages_apart_is_read_before_the_first_sentence(bundle):
    identifier.cache_clear()
    Session({"one": Translator([bundle("transformer")], torch.device("cpu"))}).prepare()
    assert identifier.cache_info().currsize == 1


@pytest.mark.parametrize("name", ["transformer", "rnnsearch"])
def test_the_copy_that_searches_finds_what_the_model_finds(bundle, name):
    model = Translator([bundle(name)], torch.device("cpu"))
    prepared, unprepared = Session({"one": model}), Session({"one": model})
    prepared.prepare()
    found, expected = (
        session.trace("one", "Two men are talking.", TraceOptions())["beam"] for session in (prepared, unprepared)
    )
    assert len(found["nodes"]) == len(expected["nodes"])
    for ours, theirs in zip(found["nodes"], expected["nodes"], strict=True):
        numbers = {"logp", "cum", "score"}
        assert {key: ours[key] for key in ours.keys() - numbers} == {key: theirs[key] for key in ours.keys() - numbers}
        assert [ours[key] for key in sorted(numbers)] == pytest.approx(
            [theirs[key] for key in sorted(numbers)], abs=1e-5
        )
    assert found["best"] == expected["best"]


FAR_TOO_MUCH = 1 << 58


def of_torch():
    torch.empty(FAR_TOO_MUCH, dtype=torch.uint8)


def of_python():
    bytearray(FAR_TOO_MUCH)


def of_a_gpu():
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")


@pytest.mark.parametrize("allocate", [of_torch, of_python, of_a_gpu])
def test_models_whose_copies_do_not_fit_into_memory_search_themselves(bundle, monkeypatch, allocate):
    models = {name: Translator([bundle(name)], torch.device("cpu")) for name in ("transformer", "rnnsearch")}
    expected = {name: Session(models).trace(name, "Two men are talking.", TraceOptions()) for name in models}
    copied = []

    def copy_of(name, _):
        copied.append(name)
        allocate()

    for name, model in models.items():
        monkeypatch.setattr(model.bundle.model, "__deepcopy__", partial(copy_of, name), raising=False)
    identifier.cache_clear()
    session = Session(models)
    session.prepare()
    assert copied == list(models)
    assert identifier.cache_info().currsize == 1, "what there is room for is prepared"
    for name in models:
        found = session.trace(name, "Two men are talking.", TraceOptions())
        assert {**found, "seconds": None} == {**expected[name], "seconds": None}


def test_another_fault_of_a_copy_is_told(bundle, monkeypatch):
    model = Translator([bundle("transformer")], torch.device("cpu"))

    def copied(_):
        raise RuntimeError("shapes differ")

    monkeypatch.setattr(model.bundle.model, "__deepcopy__", copied, raising=False)
    with pytest.raises(RuntimeError, match="shapes differ"):
        Session({"one": model}).prepare()
