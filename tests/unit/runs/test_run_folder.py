import pytest

from saccade.errors import ConfigError, FormatError
from saccade.recipes.recipe import load_recipe
from saccade.runs.run_folder import RunResult, adopt_recipe, finished, removing_refused_recipe, write_result


def finished_run(folder, recipe, steps=7):
    (folder / "model").mkdir()
    (folder / "model" / "config.json").touch()
    result = RunResult(folder, steps, "steps", {"valid": {"bleu": 31.5}})
    write_result(recipe, result)
    return result


def test_a_new_folder_gets_the_recipe(tmp_path):
    adopt_recipe(load_recipe("tiny"), tmp_path)
    assert load_recipe(tmp_path / "recipe.toml") == load_recipe("tiny")


def begun(recipe, folder):
    """A run that has taken a step."""
    adopt_recipe(recipe, folder)
    (folder / "journal.jsonl").touch()


def test_another_recipe_is_refused_with_every_difference(tmp_path):
    begun(load_recipe("tiny"), tmp_path)
    other = load_recipe("tiny", ["training.seed=5", "model.dropout=0.25"])
    with pytest.raises(ConfigError) as raised:
        adopt_recipe(other, tmp_path)
    assert "training.seed (1 -> 5)" in str(raised.value)
    assert "model.dropout (0.0 -> 0.25)" in str(raised.value)


def test_more_steps_are_accepted_and_written(tmp_path):
    recipe = load_recipe("tiny")
    begun(recipe, tmp_path)
    adopt_recipe(recipe.with_overrides(["training.steps=9999"]), tmp_path)
    assert load_recipe(tmp_path / "recipe.toml").training.steps == 9999


def test_fewer_steps_are_refused(tmp_path):
    begun(load_recipe("tiny"), tmp_path)
    with pytest.raises(ConfigError, match=r"training\.steps"):
        adopt_recipe(load_recipe("tiny", ["training.steps=3"]), tmp_path)


def test_a_limit_may_be_lifted(tmp_path):
    begun(load_recipe("tiny", ["training.minutes=3"]), tmp_path)
    adopt_recipe(load_recipe("tiny"), tmp_path)
    assert load_recipe(tmp_path / "recipe.toml").training.minutes is None


def test_how_the_work_is_divided_may_change(tmp_path):
    begun(load_recipe("tiny", ["training.schedule=linear"]), tmp_path)
    divided = ["training.accumulate=3", "training.placement=sharded", "training.recompute=layers"]
    adopt_recipe(load_recipe("tiny", ["training.schedule=linear", *divided]), tmp_path)
    assert load_recipe(tmp_path / "recipe.toml").training.placement == "sharded"


def test_steps_are_fixed_where_the_learning_rate_depends_on_them(tmp_path):
    begun(load_recipe("tiny", ["training.schedule=linear"]), tmp_path)
    with pytest.raises(ConfigError, match=r"training\.steps"):
        adopt_recipe(load_recipe("tiny", ["training.schedule=linear", "training.steps=9999"]), tmp_path)


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


def test_many_differences_are_counted_instead_of_listed(tmp_path):
    begun(load_recipe("tiny"), tmp_path)
    with pytest.raises(ConfigError, match=r" and \d+ more\. Choose another"):
        adopt_recipe(load_recipe("multi30k"), tmp_path)


def test_a_folder_where_no_step_was_taken_accepts_another_recipe(tmp_path):
    adopt_recipe(load_recipe("tiny"), tmp_path)
    adopt_recipe(load_recipe("multi30k"), tmp_path)
    assert load_recipe(tmp_path / "recipe.toml") == load_recipe("multi30k")


def test_a_recipe_that_cannot_be_run_is_taken_back(tmp_path):
    adopt_recipe(load_recipe("tiny"), tmp_path)
    with pytest.raises(ConfigError, match="no such corpus"), removing_refused_recipe(tmp_path):
        raise ConfigError("no such corpus")
    assert not (tmp_path / "recipe.toml").exists()


def test_the_recipe_of_a_run_that_began_stays_when_it_fails(tmp_path):
    begun(load_recipe("tiny"), tmp_path)
    with pytest.raises(ConfigError, match="disk"), removing_refused_recipe(tmp_path):
        raise ConfigError("disk")
    assert (tmp_path / "recipe.toml").exists()
