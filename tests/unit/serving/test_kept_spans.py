"""No protected span is lost, whatever the model writes: here one that has learned nothing."""

import pytest
from bench.constraints import lost_spans, span_lines

from saccade.serving.loading import load


@pytest.fixture(scope="module")
def translator(make_bundle, tmp_path_factory):
    return load(make_bundle(tmp_path_factory.mktemp("spans") / "model"), device="cpu")


def test_a_model_that_copies_nothing_loses_no_span(translator):
    texts = ["She paid $7 at 14:30 and 14:30.", "Hello {name}, see <0>this</0> 😀"]
    for text, output in zip(texts, translator.translate(texts), strict=True):
        assert lost_spans(text, output) == []


def test_a_span_longer_than_the_model_reads_is_copied_and_not_cut(translator):
    address = "https://example.com/" + "long/" * 80
    assert address in translator.translate(f"She reads {address} now.")
    assert translator.translate(f"😀 {address}") == f"😀 {address}"


def test_without_spans_or_without_protection_nothing_is_searched_again(translator):
    texts = ["A dog runs.", "She reads 17 books."]
    protected, bare = (translator.translate_batch(texts, protect=protect) for protect in (True, False))
    assert protected[0] == bare[0]
    assert "17" not in bare[1].text
    assert "17" in protected[1].text


def test_the_words_of_an_alignment_are_those_of_the_text(translator):
    [found] = translator.translate_batch(["A dog {name} runs."], alignment=True)
    assert "{name}" in found.text.split()
    assert "{name}" in found.alignment.source_words
    assert "{name}" in found.alignment.target_words


def test_a_pattern_of_the_user_is_kept(translator):
    assert "AB/X" in translator.translate("The part AB/X runs.", protect=[r"AB/\w"])


@pytest.mark.slow
def test_the_shipped_model_keeps_the_spans_of_ninety_nine_lines_in_a_hundred():
    lines = span_lines(100)
    outputs = load("en-es", device="cpu").translate(lines)
    assert sum(not lost_spans(*pair) for pair in zip(lines, outputs, strict=True)) >= 99


@pytest.mark.slow
def test_the_shipped_model_keeps_values_and_writes_small_numbers_in_digits():
    lines = [
        "A trader gambled away 1.7 billion euros.",
        "The deal is worth more than $1 billion.",
        "We waited 12 weeks.",
    ]
    outputs = load("en-es", device="cpu").translate(lines)
    assert [lost_spans(*pair) for pair in zip(lines, outputs, strict=True)] == [[], [], []]
    assert not any(wrong in " ".join(outputs) for wrong in ("1.7 mill", "1 mill\u00f3n", "d\u00f3lares"))
