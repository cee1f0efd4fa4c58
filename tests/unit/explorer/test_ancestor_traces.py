"""What the package holds of an older system: sound traces of sentences to try, shown beside models of its languages."""

import pytest

from saccade.explorer.ancestor_traces import ancestor_traces
from saccade.explorer.page import FOLDER, document, exported_page
from saccade.tracing.schema import SCHEMA

EN_ES = {"task": "translation", "source_language": "en", "target_language": "es", "architecture": "transformer"}


def test_the_traces_are_those_of_an_older_system_and_all_their_checks_hold() -> None:
    traces = ancestor_traces([EN_ES])
    assert len(traces) >= 3
    for trace in traces:
        assert (trace["schema"], trace["model"]["architecture"]) == (SCHEMA, "rnnsearch")
        assert trace["model"]["year"] < 2017
        assert all(check["holds"] for check in trace["checks"])
        assert trace["alignment"] is not None
        assert trace["output"]["finished"]


def test_its_sentences_are_among_those_the_page_offers() -> None:
    offered = (FOLDER / "app" / "example-sentences.js").read_text(encoding="utf-8")
    assert [one["source_text"] for one in ancestor_traces([EN_ES]) if one["source_text"] not in offered] == []


@pytest.mark.parametrize("other", [{"target_language": "de"}, {"task": "pronunciation"}, {"architecture": "rnnsearch"}])
def test_nothing_is_offered_beside_other_languages_tasks_or_the_system_itself(other: dict[str, str]) -> None:
    assert ancestor_traces([EN_ES | other]) == []


def test_a_file_holds_those_of_its_own_sentences_and_a_live_one_all() -> None:
    first, second, *_ = ancestor_traces([EN_ES])
    shown = document([first | {"model": first["model"] | EN_ES}])
    assert len(shown["ancestors"]) == len(ancestor_traces([EN_ES]))
    only, whole = exported_page(shown), exported_page(shown, {"kernels": {}, "models": {}})
    assert len(only) < len(whole)
    bare = exported_page(document([second | {"model": second["model"] | EN_ES, "source_text": "Another."}]))
    assert len(bare) < len(only)
