import json
import shutil
from pathlib import Path

import pytest
import torch

from saccade.data.config import DataConfig
from saccade.errors import ConfigError, InputError, MemoryFullError, RunError, SaccadeError
from saccade.recipes.recipe import Change, load_recipe
from saccade.recipes.toml import write_recipe
from saccade.runs.run import check_that_it_can_be_built, resolve_recipe, train
from saccade.serving.loading import load
from saccade.training.checkpoint import average_checkpoints
from saccade.training.journal import read_journal, repeatable
from saccade.training.lock import run_lock
from saccade.weights import weights_of

SHORT = (
    "training.steps=12",
    "training.validate_every=5",
    "training.checkpoint_every=4",
    "training.journal_every=3",
    "training.average=2",
    "training.batch_tokens=256",
    "model.dropout=0.1",
    "model.width=16",
    "decoding.size=1",
    "decoding.extra_length=1",
    "model.inner_width=24",
)


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """Made corpora go to a folder of the tests, not to that of the person who runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory, cache):
    out = tmp_path_factory.mktemp("runs") / "whole"
    events: list[dict] = []
    result = train("tiny", out, overrides=SHORT, device="cpu", listeners=(events.append,))
    return result, events


def scored(result):
    return {split: dict(scores) for split, scores in result.scores.items()}


def test_a_run_leaves_everything_that_was_promised(finished_run):
    folder = finished_run[0].folder
    names = {path.name for path in folder.iterdir()}
    assert {"recipe.toml", "journal.jsonl", "checkpoints", "model", "data", "result.json"} <= names


def test_the_recipe_in_the_folder_is_the_one_that_ran(finished_run):
    assert load_recipe(finished_run[0].folder / "recipe.toml") == load_recipe("tiny", SHORT)


def test_the_model_can_be_loaded_and_used(finished_run):
    assert len(load(finished_run[0].folder, device="cpu").translate(["a b c", "d e"])) == 2


def test_listeners_hear_notes_steps_and_the_journal(finished_run):
    heard = {event["event"] for event in finished_run[1]}
    assert {"note", "preparing", "step", "train", "validation", "checkpoint", "stop"} <= heard


def test_a_finished_run_is_left_alone(finished_run):
    folder = finished_run[0].folder
    before = (folder / "model" / "config.json").stat().st_mtime_ns
    again = train("tiny", folder, overrides=SHORT, device="cpu")
    assert again.finished_before
    assert scored(again) == scored(finished_run[0])
    assert (folder / "model" / "config.json").stat().st_mtime_ns == before


def test_a_run_goes_on_without_naming_its_recipe(finished_run):
    assert train(None, finished_run[0].folder, device="cpu").finished_before


def test_a_run_continued_with_another_torch_says_so(tmp_path):
    train("tiny", tmp_path / "run", overrides=SHORT, device="cpu", stop_at=6)
    journal = tmp_path / "run/journal.jsonl"
    other = "0.0.0"  # as long as the version that it replaces: a checkpoint knows how long the journal is
    other += "0" * (len(torch.__version__) - len(other))
    journal.write_text(journal.read_text().replace(f'"torch": "{torch.__version__}"', f'"torch": "{other}"'))
    events = []
    train("tiny", tmp_path / "run", overrides=SHORT, device="cpu", listeners=(events.append,))
    notes = [event["text"] for event in events if "last digits" in event.get("text", "")]
    assert len(notes) == 1
    assert f"torch was {other}, is {torch.__version__}." in notes[0]


def test_an_interrupted_run_continues_to_the_same_end(finished_run, tmp_path):
    stopped = train("tiny", tmp_path / "run", overrides=SHORT, device="cpu", stop_at=6)
    assert stopped.interrupted
    assert stopped.model is None
    events = []
    continued = train("tiny", tmp_path / "run", overrides=SHORT, device="cpu", listeners=(events.append,))
    assert not [event for event in events if "last digits" in event.get("text", "")]
    whole = finished_run[0].folder
    assert scored(continued) == scored(finished_run[0])
    assert repeatable(read_journal(continued.folder / "journal.jsonl")) == repeatable(
        read_journal(whole / "journal.jsonl")
    )
    weights = "model/weights.safetensors"
    assert (continued.folder / weights).read_bytes() == (whole / weights).read_bytes()


@pytest.fixture(scope="module")
def extended_run(finished_run, tmp_path_factory):
    """The finished run with nineteen steps in place of twelve, the last of them between two checkpoints."""
    out = shutil.copytree(finished_run[0].folder, tmp_path_factory.mktemp("extended") / "run")
    heard: list[dict] = []
    return train(None, out, overrides=("training.steps=19",), device="cpu", listeners=(heard.append,)), heard


@pytest.mark.slow
def test_a_finished_run_with_more_steps_ends_with_the_bits_of_a_run_begun_with_so_many(extended_run, tmp_path):
    longer = extended_run[0]
    whole = train("tiny", tmp_path / "run", overrides=(*SHORT, "training.steps=19"), device="cpu")
    assert (longer.steps, longer.finished_before) == (19, False)
    assert scored(longer) == scored(whole)
    for name in ("model/weights", "checkpoints/step-000019/weights", "checkpoints/step-000019/optimizer"):
        path = f"{name}.safetensors"
        assert (longer.folder / path).read_bytes() == (whole.folder / path).read_bytes(), name
    journals = [
        [event for event in repeatable(read_journal(one.folder / "journal.jsonl")) if event["event"] == "train"]
        for one in (longer, whole)
    ]
    assert journals[0] == journals[1]


@pytest.mark.slow
def test_an_end_between_two_checkpoints_does_not_stay_among_those_that_are_averaged(extended_run, tmp_path):
    """With twenty steps from the beginning there would be no checkpoint at step 19."""
    out = shutil.copytree(extended_run[0].folder, tmp_path / "run")
    train(None, out, overrides=("training.steps=20",), device="cpu")
    mean = average_checkpoints([out / "checkpoints" / f"step-{step:06d}" for step in (16, 20)])
    model = weights_of(load(out, device="cpu").bundle.model)
    assert all(torch.equal(model[name], tensor) for name, tensor in mean.items())


def test_the_recipe_and_the_card_of_an_extended_run_tell_what_changed_and_when(extended_run):
    folder, said = extended_run[0].folder, [event.get("text") for event in extended_run[1]]
    assert load_recipe(folder / "recipe.toml").changes == (Change(12, "training.steps", 12, 19),)
    words = "training.steps is 19 from step 12 on; it was 12"
    assert f"{words}." in said
    assert f"changed on the way: {words}" in (folder / "model" / "card.md").read_text()


def test_an_extended_run_goes_on_by_the_command_without_changes(extended_run):
    again = train(None, extended_run[0].folder, device="cpu")
    assert (again.steps, again.finished_before) == (19, True)


@pytest.mark.slow
def test_a_linear_schedule_is_that_of_the_new_number_of_steps(tmp_path):
    linear = (*SHORT, "training.schedule=linear", "training.warmup=4")
    train("tiny", tmp_path / "run", overrides=linear, device="cpu", stop_at=6)
    heard: list[dict] = []
    train(None, tmp_path / "run", overrides=("training.steps=20",), device="cpu", listeners=(heard.append,), stop_at=7)
    (step,) = [event for event in heard if event["event"] == "step"]
    peak = 0.25 / (16 * 4) ** 0.5
    assert (step["step"], step["learning_rate"]) == (7, pytest.approx(peak * (20 - 7) / (20 - 4)))
    assert any("falls in a straight line to step 20" in event.get("text", "") for event in heard)


PATIENT = (*SHORT, "training.learning_rate_factor=1e-30", "training.validate_every=1", "training.patience=2")


@pytest.fixture(scope="module")
def patient_run(tmp_path_factory, cache):
    """A run that has learned nothing, and was ended for it."""
    result = train("tiny", tmp_path_factory.mktemp("patient") / "run", overrides=PATIENT, device="cpu")
    assert (result.steps, result.ending) == (3, "patience")
    return result.folder


@pytest.mark.parametrize(
    ("change", "steps"), [("training.patience=4", 5), pytest.param("training.steps=13", 5, marks=pytest.mark.slow)]
)
def test_a_run_that_ended_by_patience_goes_on_with_more_of_it_or_with_more_steps(patient_run, tmp_path, change, steps):
    out = shutil.copytree(patient_run, tmp_path / "run")
    assert train(None, out, overrides=(change,), device="cpu", stop_at=4).interrupted
    assert train(None, out, device="cpu").steps == steps


def test_a_change_that_does_not_let_the_run_go_on_is_told(patient_run, tmp_path):
    out = shutil.copytree(patient_run, tmp_path / "run")
    heard: list[dict] = []
    result = train(None, out, overrides=("training.average=3",), device="cpu", listeners=(heard.append,))
    assert result.steps == 3
    assert any("`training.patience` has ended the run. Raise it" in event.get("text", "") for event in heard)


def test_another_recipe_in_the_same_folder_is_refused(finished_run):
    with pytest.raises(ConfigError, match=r"model\.width"):
        train("tiny", finished_run[0].folder, overrides=(*SHORT, "model.width=32"), device="cpu")


def test_a_folder_without_a_run_needs_a_recipe(tmp_path):
    with pytest.raises(ConfigError, match="holds no run yet"):
        train(None, tmp_path)


def test_two_trainings_in_one_folder_are_refused(tmp_path):
    from datetime import datetime

    with run_lock(tmp_path, datetime(2026, 1, 1)), pytest.raises(RunError, match="must be free"):
        train("tiny", tmp_path, overrides=SHORT, device="cpu")


def test_the_weights_of_a_run_start_from_its_seed_alone(tmp_path):
    starts = []
    for seed, disturbance in ((1, 0), (1, 99), (2, 0)):
        torch.manual_seed(disturbance)
        out = tmp_path / f"{seed}-{disturbance}"
        train("tiny", out, overrides=(*SHORT, f"training.seed={seed}"), device="cpu", stop_at=1)
        starts.append((out / "checkpoints" / "step-000001" / "weights.safetensors").read_bytes())
    assert starts[0] == starts[1] != starts[2]


def test_two_files_are_enough(tmp_path):
    lines = [f"{first} {second} {third}" for first in "abcde" for second in "fghij" for third in "kl"]
    for name in ("s", "t"):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    data = DataConfig(source=str(tmp_path / "s"), target=str(tmp_path / "t"))
    result = train(data, tmp_path / "run", overrides=("training.steps=3", "training.warmup=2"), device="cpu")
    assert set(result.scores) == {"valid"}
    assert load_recipe(tmp_path / "run" / "recipe.toml").data.source == str(tmp_path / "s")


def test_a_result_holds_only_what_json_can_hold(finished_run):
    result = json.loads((finished_run[0].folder / "result.json").read_text())
    assert result["scores"] == scored(finished_run[0])


def test_a_relative_path_means_the_same_after_a_change_of_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("s", "t"):
        Path(name).write_text("".join(f"{first} {second}\n" for first in "abcdefg" for second in "hijkl"))
    data = DataConfig(source="s", target="t")
    overrides = ("training.steps=3", "training.warmup=2")
    train(data, tmp_path / "run", overrides=overrides, device="cpu", stop_at=1)
    monkeypatch.chdir("/")
    assert train(None, tmp_path / "run", device="cpu").steps == 3


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"overrides": "training.steps=3"}, "`overrides` must be a list"),
        ({"device": "abacus"}, "`device` must be one that is here, but is 'abacus'"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_written(tmp_path, wrong, message):
    with pytest.raises(ConfigError, match=message):
        train("tiny", tmp_path / "run", **wrong)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("wrong", ["empty", "shorter", "missing"])
@pytest.mark.parametrize("with_recipe", [False, True])
def test_files_that_are_refused_leave_no_folder(tmp_path, wrong, with_recipe):
    (tmp_path / "a").write_text("one two\n" * 40)
    if wrong != "missing":
        (tmp_path / "b").write_text("" if wrong == "empty" else "eins zwei\n" * 39)
    data = DataConfig(source=str(tmp_path / "a"), target=str(tmp_path / "b"))
    overrides = ["data.corpus=none", f"data.source={data.source}", f"data.target={data.target}"]
    before = sorted(tmp_path.iterdir())
    recipe = load_recipe("tiny", overrides) if with_recipe else data
    with pytest.raises(SaccadeError):
        train(recipe, tmp_path / "runs" / "run", device="cpu")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("lines", [0, 2, 4])
def test_test_files_that_cannot_be_scored_are_refused_before_training(tmp_path, lines):
    for name in "abc":
        (tmp_path / name).write_text("one two\nthree\none four\n")
    (tmp_path / "d").write_text("eins\n" * lines)
    files = {"source": "a", "target": "b", "test_source": "c", "test_target": "d"}
    data = DataConfig(**{key: str(tmp_path / name) for key, name in files.items()})
    heard: list[dict] = []
    with pytest.raises(InputError, match="must have the same number of lines, but have 3 and"):
        train(data, tmp_path / "run", device="cpu", listeners=(heard.append,))
    assert "preparing" not in {event["event"] for event in heard}
    assert not (tmp_path / "run").exists()


def test_files_whose_run_has_started_keep_the_recipe_chosen_then(tmp_path):
    data = DataConfig(source=str(tmp_path / "a"), target=str(tmp_path / "b"))
    out = tmp_path / "run"
    out.mkdir()
    for lines in (31, 40_000):
        (tmp_path / "a").write_text("one two\n" * lines)
        (tmp_path / "b").write_text("eins zwei\n" * lines)
        if lines == 31:
            first = resolve_recipe(data, out, device="cpu", overrides=["training.seed=5"]).recipe
            write_recipe(first, out / "recipe.toml")
            assert resolve_recipe(data, out, device="cpu").recipe != first  # no step has been taken yet
            (out / "journal.jsonl").touch()
    assert resolve_recipe(data, out, device="cpu").recipe == first


RNNSEARCH = ("model.architecture=rnnsearch", "model.width=8")


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ((*RNNSEARCH, "model.score=dot"), r"'dot' multiplies query and key, .* 8 and 16 numbers"),
        (
            ("model.architecture=rnnsearch", "training.layout=packed"),
            r"`training.layout` must be auto or padded for rnnsearch, which reads no packed batches .* Leave it out",
        ),
        (("model.maximum_length=16",), r"`data.maximum_length` must be at most `model.maximum_length`, 16, but is 32"),
    ],
)
def test_what_needs_no_text_to_be_known_is_refused_before_text_is_read(overrides, message, tmp_path, monkeypatch):
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path / "cache"))
    heard = []
    with pytest.raises(ConfigError, match=message):
        train("tiny", tmp_path / "run", overrides=overrides, device="cpu", listeners=(heard.append,))
    assert heard == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("overrides", [(), (*RNNSEARCH, "model.score=general")])
def test_what_can_be_built_is_not_refused(overrides):
    check_that_it_can_be_built(load_recipe("tiny", overrides))


@pytest.mark.parametrize("width", [1_000_000, 10_000_000_000])
def test_a_model_too_large_for_any_machine_is_told_to_shrink(tmp_path, width):
    with pytest.raises(MemoryFullError, match=r"model of the recipe tiny must fit .* smaller widths.* under \[model\]"):
        train("tiny", tmp_path / "run", overrides=[f"model.width={width}"])
    assert list(tmp_path.iterdir()) == []
