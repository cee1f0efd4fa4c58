import pytest

from saccade.errors import ConfigError
from saccade.recipes.recipe import load_recipe


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("training.dropout=0.1", "'model.dropout'"),
        ("model.steps=3", "'training.steps'"),
        ("training.alpha=0.5", "'decoding.alpha'"),
        ("model.vocabulary=70", "'data.vocabulary'"),
        ("decoding.seed=3", "'data.seed' or 'training.seed'"),
        ("training.dropuot=0.1", "'model.dropout'"),
        ("training.encoder_layer=3", "'model.encoder_layers'"),
        ("training.stepz=5", "'training.steps'"),
        ("training.maximum_lenght=5", "'data.maximum_length'"),
        ("dropout=0.1", "'model.dropout'"),
        ("dropuot=0.1", "'model.dropout'"),
        ("trainig.steps=3", "'training.steps'"),
    ],
)
def test_the_key_that_was_meant_is_found_in_every_section(wrong, meant):
    with pytest.raises(ConfigError) as raised:
        load_recipe("tiny", [wrong])
    assert str(raised.value).endswith(f" Did you mean {meant}?")


def test_a_name_like_no_other_gets_no_suggestion():
    with pytest.raises(ConfigError, match=r"`training\.xyzzy` is no key of a recipe\.$"):
        load_recipe("tiny", ["training.xyzzy=1"])


def test_only_keys_of_the_chosen_architecture_are_suggested():
    with pytest.raises(ConfigError) as raised:
        load_recipe("tiny", ["model.architecture=seq2seq", "model.encoder_layers=3"])
    assert "encoder_layers'?" not in str(raised.value)
    assert "Did you mean 'model.layers'?" in str(raised.value)
