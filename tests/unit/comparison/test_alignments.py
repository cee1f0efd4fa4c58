"""Alignments of every system, read in the same ways."""

import json
from dataclasses import asdict

import pytest

from saccade.comparison.alignments import AlignedPairs, aligns, system_alignment
from saccade.comparison.sections import details
from saccade.data.config import DataConfig
from saccade.serving.loading import load

pytestmark = pytest.mark.slow  # two systems are trained twice for all of them


@pytest.fixture(scope="module")
def translator(comparison):
    [folder, *_] = [path for path in sorted((comparison / "runs").iterdir()) if "transformer" in path.name]
    return load(folder, device="cpu")


@pytest.mark.slow  # trains a whole comparison of its own
def test_the_best_layer_is_chosen_on_the_development_part_and_reported_on_the_test_part(translator):
    source, target = "a b c", "c b a"
    wrong, right = AlignedPairs([(source, target)], [((0, 0),)]), AlignedPairs([(source, target)], [((0, 0), (1, 1))])
    found = system_alignment(translator, wrong, right)
    assert aligns(translator)
    assert found.layer == found.best_layer.reading == "layer 1"
    assert found.best_layer.correctness.words == 2
    assert found.head == found.best_head.reading
    assert found.head.startswith("layer 1, head ")
    # One layer attends, so its readings are one.
    assert found.all_layers == found.best_layer
    assert found.own == found.best_layer.alignment_error


def test_a_corpus_without_right_alignments_has_no_aligned_pairs():
    assert AlignedPairs.of(DataConfig(source="s", target="t"), "test") is None


@pytest.mark.slow  # trains a whole comparison of its own
def test_the_page_says_how_alignments_were_read(translator, comparison):
    data = json.loads((comparison / "report.json").read_text(encoding="utf-8"))
    pairs = AlignedPairs([("a b c", "c b a")], [((0, 0), (1, 1))])
    found = system_alignment(translator, pairs, pairs)
    [system] = [one for one in data["systems"] if one["alignments"]]
    system |= {"alignment_readings": [asdict(found)], "alignment_errors": [asdict(found.own)]}
    system["alignment_error_rate"] = {"mean": found.own.error_rate, "deviation": None}
    page = "".join(details(data, {}))
    assert "Like for like" in page
    for one in (found.best_head, found.best_layer):
        assert f"{one.reading}</td><td>{one.alignment_error.error_rate:.3f}" in page
