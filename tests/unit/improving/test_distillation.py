from dataclasses import replace

import pytest

from saccade.data.catalogue import find
from saccade.data.config import DataConfig
from saccade.errors import ConfigError, InputError
from saccade.improving.distillation import distill
from saccade.improving.pipeline import Improvement, improve
from saccade.recipes.recipe import load_recipe
from saccade.runs.run import train
from saccade.serving.loading import load

SHORT = (
    "training.steps=2",
    "training.average=1",
    "training.warmup=1",
    "training.batch_tokens=128",
    "data.maximum_length=40",
    "data.vocabulary=330",
    "decoding.size=1",
    "decoding.extra_length=1",
    "model.encoder_layers=1",
    "model.decoder_layers=1",
    "model.width=8",
    "model.inner_width=8",
    "model.heads=1",
)
STUDENT = """
based_on = "student-small"
[data]
vocabulary = 330
maximum_length = 40
[model]
encoder_layers = 1
decoder_layers = 1
width = 8
inner_width = 8
heads = 1
[training]
steps = 2
average = 1
warmup = 1
batch_tokens = 128
[decoding]
size = 1
extra_length = 1
"""


class Killed(BaseException):
    pass


def killing(translations):
    for number, translation in enumerate(translations):
        if number == 20:
            raise Killed
        yield translation


@pytest.fixture
def data(tmp_path):
    words = ("Two", "men", "are", "talking", "dog", "runs", "sea", "tea")
    lines = [f"{one} {other} ." for one in words for other in words]
    (tmp_path / "a.en").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "a.es").write_text("".join(f"{line.upper()}\n" for line in lines))
    return DataConfig(source=str(tmp_path / "a.en"), target=str(tmp_path / "a.es"))


@pytest.fixture
def teachers(bundle, tmp_path):
    """Two models that share their tokenizers."""
    for name, variant in (("one", {}), ("two", {"inner_width": 12})):
        bundle("transformer", **variant).save(tmp_path / name, "# teacher\n")
    return [tmp_path / "one", tmp_path / "two"]


@pytest.mark.slow
def test_a_student_learns_from_an_ensemble_and_can_be_stopped_in_both_halves(teachers, data, tmp_path):
    settings = {"overrides": SHORT, "reference_share": 0.25, "device": "cpu"}
    whole = distill(teachers, data, tmp_path / "whole", **settings)
    with pytest.raises(Killed):
        distill(teachers, data, tmp_path / "out", **settings, watch=killing)
    assert not (tmp_path / "out" / "recipe.toml").exists()
    again = distill(teachers, data, tmp_path / "out", **settings)
    for name in ("teacher/target.txt", "model/weights.safetensors"):
        assert (whole.folder / name).read_bytes() == (again.folder / name).read_bytes()
    sources = (tmp_path / "a.en").read_text().splitlines()
    assert (tmp_path / "out" / "teacher" / "target.txt").read_text().splitlines() == load(
        *teachers, device="cpu"
    ).translate(sources, repair=False)
    recipe = load_recipe(again.folder / "recipe.toml")
    assert (recipe.model.encoder_layers, recipe.data.source) == (1, data.source)
    assert (recipe.data.mix_target, recipe.data.mix_share) == ((data.target,), 0.25)
    assert distill(teachers, data, tmp_path / "out", **settings).finished_before


TINY_STUDENT = """
based_on = "tiny"
[training]
steps = 2
average = 1
[decoding]
size = 1
"""


@pytest.mark.slow
def test_a_student_learns_what_its_teacher_writes_for_the_corpus_of_its_recipe(tmp_path):
    (tmp_path / "student.toml").write_text(TINY_STUDENT)
    teacher = train(load_recipe(tmp_path / "student.toml"), tmp_path / "teacher", device="cpu").folder
    student = str(tmp_path / "student.toml")
    made = distill(teacher, DataConfig(), tmp_path / "out", student=student, reference_share=0.25, device="cpu")
    recipe, own = load_recipe(made.folder / "recipe.toml"), find("toy-reverse").splits["train"]
    assert (recipe.data.corpus, recipe.data.target) == ("toy-reverse", str(made.folder / "teacher" / "target.txt"))
    assert (recipe.data.mix_target, recipe.data.mix_share) == ((str(own.target),), 0.25)
    written = (made.folder / "teacher" / "target.txt").read_text().splitlines()
    assert len(written) == len(own.source.read_text().splitlines())
    card = (made.folder / "model" / "card.md").read_text()
    assert "from `toy-reverse`" in card
    assert "not the corpus's own, but those of" in card
    assert "On the test split" in card


@pytest.mark.slow
def test_the_pipeline_goes_on_where_it_was_stopped(data, tmp_path):
    (tmp_path / "student.toml").write_text(STUDENT)
    asked = Improvement(
        data,
        target_text=data.target,
        source_text=data.source,
        rounds=2,
        student=str(tmp_path / "student.toml"),
        overrides=SHORT,
    )
    whole = improve(asked, tmp_path / "whole", device="cpu")
    said = []
    with pytest.raises(Killed):
        improve(asked, tmp_path / "out", device="cpu", watch=killing, say=said.append)
    assert said[-1].startswith("sources-1")
    again = improve(asked, tmp_path / "out", device="cpu")
    assert whole.folder.name == again.folder.name == "student"
    for name in ("sources-2/source.txt", "backward-1/model/weights.safetensors", "student/model/weights.safetensors"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "out" / name).read_bytes()
    with pytest.raises(ConfigError, match="`rounds` was 2 and is 1"):
        improve(Improvement(data, data.target, data.source), tmp_path / "out")


def test_what_cannot_be_done_is_refused_before_anything_is_written(teachers, data, tmp_path):
    with pytest.raises(ConfigError, match="come with references"):
        distill(teachers, DataConfig(source=data.source), tmp_path / "out", reference_share=0.5)
    with pytest.raises(ConfigError, match="Pass --source"):
        distill(teachers, DataConfig(), tmp_path / "out")
    with pytest.raises(ConfigError, match="`target` must come with the sources"):
        distill(teachers, DataConfig(target=data.target), tmp_path / "out", student="tiny")
    with pytest.raises(ConfigError, match="must translate forward to reversed, as .tiny. does, but"):
        distill(teachers, DataConfig(), tmp_path / "out", student="tiny")
    with pytest.raises(InputError, match="must be a folder of a model"):
        distill("nowhere", data, tmp_path / "out")
    with pytest.raises(ConfigError, match="shipped recipe"):
        distill(teachers, data, tmp_path / "out", student="tiny-student")
    wrong = replace(data, valid_source=str(tmp_path / "none.en"), valid_target=data.target)
    with pytest.raises(InputError, match="none.en` must be a readable file"):
        distill(teachers, wrong, tmp_path / "out")
    with pytest.raises(ConfigError, match="`model.heads`|heads"):
        distill(teachers, data, tmp_path / "out", overrides=["model.heads=3"])
    empty = tmp_path / "empty.en"
    empty.touch()
    with pytest.raises(InputError, match="empty.en` must hold at least one line"):
        distill(teachers, replace(data, source=str(empty)), tmp_path / "out")
    with pytest.raises(InputError, match="empty.en` must hold at least one line"):
        improve(Improvement(data, str(empty)), tmp_path / "out")
    with pytest.raises(ConfigError, match=r"`model.heads`|heads"):
        improve(Improvement(data, data.target, overrides=("model.heads=3",)), tmp_path / "out")
    with pytest.raises(InputError, match="none.es` must be a readable file"):
        improve(Improvement(data, str(tmp_path / "none.es")), tmp_path / "out")
    with pytest.raises(ConfigError, match="--source-text"):
        Improvement(data, data.target, rounds=2)
    with pytest.raises(ConfigError, match="both be files"):
        Improvement(DataConfig(source=data.source), data.target)
    assert not (tmp_path / "out").exists()
