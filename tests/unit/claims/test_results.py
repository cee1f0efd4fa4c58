import json
from dataclasses import replace
from datetime import datetime

import pytest
import torch

from saccade.claims.catalogue import CLAIMS
from saccade.claims.claim import Judgement, Verdict
from saccade.claims.results import RECORDED, load, measure, save
from saccade.errors import FormatError

NOW = datetime(2026, 11, 15)


@pytest.fixture(scope="module")
def result():
    return measure(CLAIMS["A2"], NOW, lambda _: None, seeds=2)


def test_what_is_saved_is_what_is_loaded(result, tmp_path):
    save(result, tmp_path)
    assert load(CLAIMS["A2"], tmp_path) == result


def test_what_was_found_is_judged_anew(result, tmp_path):
    save(replace(result, verdict="does not hold", because="An earlier wording."), tmp_path)
    assert load(CLAIMS["A2"], tmp_path) == result


def test_findings_without_something_the_rule_asks_for_do_not_count(result, tmp_path):
    save(replace(result, findings=[{"something else": 1.0}, {"something else": 1.0}]), tmp_path)
    assert load(CLAIMS["A2"], tmp_path) is None


def test_nothing_is_loaded_where_nothing_was_saved(tmp_path):
    assert load(CLAIMS["A2"], tmp_path) is None


def test_what_was_measured_under_another_rule_does_not_count(result, tmp_path):
    save(replace(result, rule="Whatever comes out."), tmp_path)
    assert load(CLAIMS["A2"], tmp_path) is None


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 1}', '{"format": 2}'])
def test_a_damaged_file_is_named(text, tmp_path):
    (tmp_path / "A2.json").write_text(text)
    with pytest.raises(
        FormatError, match=r"A2\.json` (must be JSON that saccade wrote|must have a format|is damaged or altered)"
    ):
        load(CLAIMS["A2"], tmp_path)


def test_a_seed_gives_the_same_findings_again_and_another_gives_others(result):
    assert measure(CLAIMS["A2"], NOW, lambda _: None, seeds=2).findings == result.findings
    assert result.findings[0] != result.findings[1]


@pytest.mark.slow
def test_a_trained_claim_gives_the_same_findings_again():
    first, second = (measure(CLAIMS["W4"], NOW, lambda _: None, seeds=1) for _ in range(2))
    assert first.findings == second.findings


def test_counts_are_kept_to_the_last_digit_and_other_numbers_to_six():
    claim = replace(
        CLAIMS["W1"], measure=lambda *_: {"x": [2_097_152.0, 1 / 3]}, judge=lambda _: Judgement(Verdict.HOLDS, ".")
    )
    assert measure(claim, NOW, lambda _: None).findings == [{"x": [2_097_152.0, 0.333333]}]


def test_measuring_leaves_the_generator_of_torch_as_it_was():
    torch.manual_seed(41)
    expected = torch.rand(3)
    torch.manual_seed(41)
    measure(CLAIMS["W4"], NOW, lambda _: None, seeds=1)
    assert torch.equal(torch.rand(3), expected)


def test_progress_rises_to_one():
    heard = []
    measure(CLAIMS["A3"], NOW, heard.append, seeds=2)
    assert heard == sorted(heard)
    assert heard[-1] == 1.0
    assert 0.5 in heard


def test_the_file_says_with_what_and_when_it_was_measured(result, tmp_path):
    save(result, tmp_path)
    held = json.loads((tmp_path / "A2.json").read_text())
    assert held["date"] == "2026-11-15"
    assert held["torch"] == str(torch.__version__)
    assert held["seeds"] == [0, 1]


@pytest.mark.parametrize("path", sorted(RECORDED.glob("*.json")), ids=lambda path: path.stem)
def test_what_is_recorded_was_measured_under_the_rule_of_today(path):
    result = load(CLAIMS[path.stem], RECORDED)
    assert result is not None, "Its rule was changed: measure it again, or delete it."
    assert len(result.seeds) == CLAIMS[path.stem].seeds
    written = json.loads(path.read_text(encoding="utf-8"))
    assert (written["verdict"], written["because"]) == (result.verdict, result.because), "Load and save it."
