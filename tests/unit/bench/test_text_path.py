from bench.text_path import seconds

import saccade
from saccade.serving.line_translation import LineTranslator


def test_what_is_around_the_search_is_measured_and_the_search_is_done_once(monkeypatch):
    searched = []
    real = LineTranslator._search
    monkeypatch.setattr(
        LineTranslator, "_search", lambda self, some, *more: searched.extend(some) or real(self, some, *more)
    )
    measured = seconds(saccade.load("en-es"), ["A house.", "A dog and a cat."], rounds=2)
    assert len(measured) == 2
    assert all(one > 0 for one in measured)
    assert [line.source for line in searched] == ["A house.", "A dog and a cat."]
