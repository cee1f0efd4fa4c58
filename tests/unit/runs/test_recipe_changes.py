import pytest

from saccade.errors import ConfigError
from saccade.recipes.recipe import Change, load_recipe
from saccade.runs.recipe_changes import MAY_CHANGE, adopt_recipe, changes_here, continued, extended_at


def begun(folder, *overrides, step=0):
    """A run that has taken this many steps."""
    recipe = load_recipe("tiny", overrides)
    adopt_recipe(recipe, folder)
    (folder / "journal.jsonl").touch()
    if step:
        reach(folder, step)
    return recipe


def reach(folder, step):
    """Leaves a checkpoint, as far as its name counts."""
    checkpoint = folder / "checkpoints" / f"step-{step:06d}"
    checkpoint.mkdir(parents=True)
    (checkpoint / "state.json").touch()


def goes_on(folder, *overrides):
    """The recipe in the folder after it was asked to go on with changes."""
    adopt_recipe(continued(load_recipe(folder / "recipe.toml", overrides), folder), folder)
    return load_recipe(folder / "recipe.toml")


def test_a_new_folder_gets_the_recipe(tmp_path):
    adopt_recipe(continued(load_recipe("tiny"), tmp_path), tmp_path)
    assert load_recipe(tmp_path / "recipe.toml") == load_recipe("tiny")


def test_another_recipe_is_refused_with_every_difference(tmp_path):
    begun(tmp_path)
    with pytest.raises(ConfigError) as raised:
        continued(load_recipe("tiny", ["training.seed=5", "model.dropout=0.25"]), tmp_path)
    assert "training.seed (1 -> 5)" in str(raised.value)
    assert "model.dropout (0.0 -> 0.25)" in str(raised.value)


def test_a_refusal_lists_what_may_change(tmp_path):
    begun(tmp_path)
    with pytest.raises(ConfigError) as raised:
        continued(load_recipe("tiny", ["training.batch_tokens=5000"]), tmp_path)
    assert all(key in str(raised.value).split("What may change")[1] for key in MAY_CHANGE)


@pytest.mark.parametrize("schedule", ["inverse_square_root", "linear", "constant"])
def test_more_steps_are_accepted_and_recorded_with_the_step_they_came_after(tmp_path, schedule):
    begun(tmp_path, f"training.schedule={schedule}", step=13)
    recipe = goes_on(tmp_path, "training.steps=9999")
    assert recipe.training.steps == 9999
    assert recipe.changes == (Change(13, "training.steps", 400, 9999),)
    assert extended_at(recipe) == 13


def test_every_change_stays_on_record(tmp_path):
    begun(tmp_path, step=13)
    goes_on(tmp_path, "training.patience=7", "training.validate_every=50")
    reach(tmp_path, 29)
    recipe = goes_on(tmp_path, "training.patience=none", "training.minutes=2.5")
    assert recipe.changes == (
        Change(13, "training.patience", None, 7),
        Change(13, "training.validate_every", 200, 50),
        Change(29, "training.patience", 7, None),
        Change(29, "training.minutes", None, 2.5),
    )


def test_only_the_changes_of_this_step_are_said(tmp_path):
    begun(tmp_path, step=13)
    goes_on(tmp_path, "training.average=7")
    reach(tmp_path, 29)
    recipe = goes_on(tmp_path, "training.patience=5")
    assert changes_here(recipe, tmp_path) == ["training.patience is 5 from step 29 on; it was none."]


def test_the_same_recipe_changes_nothing(tmp_path):
    begun(tmp_path, step=13)
    goes_on(tmp_path, "training.steps=9999")
    before = (tmp_path / "recipe.toml").read_bytes()
    goes_on(tmp_path, "training.steps=9999")
    assert (tmp_path / "recipe.toml").read_bytes() == before


def test_steps_may_be_fewer_but_not_fewer_than_are_taken(tmp_path):
    begun(tmp_path, step=13)
    with pytest.raises(ConfigError, match=r"`training\.steps` must be more than 13, .* but is 13\."):
        continued(load_recipe("tiny", ["training.steps=13"]), tmp_path)
    recipe = goes_on(tmp_path, "training.steps=14")
    assert recipe.training.steps == 14
    assert extended_at(recipe) is None


def test_how_the_work_is_divided_may_change(tmp_path):
    begun(tmp_path)
    recipe = goes_on(tmp_path, "training.accumulate=3", "training.placement=sharded", "training.recompute=layers")
    assert recipe.training.placement == "sharded"


def test_many_differences_are_counted_instead_of_listed(tmp_path):
    begun(tmp_path)
    with pytest.raises(ConfigError, match=r" and \d+ more\. Choose another"):
        continued(load_recipe("multi30k"), tmp_path)


def test_a_folder_where_no_step_was_taken_accepts_another_recipe(tmp_path):
    adopt_recipe(load_recipe("tiny"), tmp_path)
    assert continued(load_recipe("multi30k"), tmp_path) == load_recipe("multi30k")


def test_a_new_run_does_not_inherit_the_history_of_the_run_whose_recipe_it_takes(tmp_path):
    begun(tmp_path, step=13)
    changed = goes_on(tmp_path, "training.steps=9999")
    assert changed.changes
    assert continued(changed, tmp_path / "other").changes == ()
