import pytest

from saccade.errors import FormatError
from saccade.recipes.recipe import load_recipe
from saccade.runs.run_folder import RunResult, finished, write_result


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


def test_an_interrupted_run_has_no_model_yet(tmp_path):
    assert RunResult(tmp_path, 3, "interrupted").model is None


def test_a_finished_run_that_averages_more_is_not_finished(tmp_path):
    finished_run(tmp_path, load_recipe("tiny"))
    assert finished(load_recipe("tiny", ["training.average=3"]), tmp_path) is None


def test_a_finished_run_that_writes_its_journal_more_often_is_finished(tmp_path):
    finished_run(tmp_path, load_recipe("tiny"))
    assert finished(load_recipe("tiny", ["training.journal_every=7"]), tmp_path) is not None
