"""What can be exported, and what an export says of itself, without Hugging Face's own classes."""

import json
from dataclasses import replace

import pytest
from tests.unit.interop.trained import Trained, make

from saccade.data.tokenizer import Tokenizer
from saccade.errors import ConfigError, InputError
from saccade.interop import huggingface_export, onnx
from saccade.interop.exported_folder import check_export, check_place
from saccade.interop.huggingface_card import card_text
from saccade.interop.huggingface_export import export, obstacle
from saccade.models.transformer import TransformerConfig

CONFIG = TransformerConfig(encoder_layers=1, decoder_layers=1, width=6, inner_width=7, heads=3, maximum_length=11)
WORDS = ("one two three", "four five six")


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.train(WORDS, pieces="bpe", size=280)


@pytest.fixture
def trained(tokenizer):
    return Trained(make(CONFIG, (tokenizer, tokenizer)), tokenizer, tokenizer)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"norm": "residual"}, "`norm` must be post or pre"),
        ({"score": "additive"}, "`score` must be scaled-dot"),
        ({"attention_window": 3}, "`attention_window` must be None"),
        ({"key_width": 5}, "`key_width` must be None or 2"),
    ],
)
def test_what_hugging_face_has_not_is_refused_in_one_line(tokenizer, tmp_path, change, said):
    other = Trained(make(replace(CONFIG, **change), (tokenizer, tokenizer)), tokenizer, tokenizer)
    with pytest.raises(ConfigError, match=said):
        export(other, tmp_path / "out", "")
    assert not (tmp_path / "out").exists()


def test_two_vocabularies_of_unequal_size_are_refused_only_for_pegasus(tokenizer, trained):
    other = Tokenizer.train(("one two", "three four"), pieces="bpe", size=271)
    sides = (tokenizer, other)
    for norm, refused in (("post", False), ("pre", True)):
        model = make(replace(CONFIG, norm=norm, tie="none"), sides)
        assert (obstacle(Trained(model, *sides)) is not None) == refused


def test_other_systems_and_closed_lists_of_words_are_refused(trained):
    closed = Tokenizer.train(WORDS, pieces="word", size=20, closed=True)
    for module in (huggingface_export, onnx):
        assert "`architecture` must be transformer" in (module.obstacle(replace(trained, architecture="luong")) or "")
        assert "closed list of words" in (module.obstacle(replace(trained, source_tokenizer=closed)) or "")


@pytest.mark.parametrize("change", [{"attention_window": 3}, {"score": "additive"}])
def test_what_has_no_graph_is_refused(tokenizer, change):
    other = Trained(make(replace(CONFIG, **change), (tokenizer, tokenizer)), tokenizer, tokenizer)
    assert f"`{next(iter(change))}` must be" in (onnx.obstacle(other) or "")


def test_an_export_is_sealed_and_another_s_folder_is_left_alone(trained, tmp_path):
    export(trained, tmp_path / "out", "A card.")
    about = check_export(tmp_path / "out").model
    assert about is not None
    assert about["config"] == json.loads(json.dumps(vars(CONFIG)))
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "config.json").write_text('{"model_type": "marian"}')
    with pytest.raises(InputError, match="holds other files"):
        export(trained, tmp_path / "theirs", "")
    assert [path.name for path in (tmp_path / "theirs").iterdir()] == ["config.json"]


def test_an_export_for_another_program_is_not_replaced(trained, tmp_path):
    export(trained, tmp_path / "out", "A card.")
    export(trained, tmp_path / "out", "Another card.")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    with pytest.raises(InputError, match="older export for ONNX, but is one for Hugging Face"):
        check_place(tmp_path / "out", onnx.PROGRAM)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_the_card_names_languages_and_licence_where_the_hub_looks_for_them(trained):
    card = "# en to no\n\n- licence: CC-BY 2.0 FR\n- attribution: many people\n"
    head, text = card_text(replace(trained, source_language="en", target_language="no"), card).split("---\n")[1:3]
    assert '- "no"\n' in head
    assert 'license_name: "CC-BY 2.0 FR"' in head
    assert "- attribution: many people" in text
    assert "AutoModelForSeq2SeqLM.from_pretrained" in text


def test_a_card_without_a_licence_claims_none(trained):
    assert "license" not in card_text(trained, "# A model").split("---\n")[1]


@pytest.mark.parametrize(
    ("norm", "tie", "newer"),
    [
        ("pre", "none", True),
        ("pre", "target", True),
        ("pre", "all", False),
        ("pre", "embeddings", False),
        ("post", "none", False),
    ],
)
def test_the_card_says_where_only_a_newer_transformers_has_two_embeddings(tokenizer, norm, tie, newer):
    model = make(replace(CONFIG, norm=norm, tie=tie), (tokenizer, tokenizer))
    assert ("needs transformers 5" in card_text(Trained(model, tokenizer, tokenizer), "# A model")) == newer
