from pathlib import Path

import pytest

from saccade.errors import ConfigError
from saccade.models.catalogue import architecture
from saccade.recipes.recipe import list_recipes, load_recipe


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_recipe_without_a_name_is_called_after_its_file(tmp_path):
    assert load_recipe(written(tmp_path, 'summary = "s"')).name == "mine"


def test_a_key_that_is_not_written_has_its_default(tmp_path):
    assert load_recipe(written(tmp_path, "[training]\nwarmup = 7")).training.beta2 == 0.98


def test_an_unknown_key_names_the_nearest_one(tmp_path):
    with pytest.raises(ConfigError, match=r"`training\.stepz` is no key .* Did you mean 'training\.steps'\?"):
        load_recipe(written(tmp_path, "[training]\nstepz = 7"))


def test_an_unknown_section_names_the_nearest_one(tmp_path):
    with pytest.raises(ConfigError, match=r"`trainin` is no key of a recipe\. Did you mean 'training'\?"):
        load_recipe(written(tmp_path, "[trainin]\nsteps = 7"))


def test_an_unknown_architecture_names_the_nearest_one(tmp_path):
    with pytest.raises(ConfigError, match="Did you mean 'transformer'"):
        load_recipe(written(tmp_path, '[model]\narchitecture = "transfomer"'))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("learning_rate_factor = inf", "`training.learning_rate_factor` must be finite, but is inf."),
        ("label_smoothing = nan", "`training.label_smoothing` must be finite, but is nan."),
        ('steps = "7"', "`training.steps` must be a whole number, but is '7'."),
        ("steps = 7.0", "`training.steps` must be a whole number, but is 7.0."),
        ("steps = true", "`training.steps` must be a whole number, but is True."),
        (f"steps = {2**63}", f"`training.steps` must fit into 64 bits, as every whole number in TOML, but is {2**63}."),
        ('minutes = "long"', "`training.minutes` must be a number or 'none', but is 'long'."),
        (
            "schedule = 3",
            "`training.schedule` must be one of 'inverse_square_root', 'without_warmup', 'linear', 'cosine', "
            "'constant', 'halving', 'plateau', but is 3.",
        ),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(tmp_path, line, message):
    with pytest.raises(ConfigError) as raised:
        load_recipe(written(tmp_path, f"[training]\n{line}"))
    assert str(raised.value) == message


def test_a_whole_number_is_a_number(tmp_path):
    assert load_recipe(written(tmp_path, "[training]\nminutes = 3")).training.minutes == 3.0


def test_a_section_that_is_a_single_value_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"`training` must be a section"):
        load_recipe(written(tmp_path, "training = 3"))


def test_a_file_that_is_no_toml_is_refused_in_one_line(tmp_path):
    with pytest.raises(ConfigError, match="must be a TOML file") as raised:
        load_recipe(written(tmp_path, "[training\nsteps = 3"))
    assert "\n" not in str(raised.value)


def test_an_unknown_recipe_names_the_nearest_one():
    with pytest.raises(ConfigError, match="Did you mean 'multi30k'"):
        load_recipe("mulit30k")


def test_a_missing_file_is_named():
    with pytest.raises(ConfigError, match=r"there is no file 'no/such\.toml'"):
        load_recipe("no/such.toml")


def test_a_recipe_changes_only_what_it_writes_of_the_one_it_is_based_on(tmp_path):
    base = load_recipe("vaswani2017-base")
    recipe = load_recipe(written(tmp_path, 'based_on = "vaswani2017-base"\n[training]\nwarmup = 31'))
    changed = {key for key, value in recipe.keys().items() if base.keys()[key] != value}
    assert changed == {"training.warmup"}


def test_a_recipe_may_be_based_on_a_file_beside_it(tmp_path, monkeypatch):
    (tmp_path / "recipes").mkdir()
    (tmp_path / "recipes" / "base.toml").write_text("[training]\nwarmup = 31")
    recipe = written(tmp_path / "recipes", 'based_on = "base.toml"')
    monkeypatch.chdir(tmp_path)
    assert load_recipe(recipe).training.warmup == 31
    (tmp_path / "base.toml").write_text("[training]\nwarmup = 37")
    assert load_recipe(recipe).training.warmup == 31
    (tmp_path / "recipes" / "base.toml").unlink()
    assert load_recipe(recipe).training.warmup == 37


def test_departures_are_inherited(tmp_path):
    recipe = load_recipe(written(tmp_path, 'based_on = "vaswani2017-base"'))
    assert recipe.departures == load_recipe("vaswani2017-base").departures != ()


def test_a_recipe_based_on_itself_is_refused(tmp_path):
    path = tmp_path / "mine.toml"
    written(tmp_path, f'based_on = "{path}"')
    with pytest.raises(ConfigError, match="is based on itself"):
        load_recipe(path)


@pytest.mark.parametrize("absolute", [True, False])
def test_two_recipes_based_on_each_other_are_refused(tmp_path, absolute):
    one, other = tmp_path / "there" / "one.toml", tmp_path / "there" / "other.toml"
    one.parent.mkdir()
    one.write_text(f'based_on = "{other if absolute else "../there/other.toml"}"')
    other.write_text(f'based_on = "{one if absolute else "../there/one.toml"}"')
    with pytest.raises(ConfigError, match="is based on itself"):
        load_recipe(one)


@pytest.mark.parametrize(
    ("override", "key", "value"),
    [
        ("training.steps=17", "training.steps", 17),
        ("training.steps = 17", "training.steps", 17),
        ("training.clip=0.5", "training.clip", 0.5),
        ("training.patience=none", "training.patience", None),
        ("data.source_language=fr", "data.source_language", "fr"),
        ('data.source_language="fr"', "data.source_language", "fr"),
        ("data.test_source=2017", "data.test_source", "2017"),
        ("data.test_source=a=b.txt", "data.test_source", "a=b.txt"),
        ("model.norm=pre", "model.norm", "pre"),
    ],
)
def test_an_override_changes_its_key(override, key, value):
    assert load_recipe("vaswani2017-base", [override]).keys()[key] == value


@pytest.mark.parametrize("override", ["training.steps", "steps=3", "=3", "trainig.steps=3", "name=x"])
def test_an_override_of_no_section_is_refused(override):
    with pytest.raises(ConfigError, match="must be section.key=value"):
        load_recipe("tiny", [override])


def test_an_override_of_an_unknown_key_names_the_nearest_one():
    with pytest.raises(ConfigError, match=r"Did you mean 'training\.checkpoint_every'"):
        load_recipe("tiny", ["training.checkpoint_evry=3"])


def test_an_override_cannot_smuggle_in_a_second_key():
    with pytest.raises(ConfigError, match=r"`training\.steps` must be a whole number"):
        load_recipe("tiny", ["training.steps=3\nwarmup=4"])


def test_the_last_of_two_overrides_counts():
    assert load_recipe("tiny", ["training.steps=3", "training.steps=5"]).training.steps == 5


def test_overriding_a_recipe_leaves_the_first_one_alone():
    recipe = load_recipe("tiny")
    assert recipe.with_overrides(["training.seed=13"]).training.seed == 13 != recipe.training.seed


def test_every_shipped_recipe_says_what_it_is_for():
    assert all(summary.endswith(".") for summary in list_recipes().values())


def test_another_architecture_starts_from_its_own_defaults():
    recipe = load_recipe("multi30k", ["model.dropout=0.25", "model.architecture=seq2seq"])
    assert recipe.model == architecture("seq2seq").config(dropout=0.25)


def test_the_same_architecture_keeps_its_sizes():
    recipe = load_recipe("multi30k")
    assert load_recipe("multi30k", ["model.architecture=transformer"]) == recipe
    assert load_recipe("multi30k", ['model.architecture="transformer"']) == recipe


@pytest.mark.parametrize("name", ["rnn-language-model", "self-attentive"])
def test_an_architecture_that_does_another_task_is_refused(name):
    with pytest.raises(ConfigError, match=rf"must be one that does translation .*, but '{name}' does "):
        load_recipe("multi30k", [f"model.architecture={name}"])


def test_pronunciation_is_done_by_what_translates():
    assert load_recipe("cmudict", ["model.architecture=seq2seq"]).data.task == "pronunciation"


def test_labels_are_not_smoothed():
    with pytest.raises(ConfigError, match="`training.label_smoothing` must be 0.0 for classification, but is 0.1"):
        load_recipe("sources", ["training.label_smoothing=0.1"])


def test_another_optimizer_leaves_behind_what_only_the_first_one_uses():
    recipe = load_recipe("gehring2017", ["training.optimizer=adam"])
    assert recipe.training.momentum == 0.0
    assert load_recipe("gehring2017", ["training.optimizer=sgd"]).training.momentum == 0.99


def test_a_key_of_another_optimizer_that_is_asked_for_is_refused():
    with pytest.raises(
        ConfigError, match="`training.momentum` must be left out with adam, since only sgd, nesterov and muon"
    ):
        load_recipe("gehring2017", ["training.optimizer=adam", "training.momentum=0.9"])


@pytest.mark.parametrize("value", ["[" * 10_000, "1" * 5_000, "{", "\ud800"], ids=["deep", "long", "open", "half"])
def test_a_value_that_cannot_be_read_is_refused(tmp_path, value):
    with pytest.raises(ConfigError, match=r"^`training\.steps` must be a whole number"):
        load_recipe("tiny", [f"training.steps={value}"])
    path = tmp_path / "mine.toml"
    path.write_bytes(f"[training]\nsteps = {value}".encode("utf-8", "surrogatepass"))
    with pytest.raises(ConfigError, match=r"mine\.toml` must be a TOML file, but cannot be read as one"):
        load_recipe(path)


def test_a_text_may_be_spelled_like_a_number_that_is_not_finite():
    assert load_recipe("multi30k", ["data.source_language=nan"]).data.source_language == "nan"
