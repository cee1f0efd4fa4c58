import os

import pytest

from saccade.errors import ConfigError, InputError
from saccade.recipes.recipe import load_recipe
from saccade.runs.output_folder import check_output_folder
from saccade.runs.recipe_changes import adopt_recipe
from saccade.runs.run import train


def everything(folder):
    """Every path below, with what a file holds; a pipe is not opened."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.fixture
def begun(tmp_path):
    """A run that has taken a step."""
    (tmp_path / "run").mkdir()
    adopt_recipe(load_recipe("tiny"), tmp_path / "run")
    (tmp_path / "run" / "journal.jsonl").touch()
    (tmp_path / "run" / "lock").touch()
    return tmp_path / "run"


def test_a_new_an_empty_and_a_begun_folder_may_be_runs(tmp_path, begun):
    check_output_folder(tmp_path / "new")
    (tmp_path / "empty").mkdir()
    check_output_folder(tmp_path / "empty")
    check_output_folder(begun)
    (begun / "notes.txt").write_text("mine")
    (begun / "more").mkdir()
    check_output_folder(begun)


@pytest.mark.parametrize("left", [".recipe.toml.partial", ".recipe.toml.partial-2", ".data.partial"])
def test_what_a_kill_left_of_a_write_is_no_obstacle(tmp_path, left):
    (tmp_path / "lock").touch()
    (tmp_path / left).touch()
    check_output_folder(tmp_path)


def test_prepared_data_may_be_there_before_a_run(tmp_path):
    (tmp_path / "prepared").mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "data").symlink_to("../prepared")
    check_output_folder(tmp_path / "run")


@pytest.mark.parametrize("name", ["thesis.tex", "config.json", ".git", "checkpoints", "model", "evaluation.json"])
def test_a_folder_of_somebody_else_is_refused_and_stays_as_it_is(name, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / name).write_text("work of years")
    before = everything(tmp_path)
    with pytest.raises(InputError, match="holds other files"):
        train("tiny", out)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("inside", ["data/corpus.txt", "model/config.json", "model/pytorch_model.bin"])
def test_a_folder_of_somebody_else_inside_a_run_is_refused_before_training(inside, begun):
    (begun / inside).parent.mkdir()
    (begun / inside).write_text("{}")
    before = everything(begun)
    with pytest.raises(InputError, match=f"{inside.split('/')[0]}` must be .* but holds other files"):
        train("tiny", begun)
    assert everything(begun) == before


@pytest.mark.parametrize("name", ["journal.jsonl", "lock", "result.json", "recipe.toml", "checkpoints", "model"])
def test_a_named_pipe_in_a_run_is_refused_and_not_waited_for(name, begun):
    if (begun / name).exists():
        (begun / name).unlink()
    os.mkfifo(begun / name)
    with pytest.raises(InputError, match="named pipe"):
        train("tiny", begun)
    assert (begun / name).is_fifo()


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"notes\.txt` must be a folder, but is a file"):
        train("tiny", tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_recipe_written_by_hand_is_not_replaced(tmp_path):
    (tmp_path / "recipe.toml").write_text('# my best settings\nbased_on = "tiny"\n')
    before = everything(tmp_path)
    with pytest.raises(InputError, match=r"recipe\.toml` must be the recipe of a run that saccade began"):
        train(tmp_path / "recipe.toml", tmp_path)
    assert everything(tmp_path) == before


def test_a_recipe_of_a_run_that_took_no_step_may_be_replaced(begun):
    (begun / "journal.jsonl").unlink()
    check_output_folder(begun)


def test_a_refused_run_leaves_nothing_behind(tmp_path):
    out = tmp_path / "runs" / "mine"
    before = everything(tmp_path)
    missing = ["data.corpus=none", f"data.source={tmp_path / 'none.de'}", f"data.target={tmp_path / 'none.en'}"]
    with pytest.raises(InputError, match=r"none\.de"):
        train("tiny", out, overrides=missing)
    assert everything(tmp_path) == before
    with pytest.raises(ConfigError, match="`model.maximum_length`"):
        train("tiny", out, overrides=["data.maximum_length=100000"])
    assert everything(tmp_path) == before


def test_the_log_of_a_comparison_may_be_there_first(tmp_path):
    (tmp_path / "train.log").write_text("$ saccade train\n")
    check_output_folder(tmp_path)
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="holds other files"):
        check_output_folder(tmp_path)
