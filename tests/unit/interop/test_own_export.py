"""An export of ours whose saccade.json lies is refused in a line: its seal can be computed by anybody."""

import json

import pytest
from tests.unit.interop.trained import Trained, make, small_tokenizers

from saccade.errors import FormatError
from saccade.interop.huggingface_export import export
from saccade.interop.own_export import read_back
from saccade.json_files import sealed
from saccade.models.transformer import TransformerConfig

CONFIG = TransformerConfig(encoder_layers=2, decoder_layers=1, width=12, inner_width=7, heads=3, maximum_length=67)


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder, (tokenizer, _) = tmp_path_factory.mktemp("made") / "out", small_tokenizers()
    export(Trained(make(CONFIG, (tokenizer, tokenizer)), tokenizer, tokenizer), folder, "A card.")
    return folder


@pytest.fixture
def refused(exported, tmp_path):
    """Reads a copy that says something else of its model; gives the one line."""

    def reads(model):
        for path in exported.iterdir():
            (tmp_path / path.name).write_bytes(path.read_bytes())
        content = json.loads((exported / "saccade.json").read_text())
        changed = {**content, "model": model(content["model"])}
        (tmp_path / "saccade.json").write_text(json.dumps(sealed(changed)))
        with pytest.raises(FormatError) as problem:
            read_back(tmp_path)
        assert "\n" not in str(problem.value)
        return str(problem.value)

    return reads


def test_the_copy_is_read_where_nothing_lies(exported):
    found = read_back(exported)
    assert found is not None
    assert found.model_config == CONFIG


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"encoder_layers": 3}, "differs in 'model.encoder.layers.2."),
        ({"encoder_layers": 1}, "differs in 'model.encoder.layers.1."),
        ({"encoder_layers": 1 << 40}, "`encoder_layers` must be that of the weights, at most 60, but is 1099511627776"),
        ({"maximum_length": 1 << 40}, "`maximum_length` must be that of the weights"),
        ({"width": 6}, "model.safetensors`: model.encoder.layers.0.self_attn.q_proj.weight must be 6 wide"),
        ({"width": 24}, "must be 24 wide, but has the shape"),
        ({"inner_width": 8}, "must be those of this model"),
        ({"tie": "none"}, "differs in 'lm_head.weight'"),
        ({"positions": "learned"}, "differs in 'model.decoder.embed_positions.weight'"),
        ({"norm": "x"}, "`norm` must be 'post'"),
        ({"layers": 2}, "`layers` is no key of it"),
    ],
)
def test_a_config_that_lies_is_refused(refused, values, said):
    assert said in refused(lambda model: {**model, "config": {**model["config"], **values}})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"config": 3}, "`config` must be an object"),
        ({"decoding": {"size": "x"}}, "`size` must be a whole number"),
        ({"decoding": {"sizes": 3}}, "`sizes` is no key of it"),
        ({"source_language": 3}, "`source_language` must be a text"),
        ({"more": 3}, "`more` is no key of it"),
    ],
)
def test_a_description_of_another_form_is_refused(refused, values, said):
    assert said in refused(lambda model: {**model, **values})


@pytest.mark.parametrize("name", ["config", "decoding", "source_language", "target_language"])
def test_a_description_with_something_missing_is_refused(refused, name):
    assert f"`{name}` is missing" in refused(lambda model: {key: value for key, value in model.items() if key != name})
