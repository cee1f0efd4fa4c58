import json
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest

from saccade.comparison.compare import compare_runs
from saccade.comparison.train_all import announcement
from saccade.errors import ConfigError, InputError, RunError

pytestmark = pytest.mark.slow  # two systems are trained twice for all of them
NOW = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)
VOID = {"meta", "link", "br", "img"}


@pytest.fixture(scope="module")
def report(comparison):
    return json.loads((comparison / "report.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def page(comparison):
    return (comparison / "report.html").read_text(encoding="utf-8")


def test_every_system_is_reported_with_every_seed_in_the_order_of_its_year(report):
    assert [system["label"] for system in report["systems"]] == ["seq2seq", "transformer"]
    assert [[run["seed"] for run in system["runs"]] for system in report["systems"]] == [[1, 2], [1, 2]]


def test_all_have_about_the_same_number_of_parameters(report):
    small, large = sorted(system["parameters"] for system in report["systems"])
    assert large <= 1.1 * small


def test_all_spend_the_budget(report):
    assert {run["steps"] for system in report["systems"] for run in system["runs"]} == {4}


@pytest.mark.slow
def test_the_rules_tell_how_batches_were_laid_out(report, asked, comparing, tmp_path):
    assert any("packed without padding" in rule for rule in report["rules"])
    overrides = (*asked().overrides, "training.layout=padded")
    comparing(asked("transformer", seeds=1, overrides=overrides), tmp_path / "padded")
    rules = json.loads((tmp_path / "padded" / "report.json").read_text(encoding="utf-8"))["rules"]
    assert "Batches: padded, of similar lengths, for every system." in rules


def test_the_page_says_how_and_in_which_type_each_learned(report, page):
    """On some processors only packed batches are worth bfloat16, and then not all systems have the same."""
    _, *rows = page[page.index("share of<br>its products") :].split("<tr")
    for system, row in zip(report["systems"], rows, strict=False):
        run = system["runs"][0]
        assert f"{run['layout']} batches, eager steps, {'bfloat16' if run['bfloat16'] else 'float32'}" in row


def test_the_mean_is_that_of_the_seeds(report):
    for system in report["systems"]:
        scores = [run["score"] for run in system["runs"]]
        assert system["score"]["mean"] == pytest.approx(sum(scores) / 2)
        assert system["interval"]["low"] <= system["interval"]["high"]


def test_scores_are_those_the_runs_ended_with(report, comparison):
    for system in report["systems"]:
        for run in system["runs"]:
            result = json.loads((comparison / "runs" / run["folder"] / "result.json").read_text())
            assert run["score"] == result["scores"]["test"]["bleu"]


def test_curves_have_time_tokens_and_operations(report):
    for system in report["systems"]:
        points = system["runs"][0]["curve"]
        assert [point["step"] for point in points] == [2, 4]
        assert points[1]["tokens"] > points[0]["tokens"] > 0
        each = system["operations_per_token"]["training"]
        assert points[1]["operations"] == pytest.approx(points[1]["tokens"] * each)


def test_only_who_attends_has_alignments(report):
    shown = {system["label"]: len(system["alignments"]) for system in report["systems"]}
    assert shown == {"seq2seq": 0, "transformer": 3}
    for row in report["systems"][1]["alignments"][0]["weights"]:
        assert sum(row) <= 1.001


def test_what_papers_reported_stands_beside(report):
    assert [system["reported"][0]["value"] for system in report["systems"]] == [30.59, 27.3]


def test_structure_tells_recurrence_from_attention(report):
    constant = {one["label"]: one["structure"]["sequential_steps"]["constant"] for one in report["systems"]}
    assert constant == {"seq2seq": False, "transformer": True}


def test_the_page_is_whole_and_needs_nothing_else(page):
    class Balanced(HTMLParser):
        def __init__(self):
            super().__init__()
            self.open: list[str] = []
            self.loaded: list[str] = []

        def handle_starttag(self, tag, attributes):
            values = dict(attributes)
            self.loaded += [values[key] for key in ("src",) if key in values]
            assert tag not in ("script", "link")
            if tag not in VOID:
                self.open.append(tag)

        def handle_startendtag(self, tag, attributes):
            pass

        def handle_endtag(self, tag):
            assert self.open.pop() == tag

    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert parser.loaded == []


def test_the_page_says_what_the_report_says(page, report):
    for system in report["systems"]:
        assert f"{system['score']['mean']:.1f}" in page
        assert system["structure"]["sequential_steps"]["words"] in page
    assert page.count("<svg") == 9 + 3  # nine of the comparison, and where one system looks in three sentences


def test_no_two_elements_of_the_page_have_one_name(page):
    import re

    names = re.findall(r'\bid="([^"]+)"', page)
    assert len(names) == len(set(names))
    used = set(re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', page))
    assert used <= set(names)


def test_figures_are_there_as_pictures(comparison):
    names = {path.stem for path in (comparison / "figures").glob("*.png")}
    assert {"quality", "length", "learning-time", "learning-operations", "speed", "source-path"} <= names
    assert names == {path.stem for path in (comparison / "figures").glob("*.svg")}


def test_the_data_are_made_once(comparison):
    runs = list((comparison / "runs").iterdir())
    assert len(runs) == 4
    assert {(run / "data").resolve() for run in runs} == {(comparison / "data").resolve()}


@pytest.mark.slow
def test_asked_again_nothing_is_trained_again(comparison, asked, comparing):
    weights = sorted((comparison / "runs").glob("*/model/weights.safetensors"))
    before = [path.stat().st_mtime_ns for path in weights]
    _, said = comparing(asked(), comparison)
    assert "4 of 4 runs are finished already." in said
    assert [path.stat().st_mtime_ns for path in weights] == before


def test_a_comparison_does_not_go_on_as_another(comparison, asked, comparing):
    with pytest.raises(ConfigError, match="`overrides` was"):
        comparing(asked(overrides=("training.batch_tokens=300",)), comparison)


@pytest.mark.slow
def test_what_is_finished_is_reported_without_training_the_rest(comparison, asked, comparing):
    before = (comparison / "report.json").read_text()
    comparing(asked(seeds=3), comparison, report_only=True)
    assert len(list((comparison / "runs").iterdir())) == 4
    report = json.loads((comparison / "report.json").read_text())
    assert [len(system["runs"]) for system in report["systems"]] == [2, 2]
    assert report["systems"][0]["score"] == json.loads(before)["systems"][0]["score"]


def test_a_comparison_without_a_finished_run_cannot_be_reported(asked, comparing, tmp_path):
    with pytest.raises(RunError, match="holds no comparison"):
        comparing(asked("transformer"), tmp_path / "new", report_only=True)
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_what_will_be_run_is_announced_before_it_is(comparison, asked, comparing):
    _, said = comparing(asked(), comparison)
    assert said[0].startswith("transformer: ")
    assert "4 steps with 2 validations" in said[0]
    assert said[2] == (
        "4 runs: 2 systems with 2 seeds each, 4 steps for each run; how long that takes is told after the first."
    )


@pytest.mark.parametrize(
    ("parallel", "time"), [(1, "about 6 min"), (2, "at least about 3 min"), (3, "at least about 3 min")]
)
def test_a_budget_of_time_is_announced_with_its_total(parallel, time, planned_for_time):
    *_, total = announcement(planned_for_time, parallel)
    assert total == (
        f"4 runs: 2 systems with 2 seeds each, 1.5 minutes of training for each run; {time} in all, and the scoring "
        "at the end of each."
    )


@pytest.mark.slow
def test_finished_runs_are_compared_under_names_that_tell_them_apart(comparison, tmp_path):
    folders = sorted((comparison / "runs").glob("*-seed-1"))
    result = compare_runs(folders, tmp_path, "cpu", command="saccade compare", now=NOW)
    report = json.loads((result.out / "report.json").read_text())
    assert [system["label"] for system in report["systems"]] == ["seq2seq", "transformer"]
    assert result.page.is_file()


def test_a_run_that_is_not_finished_is_refused(tmp_path):
    with pytest.raises(InputError, match="must be a finished run"):
        compare_runs([tmp_path], tmp_path / "out", "cpu", command="", now=NOW)


@pytest.mark.parametrize(("wrong", "message"), [({"seeds": 0}, "`--seeds` must be 1")])
def test_numbers_that_make_no_sense_are_refused_before_anything_is_written(tmp_path, asked, comparing, wrong, message):
    with pytest.raises(ConfigError, match=message):
        comparing(replace(asked(), **wrong), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_learning_is_told_from_the_first_step(report):
    for system in report["systems"]:
        for run in system["runs"]:
            assert [point["step"] for point in run["training_curve"]] == [1, 2, 3, 4]
            assert run["training_curve"][-1]["tokens"] == run["tokens"]
            assert run["training_curve"][0]["loss"] > 0
            assert not run["captured"]
            assert run["floor_tokens_per_second"] > 0


def test_what_is_not_an_architecture_s_default_is_told(report):
    seq2seq, transformer = (system["own_settings"] for system in report["systems"])
    assert seq2seq["layers"] == 1
    assert "architecture" not in transformer
    assert transformer["encoder_layers"] == 1
    assert report["differences"] == {}
