import pytest

from saccade.comparison.contender import Contender, able, read_contenders, read_size
from saccade.errors import ConfigError


def test_settings_belong_to_the_model_before_them():
    assert read_contenders("transformer,luong:score=dot,input_feeding=false,seq2seq", "translation") == (
        Contender("transformer"),
        Contender("luong", ("score=dot", "input_feeding=false")),
        Contender("seq2seq"),
    )


def test_a_setting_is_one_of_the_model_unless_it_names_its_section():
    contender = Contender("transformer", ("norm=pre", "training.clip=5"))
    assert contender.overrides == ["model.norm=pre", "training.clip=5"]
    assert contender.sets("training.clip")
    assert not contender.sets("model.clip")


def test_labels_and_folders_tell_variants_apart():
    contenders = read_contenders("transformer,transformer:norm=pre,transformer:norm=post", "translation")
    assert [one.label for one in contenders] == ["transformer", "transformer:norm=pre", "transformer:norm=post"]
    assert len({one.slug for one in contenders}) == 3
    assert contenders[1].slug == "transformer-norm-pre"


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
        read_contenders(text, "translation")


def test_only_systems_for_the_task_are_able():
    assert "transformer" in able("translation")
    assert not set(able("translation")) & set(able("language-modelling"))


@pytest.mark.parametrize(
    ("text", "size"), [("5M", 5_000_000), ("800k", 800_000), ("1.5 M", 1_500_000), ("4,200", 4200)]
)
def test_sizes_are_read(text, size):
    assert read_size(text) == size


@pytest.mark.parametrize("text", ["", "big", "-5M", "0"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(ConfigError, match="5M or 800k"):
        read_size(text)
