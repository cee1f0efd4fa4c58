from contextlib import suppress

from saccade.errors import ConfigError
from saccade.recipes.recipe import load_recipe
from saccade.runs.recipe_changes import adopt_recipe
from saccade.runs.refusal import leaving_nothing_when_refused, missing_folders


def refuse(folder, *left):
    """A run in the folder that takes its lock, leaves files, and is refused."""
    made = missing_folders(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lock").touch()
    with suppress(ConfigError), leaving_nothing_when_refused(folder, made):
        adopt_recipe(load_recipe("tiny"), folder)
        for name in left:
            (folder / name).touch()
        raise ConfigError("no such corpus")


def test_a_folder_made_for_a_refused_run_goes_with_those_above_it(tmp_path):
    refuse(tmp_path / "runs" / "mine")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_was_there_before_stays_with_its_lock(tmp_path):
    (tmp_path / "notes.txt").touch()
    refuse(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", "notes.txt"]


def test_an_empty_folder_that_was_there_before_stays(tmp_path):
    refuse(tmp_path)
    assert tmp_path.is_dir()


def test_a_folder_with_anything_else_in_it_stays(tmp_path):
    refuse(tmp_path / "runs" / "mine", "data")
    assert sorted(path.name for path in (tmp_path / "runs" / "mine").iterdir()) == ["data", "lock"]


def test_an_earlier_recipe_comes_back(tmp_path):
    adopt_recipe(load_recipe("multi30k"), tmp_path)
    refuse(tmp_path)
    assert load_recipe(tmp_path / "recipe.toml") == load_recipe("multi30k")


def test_whatever_stood_in_place_of_the_recipe_comes_back(tmp_path):
    (tmp_path / "recipe.toml").write_bytes(b"\xff no recipe")
    refuse(tmp_path)
    assert (tmp_path / "recipe.toml").read_bytes() == b"\xff no recipe"


def test_the_recipe_of_a_run_that_has_started_stays_when_it_fails(tmp_path):
    refuse(tmp_path / "mine", "journal.jsonl")
    assert load_recipe(tmp_path / "mine" / "recipe.toml") == load_recipe("tiny")
