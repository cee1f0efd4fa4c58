import json

import pytest

from saccade.errors import FormatError
from saccade.evaluation.report import EvaluationReport
from saccade.recipes.recipe import load_recipe
from saccade.runs.run_folder import RunResult, finished, read_evaluation, write_evaluation, write_result


def finished_run(folder, recipe, steps=7):
    (folder / "model").mkdir()
    (folder / "model" / "config.json").touch()
    result = RunResult(folder, steps, "steps", {"valid": {"bleu": 31.5}})
    write_result(recipe, result)
    return result


def test_a_folder_without_a_result_is_not_finished(tmp_path):
    assert finished(load_recipe("tiny"), tmp_path) is None


def test_a_finished_folder_gives_back_its_result(tmp_path):
    written = finished_run(tmp_path, load_recipe("tiny"))
    found = finished(load_recipe("tiny"), tmp_path)
    assert (found.steps, found.scores, found.finished_before) == (written.steps, written.scores, True)


def test_a_finished_run_that_gets_more_steps_is_not_finished(tmp_path):
    finished_run(tmp_path, load_recipe("tiny"))
    assert finished(load_recipe("tiny", ["training.steps=9999"]), tmp_path) is None


def test_a_result_whose_model_was_removed_is_not_finished(tmp_path):
    finished_run(tmp_path, load_recipe("tiny"))
    (tmp_path / "model" / "config.json").unlink()
    assert finished(load_recipe("tiny"), tmp_path) is None


def test_a_damaged_result_is_named(tmp_path):
    finished_run(tmp_path, load_recipe("tiny"))
    (tmp_path / "result.json").write_text("{")
    with pytest.raises(FormatError, match=r"result\.json"):
        finished(load_recipe("tiny"), tmp_path)


def rewrite(path, change):
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def test_an_edited_score_is_refused(tmp_path):
    finished_run(tmp_path, load_recipe("tiny"))
    rewrite(tmp_path / "result.json", lambda held: held["scores"]["valid"].update(bleu=99.9))
    with pytest.raises(FormatError, match=r"result\.json` must be JSON that saccade wrote, but is damaged or altered"):
        finished(load_recipe("tiny"), tmp_path)


def test_a_result_from_before_results_were_sealed_is_read(tmp_path):
    finished_run(tmp_path, load_recipe("tiny"))
    rewrite(tmp_path / "result.json", lambda held: [held.pop(key) for key in ("format", "seal")])
    assert finished(load_recipe("tiny"), tmp_path).scores == {"valid": {"bleu": 31.5}}


@pytest.mark.parametrize("key", ["format", "seal"])
def test_a_result_that_lost_its_seal_is_refused(tmp_path, key):
    finished_run(tmp_path, load_recipe("tiny"))
    rewrite(tmp_path / "result.json", lambda held: held.pop(key))
    with pytest.raises(FormatError, match=r"result\.json"):
        finished(load_recipe("tiny"), tmp_path)


@pytest.mark.parametrize(
    "content", ["[]", "{}", '{"format": -1}', '{"steps": 7, "ending": "steps", "scores": [], "limits": {}}']
)
def test_a_result_of_another_shape_is_refused(tmp_path, content):
    finished_run(tmp_path, load_recipe("tiny"))
    (tmp_path / "result.json").write_text(content)
    with pytest.raises(FormatError, match=r"result\.json.* Remove it and continue the run\."):
        finished(load_recipe("tiny"), tmp_path)


def test_an_edited_evaluation_is_refused_and_one_from_before_seals_is_read(tmp_path):
    report = EvaluationReport("translation", "bleu", 3, (), "words", (), {})
    write_evaluation(tmp_path, {"test": report})
    assert read_evaluation(tmp_path) == {"test": report.to_data()}
    rewrite(tmp_path / "evaluation.json", lambda held: held["test"].update(lines=5))
    with pytest.raises(FormatError, match=r"evaluation\.json` must be JSON that saccade wrote, but is damaged"):
        read_evaluation(tmp_path)
    rewrite(tmp_path / "evaluation.json", lambda held: held.pop("seal"))
    assert read_evaluation(tmp_path)["test"]["lines"] == 5


def test_an_interrupted_run_has_no_model_yet(tmp_path):
    assert RunResult(tmp_path, 3, "interrupted").model is None


def test_a_finished_run_that_averages_more_is_not_finished(tmp_path):
    finished_run(tmp_path, load_recipe("tiny"))
    assert finished(load_recipe("tiny", ["training.average=3"]), tmp_path) is None


def test_a_finished_run_that_writes_its_journal_more_often_is_finished(tmp_path):
    finished_run(tmp_path, load_recipe("tiny"))
    assert finished(load_recipe("tiny", ["training.journal_every=7"]), tmp_path) is not None
