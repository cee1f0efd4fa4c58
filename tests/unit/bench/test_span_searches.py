"""Sentences are counted by what gave them their spans back."""

from bench.span_searches import counted

import saccade


def test_sentences_are_counted_by_what_mended_them():
    tally = counted(saccade.load("en-es", device="cpu"), ["I sleep.", "Only 0.3% were positive."])
    assert tally.sentences["searched"] == 2
    assert tally.sentences["with spans"] == 1
    assert tally.sentences["in another form"] == 1
    assert tally.seconds["all steps"] < tally.seconds["everything"]
