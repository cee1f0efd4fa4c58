from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.data.config import DataConfig
from saccade.errors import ConfigError
from saccade.models.catalogue import architecture
from saccade.recipes.automatic import CorpusStatistics, Machine, choose, measure

LAPTOP = Machine(cores=2)
SERVER = Machine(cores=16, gpu_memory=80 * 2**30)
DATA = DataConfig(source="a.de", target="a.en")

machines = st.builds(Machine, st.integers(1, 256), st.none() | st.integers(2**30, 2**38))
corpora = st.builds(CorpusStatistics, st.integers(1, 10**9), st.floats(1, 200))


def files(folder: Path, sources: list[str], targets: list[str]) -> DataConfig:
    for name, lines in (("s", sources), ("t", targets)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return DataConfig(source=str(folder / "s"), target=str(folder / "t"))


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
