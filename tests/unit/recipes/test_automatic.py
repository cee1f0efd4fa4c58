import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.data.config import DataConfig
from saccade.errors import ConfigError
from saccade.models.catalogue import architecture
from saccade.recipes.automatic import CorpusStatistics, Machine, asked_data, choose, measure
from saccade.training.schedule import learning_rate

LAPTOP = Machine(cores=2)
SERVER = Machine(cores=16, gpu_memory=80 * 2**30)
DATA = DataConfig(source="a.de", target="a.en")

machines = st.builds(Machine, st.integers(1, 256), st.none() | st.integers(2**30, 2**38))
corpora = st.builds(CorpusStatistics, st.integers(1, 10**9), st.floats(1, 200))


def files(folder: Path, sources: list[str], targets: list[str]) -> DataConfig:
    for name, lines in (("s", sources), ("t", targets)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return DataConfig(source=str(folder / "s"), target=str(folder / "t"))


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no such shares of a machine")
def test_a_process_with_a_share_of_the_cores_counts_those():
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        assert Machine.here("cpu") == Machine(cores=1)
    finally:
        os.sched_setaffinity(0, cores)


@given(corpora, machines)
def test_there_is_a_recipe_for_every_corpus_and_machine(corpus, machine):
    choice = choose(DATA, corpus, machine)
    training = choice.recipe.training
    assert training.batch_tokens > choice.recipe.data.maximum_length
    assert training.warmup < training.steps
    assert choice.reasons


@given(corpora, corpora, machines)
def test_a_larger_corpus_never_gets_a_smaller_model_or_vocabulary(one, other, machine):
    smaller, larger = sorted((one, other), key=lambda corpus: corpus.pairs)
    low, high = choose(DATA, smaller, machine).recipe, choose(DATA, larger, machine).recipe
    assert low.model.width <= high.model.width
    assert low.model.encoder_layers <= high.model.encoder_layers
    assert low.data.vocabulary <= high.data.vocabulary


def test_millions_of_pairs_and_a_gpu_get_the_base_model_of_the_paper():
    model = choose(DATA, CorpusStatistics(5_000_000, 25.0), SERVER).recipe.model
    assert (model.encoder_layers, model.width, model.inner_width, model.heads, model.dropout) == (6, 512, 2048, 8, 0.1)


def test_a_cpu_gets_a_smaller_model_than_a_gpu_and_is_told_why():
    corpus = CorpusStatistics(5_000_000, 25.0)
    slow, fast = choose(DATA, corpus, LAPTOP), choose(DATA, corpus, SERVER)
    assert slow.recipe.model.width < fast.recipe.model.width
    assert any("No GPU" in reason for reason in slow.reasons)


def test_a_hundred_pairs_are_trained_in_few_steps_on_a_small_model():
    recipe = choose(DATA, CorpusStatistics(100, 7.0), LAPTOP).recipe
    assert recipe.training.steps <= 2_000
    assert recipe.model.width <= 64


def test_a_vocabulary_that_was_asked_for_is_kept():
    data = DataConfig(source="a", target="b", vocabulary=777)
    assert choose(data, CorpusStatistics(5_000, 7.0), LAPTOP).recipe.data.vocabulary == 777


@pytest.mark.parametrize(
    ("source", "target", "overrides", "languages"),
    [
        ("a.de", "a.en", [], ("de", "en")),
        ("a.de.gz", "b/train.en.xz", [], ("de", "en")),
        ("a.src", "a.tgt", [], (None, None)),
        ("a.de", "a.txt", [], (None, None)),
        ("a.en", "b.en", [], (None, None)),
        ("a.de", "a.en", ["data.source_language=nl"], ("nl", None)),
        ("a.de", "a.en", ["data.task=pronunciation"], (None, None)),
    ],
)
def test_languages_are_those_that_the_files_are_called_after(source, target, overrides, languages):
    data = DataConfig(source=source, target=target)
    choice = choose(data, CorpusStatistics(1_000, 10.0), LAPTOP, overrides)
    found = choice.recipe.data
    assert (found.source_language, found.target_language) == languages
    assert any(reason.startswith("From de to en") for reason in choice.reasons) == (languages == ("de", "en"))


def test_an_override_goes_before_a_rule():
    corpus = CorpusStatistics(5_000, 7.0)
    assert choose(DATA, corpus, LAPTOP, ["training.steps=123"]).recipe.training.steps == 123


def test_letters_and_phones_do_not_share_their_embeddings():
    data = DataConfig(source="a", target="b", task="pronunciation")
    assert choose(data, CorpusStatistics(5_000, 7.0), LAPTOP).recipe.model.tie == "target"


def test_a_corpus_is_measured_by_its_longer_sides(tmp_path):
    corpus = measure(files(tmp_path, ["one two", "one"], ["eins", "eins zwei drei"]))
    assert corpus == CorpusStatistics(pairs=2, symbols=2.5)


def test_without_a_source_there_is_nothing_to_choose_from():
    with pytest.raises(ConfigError, match="--source"):
        measure(DataConfig())


TEXT = DataConfig(source="a.txt", task="language-modelling")
LABELLED = DataConfig(source="a.txt", target="b.txt", task="classification")


@pytest.mark.parametrize("data", [TEXT, LABELLED], ids=lambda data: data.task)
@given(corpora, machines)
def test_every_task_gets_an_architecture_that_does_it(data, corpus, machine):
    recipe = choose(data, corpus, machine).recipe
    assert architecture(recipe.architecture).task == data.task
    assert recipe.training.label_smoothing == 0
    assert recipe.training.learning_rate is not None


@pytest.mark.parametrize(
    ("data", "name"), [(TEXT, "transformer-language-model"), (LABELLED, "transformer-classifier")], ids=lambda one: one
)
def test_text_gets_the_decoder_alone_and_labels_the_encoder_alone(data, name):
    choice = choose(data, CorpusStatistics(5_000_000, 25.0), SERVER)
    model = choice.recipe.model
    assert choice.recipe.architecture == name
    assert (model.layers, model.width, model.inner_width, model.heads, model.norm) == (6, 512, 2048, 8, "pre")
    assert choice.recipe.training.clip is None
    assert "6 layers of width 512" in " ".join(choice.reasons)


def test_an_architecture_that_was_asked_for_is_sized_by_its_own_keys():
    recipe = choose(TEXT, CorpusStatistics(5_000, 7.0), LAPTOP, ["model.architecture=key-value-predict"]).recipe
    assert recipe.architecture == "key-value-predict"
    assert recipe.model.width == 128
    recipe = choose(DATA, CorpusStatistics(5_000, 7.0), LAPTOP, ['model.architecture = "seq2seq"']).recipe
    assert recipe.architecture == "seq2seq"


def test_text_is_measured_by_its_lines(tmp_path):
    (tmp_path / "text").write_text("one two three\n\none\n")
    data = DataConfig(source=str(tmp_path / "text"), task="language-modelling")
    assert measure(data) == CorpusStatistics(pairs=2, symbols=2.0)


CORPUS = CorpusStatistics(20_000, 11.0)
FOLLOWING = ["training.warmup=50", "model.width=64"]


def said(*overrides: str, data: DataConfig = DATA, corpus: CorpusStatistics = CORPUS) -> str:
    return " ".join(choose(data, corpus, LAPTOP, overrides).reasons)


def highest_rate(recipe) -> float:
    steps = range(1, recipe.training.steps + 1)
    return max(learning_rate(step, recipe.model.width, recipe.training) for step in steps)


@pytest.mark.parametrize("overrides", [[], FOLLOWING, ["training.steps=300"], ["model.width=512"]])
def test_the_highest_rate_is_the_one_that_is_said(overrides):
    recipe = choose(DATA, CORPUS, LAPTOP, overrides).recipe
    assert f"to {highest_rate(recipe):.2g}." in said(*overrides)


def test_the_rate_follows_from_the_width_and_not_from_the_warmup():
    rates = [
        highest_rate(choose(DATA, CORPUS, LAPTOP, [f"model.width={width}", f"training.warmup={warmup}"]).recipe)
        for width in (256, 512)
        for warmup in (7, 70)
    ]
    assert rates == pytest.approx([0.25 / 256, 0.25 / 256, 0.25 / 512, 0.25 / 512])


def test_a_rate_that_was_set_is_the_highest_one_and_said():
    overrides = ["training.learning_rate=0.0007", *FOLLOWING]
    assert highest_rate(choose(DATA, CORPUS, LAPTOP, overrides).recipe) == pytest.approx(0.0007)
    assert "to 0.0007." in said(*overrides)


@pytest.mark.parametrize("override", ["training.learning_rate_factor=0.5", "training.learning_rate=none"])
def test_the_rate_of_the_paper_can_be_had(override):
    recipe = choose(DATA, CORPUS, LAPTOP, [override]).recipe
    assert recipe.training.learning_rate is None
    assert "to the paper's, which depends on the width" in said(override)


def test_what_depends_on_the_width_follows_it():
    model = choose(DATA, CORPUS, LAPTOP, ["model.width=90"]).recipe.model
    assert (model.width, model.inner_width) == (90, 360)
    assert model.width % model.heads == 0


def test_what_depends_on_the_steps_follows_them():
    training = choose(DATA, CORPUS, LAPTOP, ["training.steps=700"]).recipe.training
    assert (training.warmup, training.validate_every, training.checkpoint_every) == (70, 35, 17)


def test_a_short_run_is_not_spent_on_validations_and_checkpoints():
    training = choose(DATA, CORPUS, LAPTOP, ["training.steps=60"]).recipe.training
    assert (training.validate_every, training.checkpoint_every) == (25, 10)


def test_smaller_batches_get_more_steps():
    few, many = (choose(DATA, CORPUS, LAPTOP, [f"training.batch_tokens={size}"]).recipe for size in (2000, 1000))
    assert many.training.steps == pytest.approx(2 * few.training.steps, rel=0.1)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("model.width=90", "layers of width 90"),
        ("model.encoder_layers=5", "5+3 layers"),
        ("model.dropout=0.45", "dropout 0.45"),
        ("training.batch_tokens=777", "777 tokens a batch"),
        ("training.steps=1234", "1,234 steps"),
        ("training.warmup=77", "rises until step 77, "),
        ("training.validate_every=33", "Validation every 33 steps"),
        ("training.patience=9", "9 without improvement"),
        ("training.patience=none", "it ends after the last step"),
        ("training.average=3", "The last 3 checkpoints"),
        ("data.vocabulary=555", "At most 555 pieces"),
    ],
)
def test_what_is_said_is_what_was_set(override, words):
    assert words in said(override)
    assert words not in said()


def test_letters_are_counted_as_characters_and_text_in_lines():
    assert "of about 11 characters" in said(data=DataConfig(source="a", target="b", task="pronunciation"))
    assert "20,000 lines of about 11 words" in said(data=TEXT)
    assert "20,000 labelled texts" in said(data=LABELLED)


@pytest.mark.parametrize("override", ["training.dropout=0.1", "model.widthh=7", "data.pairs=7"])
def test_an_unknown_key_is_refused_before_text_is_read(override):
    with pytest.raises(ConfigError, match="is no key of a recipe"):
        asked_data(DataConfig(source="no such file", target="none"), [override])


@pytest.mark.parametrize(
    ("pairs", "task", "overrides", "noise"),
    [
        (20_000, "translation", (), (1.0, 4)),
        (20_000, "translation", ("data.noise=0",), (0.0, 1)),
        (20_000, "translation", ("data.noise=0.5",), (0.5, 1)),
        (10_000, "translation", (), (0.0, 1)),
        (20_000, "summarisation", (), (0.0, 1)),
    ],
)
def test_a_translator_gets_noise_where_there_are_pairs_to_spare(pairs, task, overrides, noise):
    data = DataConfig(source="a.de", target="a.en", task=task)
    choice = choose(data, CorpusStatistics(pairs, 9.0), LAPTOP, overrides)
    assert (choice.recipe.data.noise, choice.recipe.data.sampled_copies) == noise
    assert any("Noise" in reason for reason in choice.reasons) == (noise == (1.0, 4))
