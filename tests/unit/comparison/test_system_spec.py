import pytest

from saccade.comparison.system_spec import SystemSpec, read_size, read_system_specs, systems_for_task
from saccade.errors import ConfigError


def test_settings_belong_to_the_model_before_them():
    assert read_system_specs("transformer,luong:score=dot,input_feeding=false,seq2seq", "translation") == (
        SystemSpec("transformer"),
        SystemSpec("luong", ("score=dot", "input_feeding=false")),
        SystemSpec("seq2seq"),
    )


def test_a_setting_is_one_of_the_model_unless_it_names_its_section():
    spec = SystemSpec("transformer", ("norm=pre", "training.clip=5"))
    assert spec.overrides == ["model.norm=pre", "training.clip=5"]
    assert spec.sets("training.clip")
    assert not spec.sets("model.clip")


def test_labels_and_folders_tell_variants_apart():
    systems = read_system_specs("transformer,transformer:norm=pre,transformer:norm=post", "translation")
    assert [one.label for one in systems] == ["transformer", "transformer:norm=pre", "transformer:norm=post"]
    assert len({one.slug for one in systems}) == 3
    assert systems[1].slug == "transformer-norm-pre"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("transfomer", "Did you mean 'transformer'"),
        ("rnn-language-model", "one for language-modelling"),
        ("norm=pre,transformer", "must begin with a model"),
        ("transformer,transformer", "'transformer' twice"),
        ("transformer:norm", "must be key=value"),
        ("", "must be of"),
    ],
)
def test_mistakes_are_explained(text, message):
    with pytest.raises(ConfigError, match=message):
        read_system_specs(text, "translation")


def test_systems_that_would_share_a_folder_are_refused():
    """The second would be taken for finished, with the scores of the first."""
    with pytest.raises(ConfigError, match="both be kept as 'seq2seq-training.clip-1e-1'"):
        read_system_specs("seq2seq:training.clip=1e-1,seq2seq:training.clip=1e+1", "translation")


def test_only_systems_for_the_task_are_able():
    assert "transformer" in systems_for_task("translation")
    assert not set(systems_for_task("translation")) & set(systems_for_task("language-modelling"))


@pytest.mark.parametrize(
    ("text", "size"), [("5M", 5_000_000), ("800k", 800_000), ("1.5 M", 1_500_000), ("4,200", 4200)]
)
def test_sizes_are_read(text, size):
    assert read_size(text) == size


@pytest.mark.parametrize("text", ["", "big", "-5M", "0"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(ConfigError, match="5M or 800k"):
        read_size(text)
