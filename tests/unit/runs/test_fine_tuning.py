import json
import shutil

import pytest
import torch

from saccade.comparison.plan import base_recipe
from saccade.data.config import DataConfig
from saccade.errors import ConfigError, InputError
from saccade.layers.adapters import add_adapters, merged
from saccade.models.catalogue import build
from saccade.recipes.automatic import Machine, choose, measure
from saccade.recipes.automatic_fine_tuning import FEWEST, choose_fine_tuning
from saccade.recipes.fine_tuning import FineTuning, peak_rate
from saccade.recipes.recipe import load_recipe
from saccade.runs.fine_tuning import begin_from
from saccade.runs.run import resolve_recipe, train
from saccade.serving.bundle import Bundle
from saccade.serving.described_model import build_for_replay
from saccade.training.journal import read_journal, repeatable
from saccade.weights import restore_weights, weights_of

SHORT = (
    "training.steps=4",
    "training.validate_every=3",
    "training.checkpoint_every=2",
    "training.journal_every=1",
    "training.average=2",
    "training.batch_tokens=128",
    "data.maximum_length=20",
    "decoding.size=1",
    "decoding.extra_length=1",
)


@pytest.fixture(scope="module")
def parent(bundle, tmp_path_factory):
    """A model folder in int8, as the shipped ones are."""
    folder = tmp_path_factory.mktemp("parent") / "old"
    made = bundle("transformer")
    Bundle(**{**vars(made), "storage": "int8"}).save(folder, "# old\n")
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    words = ("Two", "men", "are", "talking", "dog", "runs", "sea", "book", "tea")
    lines = [f"{one} {other} ." for one in words for other in words]
    (folder / "new.en").write_text("".join(f"{line}\n" for line in lines))
    (folder / "new.es").write_text("".join(f"{line.upper()}\n" for line in lines))
    return DataConfig(source=str(folder / "new.en"), target=str(folder / "new.es"))


def tune(data, out, parent, *more, stop_at=None):
    overrides = [f"fine_tuning.model={parent}", *SHORT, *more]
    return train(data, out, overrides=overrides, device="cpu", stop_at=stop_at)


@pytest.fixture(scope="module", params=[pytest.param("all weights", marks=pytest.mark.slow), "adapters"])
def tuned(request, data, parent, tmp_path_factory):
    more = ("fine_tuning.adapters=2",) if request.param == "adapters" else ()
    out = tmp_path_factory.mktemp("runs") / "tuned"
    return tune(data, out, parent, *more), more


def folder_weights(folder):
    return weights_of(Bundle.load(folder).model)


def test_an_interrupted_run_continues_to_the_same_end_without_the_parent(tuned, data, parent, tmp_path):
    whole, more = tuned
    gone = shutil.copytree(parent, tmp_path / "gone")
    stopped = tune(data, tmp_path / "run", gone, *more, stop_at=3)
    assert stopped.interrupted
    shutil.rmtree(gone)
    continued = tune(data, tmp_path / "run", gone, *more)
    assert repeatable(read_journal(continued.folder / "journal.jsonl")) == repeatable(
        read_journal(whole.folder / "journal.jsonl")
    )
    file = "model/weights.safetensors"
    assert (continued.folder / file).read_bytes() == (whole.folder / file).read_bytes()


def test_shape_and_vocabulary_are_those_of_the_parent(tuned, parent):
    old, new = Bundle.load(parent), Bundle.load(tuned[0].folder / "model")
    assert new.model_config == old.model_config
    assert new.source_tokenizer == old.source_tokenizer
    assert (new.source_language, new.target_language) == (old.source_language, old.target_language)
    assert folder_weights(parent).keys() == folder_weights(tuned[0].folder / "model").keys()


def test_adapters_change_the_linear_maps_alone(tuned, parent):
    before, after = folder_weights(parent), folder_weights(tuned[0].folder / "model")
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    linear = {name for name, tensor in before.items() if tensor.ndim == 2 and "embedding" not in name}
    assert changed == linear if tuned[1] else changed == before.keys()


def test_the_card_names_the_parent_and_its_digest(tuned, parent):
    card = (tuned[0].folder / "model" / "card.md").read_text()
    assert f"fine-tuned from `{parent}`" in card
    assert json.loads((parent / "config.json").read_text())["seal"] in card
    assert ("adapters of rank 2" in card) == bool(tuned[1])


@pytest.mark.parametrize("adapters", [None, 2])
def test_a_run_begins_from_the_weights_of_the_parent(parent, adapters):
    old = Bundle.load(parent)
    model = build("transformer", old.model_config, old.source_tokenizer.size, old.target_tokenizer.size)
    begin_from(model, FineTuning(str(parent), adapters, old.digest), weights=True)
    before, after = folder_weights(parent), weights_of(merged(model))
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_a_step_with_adapters_can_be_replayed(parent):
    saved = Bundle.load(parent)
    model, config = saved.model, saved.model_config
    add_adapters(model, 2)
    sizes = {"source_vocabulary": model.source_vocabulary, "target_vocabulary": model.target_vocabulary}
    about = {"architecture": saved.architecture, "model": vars(config), **sizes, "adapters": 2}
    again = build_for_replay("somewhere", about, weights_of(model))
    restore_weights(again, weights_of(model))


def test_the_recipe_in_the_folder_is_whole(tuned, parent):
    recipe = load_recipe(tuned[0].folder / "recipe.toml")
    assert recipe.fine_tuning is not None
    assert recipe.fine_tuning.model == str(parent)
    assert recipe.training.learning_rate < 0.01


def test_another_model_in_the_place_of_the_parent_is_refused(data, parent, bundle, tmp_path):
    place = shutil.copytree(parent, tmp_path / "parent")
    choice = resolve_recipe(data, tmp_path / "run", overrides=[f"fine_tuning.model={place}", *SHORT])
    bundle("transformer", heads=1).save(place, "# another\n")
    with pytest.raises(InputError, match="is another"):
        train(choice.recipe, tmp_path / "run", device="cpu")


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("model.width=64", "must be that of the model"),
        ("model.architecture=luong", "must be that of the model"),
        ("model.score=dot", "must be that of the model"),
        ("data.vocabulary=500", "must be that of the model"),
        ("data.pieces=word", "must be that of the model"),
        ("data.task=pronunciation", "must be that of the model"),
        ("fine_tuning.adapters=0", "1 or more"),
        ("fine_tuning.rank=4", "no key"),
        ("fine_tuning.model=nowhere", "must be a folder of a model"),
    ],
)
def test_what_cannot_be_kept_is_refused(data, parent, tmp_path, override, said):
    with pytest.raises((ConfigError, InputError), match=said):
        resolve_recipe(data, tmp_path / "run", overrides=[f"fine_tuning.model={parent}", override])


@pytest.mark.parametrize(
    ("architecture", "said"),
    [("ngram", "counts"), ("self-attentive", "outputs are text"), ("neural-probabilistic", None)],
)
def test_what_counts_or_gives_labels_is_refused(data, bundle, tmp_path, architecture, said):
    bundle(architecture).save(tmp_path / "old", "# old\n")
    text = DataConfig(source=data.source)
    overrides = [f"fine_tuning.model={tmp_path / 'old'}", *SHORT[:-2], "training.steps=1"]
    if said is None:
        assert train(text, tmp_path / "run", overrides=overrides, device="cpu").steps == 1
        return
    with pytest.raises(ConfigError, match=said):
        train(text, tmp_path / "run", overrides=overrides, device="cpu")
    assert not (tmp_path / "run").exists()


def test_a_recipe_file_begins_from_a_model_and_is_refused_by_comparisons(data, parent, tmp_path):
    place = tmp_path / "mine.toml"
    place.write_text(f'[data]\nsource = "{data.source}"\ntarget = "{data.target}"\n[fine_tuning]\nmodel = "{parent}"\n')
    recipe = load_recipe(place)
    assert recipe.model == Bundle.load(parent).model_config
    assert recipe.training.learning_rate == peak_rate(recipe.model.width, None)
    assert load_recipe(place, ["fine_tuning.adapters=4"]).training.learning_rate == peak_rate(recipe.model.width, 4)
    with pytest.raises(ConfigError, match="must train from nothing"):
        base_recipe(str(place), ())


def test_the_automatic_recipe_reads_a_text_a_third_as_often_as_a_new_model_does(data, parent):
    machine, begins = Machine(cores=2), [f"fine_tuning.model={parent}"]
    small = ["training.batch_tokens=64"]
    fresh = choose(data, measure(data), machine, small).recipe.training
    tuned = choose_fine_tuning(data, machine, [*begins, *small]).recipe.training
    assert tuned.steps == pytest.approx(fresh.steps / 3, rel=0.1)
    assert choose_fine_tuning(data, machine, begins).recipe.training.steps == FEWEST  # of a text this short
