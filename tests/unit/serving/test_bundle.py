import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from saccade.data.shortlist import Shortlist
from saccade.data.tokenizer import Tokenizer
from saccade.decoding.beam import BeamConfig
from saccade.errors import FormatError, InputError, SaccadeError
from saccade.hardware import peak_memory
from saccade.json_files import sealed
from saccade.models.catalogue import build
from saccade.sequences import Sequences
from saccade.serving import model_names
from saccade.serving.bundle import Bundle, add_shortlist
from saccade.serving.config_file import file_entry
from saccade.serving.model_names import model_folder, shipped_models, summary


def rewrite(folder, **changes):
    """Changes a config as somebody would who knows the format."""
    config = json.loads((folder / "config.json").read_text())
    config |= changes
    (folder / "config.json").write_text(json.dumps(sealed(config, ("decoding",))))


def rewrite_weights(folder, change):
    tensors = load_file(folder / "weights.safetensors")
    change(tensors)
    save_file(tensors, folder / "weights.safetensors")
    files = json.loads((folder / "config.json").read_text())["files"]
    rewrite(folder, files=files | {"weights.safetensors": file_entry(folder / "weights.safetensors")})


@pytest.fixture
def copy(make_bundle, tmp_path):
    return make_bundle(tmp_path / "model")


def logits(model, tokens):
    source = Sequences.of([tokens])
    with torch.inference_mode():
        return model.decode(source.reads, model.encode(source))


def test_what_is_saved_comes_back(folder, make_bundle, tmp_path, tokenizer):
    loaded = Bundle.load(folder)
    again = Bundle.load(make_bundle(tmp_path / "again"))
    for name, tensor in loaded.model.state_dict().items():
        assert torch.equal(tensor, again.model.state_dict()[name]), name
    assert loaded.source_tokenizer == loaded.target_tokenizer == tokenizer
    assert (loaded.task, loaded.source_language, loaded.target_language) == ("translation", "en", "xx")
    assert loaded.decoding == {"size": 3, "alpha": 0.6, "extra_length": 7}
    assert not loaded.model.training


def test_loading_leaves_the_random_numbers_of_others_alone(folder):
    before = torch.get_rng_state()
    Bundle.load(folder)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("storage", ["float32", "float16", "int8"])
def test_parameters_that_are_one_are_one_after_loading(storage, make_bundle, tmp_path):
    model = Bundle.load(make_bundle(tmp_path / "model", storage=storage)).model
    names = [name for name, _ in model.named_parameters(remove_duplicate=False)]
    assert len(names) > len(list(model.parameters()))
    assert model.source_embedding.weight is model.target_embedding.weight
    assert all(parameter.requires_grad for parameter in model.parameters())


def test_a_loaded_model_does_not_change_with_its_file(copy):
    model = Bundle.load(copy).model
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    path = copy / "weights.safetensors"
    size = path.stat().st_size
    with path.open("r+b") as file:  # in place, as no program of ours would
        file.write(bytes(size))
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


@pytest.mark.parametrize(("storage", "tolerance"), [("float32", 0.0), ("float16", 2e-2), ("int8", 0.2)])
def test_every_storage_gives_nearly_the_same_logits(folder, make_bundle, tmp_path, storage, tolerance):
    expected = logits(Bundle.load(folder).model, [5, 7, 11, 1])
    stored = logits(Bundle.load(make_bundle(tmp_path / storage, storage=storage)).model, [5, 7, 11, 1])
    assert (stored - expected).abs().max() <= tolerance * expected.abs().max()


def test_int8_is_about_a_quarter_of_the_size(folder, make_bundle, tmp_path):
    whole = (folder / "weights.safetensors").stat().st_size
    assert (make_bundle(tmp_path / "int8", storage="int8") / "weights.safetensors").stat().st_size < 0.4 * whole


def test_tied_embeddings_are_stored_once(folder):
    shapes = [tensor.shape for tensor in load_file(folder / "weights.safetensors").values()]
    vocabulary = json.loads((folder / "config.json").read_text())["source_vocabulary"]
    assert sum(shape[0] == vocabulary for shape in shapes) == 1


def test_two_tokenizers_are_two_files(make_bundle, tmp_path, tokenizer):
    other = Tokenizer.train(["a b c d e f g"], pieces="word", size=None)
    config = replace(Bundle.load(make_bundle(tmp_path / "joint")).model_config, tie="target")
    model = build("transformer", config, tokenizer.size, other.size)
    folder = make_bundle(tmp_path / "separate", model=model, model_config=config, target_tokenizer=other)
    assert {path.name for path in folder.iterdir()} == {
        "card.md",
        "config.json",
        "source.model",
        "target.model",
        "weights.safetensors",
    }
    loaded = Bundle.load(folder)
    assert (loaded.source_tokenizer, loaded.target_tokenizer) == (tokenizer, other)


def test_all_missing_extra_and_misshapen_tensors_are_in_one_message(copy):
    removed, reshaped = "encoder.layers.0.feedforward", "decoder.layers.1.cross_attention"

    def change(tensors):
        gone = [name for name in tensors if name.startswith(removed)]
        bent = [name for name in tensors if name.startswith(reshaped)][0]
        for name in gone:
            del tensors[name]
        tensors[bent] = torch.zeros(2, 3)
        tensors["surplus.one"] = torch.zeros(1)
        tensors["surplus.two"] = torch.zeros(1)
        change.names = [*gone, bent]

    rewrite_weights(copy, change)
    with pytest.raises(FormatError) as caught:
        Bundle.load(copy)
    message = str(caught.value)
    assert len(change.names) >= 3
    for name in [*change.names, "surplus.one", "surplus.two"]:
        assert name in message
    assert "but has (2, 3)" in message
    assert "\n" not in message


def test_a_newer_format_asks_for_an_upgrade(copy):
    rewrite(copy, format=2)
    with pytest.raises(FormatError, match=r"config.json` must have a format up to 1, but has 2: .* Upgrade saccade."):
        Bundle.load(copy)


def test_missing_files_are_named_together(copy):
    (copy / "weights.safetensors").unlink()
    (copy / "joint.model").unlink()
    with pytest.raises(FormatError, match=r"joint.model is missing; weights.safetensors is missing"):
        Bundle.load(copy)


def test_a_truncated_file_is_named(copy):
    weights = (copy / "weights.safetensors").read_bytes()
    (copy / "weights.safetensors").write_bytes(weights[:-7])
    with pytest.raises(FormatError, match="weights.safetensors is damaged or altered"):
        Bundle.load(copy)


def test_a_changed_byte_is_noticed(copy):
    weights = bytearray((copy / "weights.safetensors").read_bytes())
    weights[-5] ^= 1
    (copy / "weights.safetensors").write_bytes(weights)
    with pytest.raises(FormatError, match="weights.safetensors is damaged or altered"):
        Bundle.load(copy)


def test_a_changed_config_is_noticed(copy):
    text = (copy / "config.json").read_text()
    (copy / "config.json").write_text(text.replace('"heads": 3', '"heads": 4'))
    with pytest.raises(FormatError, match="config.json` must be JSON that saccade wrote, but is damaged or altered"):
        Bundle.load(copy)


def test_decoding_defaults_may_be_edited(copy):
    text = (copy / "config.json").read_text()
    (copy / "config.json").write_text(text.replace('"size": 3', '"size": 5'))
    assert Bundle.load(copy).decoding["size"] == 5


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "1"}', "\xff"])
def test_a_config_that_is_none_is_refused(copy, content):
    (copy / "config.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(FormatError, match="config.json` must"):
        Bundle.load(copy)


def test_an_unknown_architecture_is_refused_with_the_nearest(copy):
    rewrite(copy, architecture="transformr")
    with pytest.raises(FormatError, match="Did you mean 'transformer'"):
        Bundle.load(copy)


def test_an_unknown_option_asks_for_an_upgrade(copy):
    rewrite(copy, model=json.loads((copy / "config.json").read_text())["model"] | {"hyperdrive": 1})
    with pytest.raises(FormatError, match="no option hyperdrive"):
        Bundle.load(copy)


def test_an_option_of_the_wrong_type_is_named(copy):
    rewrite(copy, model=json.loads((copy / "config.json").read_text())["model"] | {"width": "wide"})
    with pytest.raises(
        FormatError, match="among the options of transformer, `width` must be a whole number, but is 'wide'"
    ):
        Bundle.load(copy)


def test_an_option_that_an_older_release_did_not_know_has_its_default(copy):
    values = json.loads((copy / "config.json").read_text())["model"]
    del values["attention_bias"]
    rewrite(copy, model=values)
    assert Bundle.load(copy).model_config.attention_bias is False


def test_saving_replaces_an_older_model_and_leaves_nothing_beside_it(copy, make_bundle):
    make_bundle(copy, seed=6, card="newer")
    assert (copy / "card.md").read_text() == "newer"
    assert [path.name for path in copy.parent.iterdir()] == ["model"]
    Bundle.load(copy)


def test_saving_does_not_replace_a_folder_of_something_else(make_bundle, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.txt").write_text("years of work")
    with pytest.raises(InputError, match="holds other files"):
        make_bundle(tmp_path / "thesis")
    assert (tmp_path / "thesis" / "chapter1.txt").read_text() == "years of work"


@pytest.mark.parametrize(
    "config", ['{"architectures": ["BertModel"], "model_type": "bert"}', "{}", "[]", '{"format": 1, "files": []}']
)
def test_a_model_of_another_program_is_not_replaced(make_bundle, tmp_path, config):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "config.json").write_text(config)
    (tmp_path / "theirs" / "pytorch_model.bin").write_text("weights")
    with pytest.raises(InputError, match="holds other files"):
        make_bundle(tmp_path / "theirs")
    assert (tmp_path / "theirs" / "config.json").read_text() == config
    assert sorted(path.name for path in (tmp_path / "theirs").iterdir()) == ["config.json", "pytorch_model.bin"]


def test_notes_in_a_model_folder_outlive_a_newer_model_and_a_shortlist(copy, make_bundle):
    (copy / "notes.txt").write_text("mine")
    (copy / "figures").mkdir()
    (copy / "figures" / "one.svg").write_text("drawn")
    make_bundle(copy, seed=6)
    source, target = (Bundle.load(copy).source_tokenizer.size, Bundle.load(copy).target_tokenizer.size)
    shortlist = Shortlist(np.arange(target, dtype=np.int32), np.zeros(source + 1, np.int32), np.zeros(0, np.int32))
    add_shortlist(copy, shortlist)
    assert Bundle.load(copy).shortlist is not None
    assert (copy / "notes.txt").read_text() == "mine"
    assert (copy / "figures" / "one.svg").read_text() == "drawn"


DECODING = (
    [{"size": size} for size in ("x", 1.5, None, 10**12, 0, True, [])]
    + [{"alpha": alpha} for alpha in ("x", math.nan, math.inf, -1, None)]
    + [{"nbest": []}, {"nbest": 5}, {"nbest": 10**12}, {"coverage": math.nan}, {"extra_length": -1}]
    + [{"beam": 4}, [], None, 4, "x", {"size": {"size": 4}}]
)


@pytest.mark.parametrize("decoding", DECODING, ids=str)
def test_edited_decoding_defaults_are_checked(copy, decoding):
    rewrite(copy, decoding=decoding)
    with pytest.raises(FormatError, match=r"config\.json`.*decoding") as caught:
        Bundle.load(copy)
    assert "\n" not in str(caught.value)


def test_decoding_defaults_that_were_removed_are_those_of_the_program(copy):
    config = json.loads((copy / "config.json").read_text())
    del config["decoding"]
    (copy / "config.json").write_text(json.dumps(config))
    assert BeamConfig(**Bundle.load(copy).decoding) == BeamConfig()


@pytest.mark.parametrize("key", ["architecture", "task", "storage", "files", "model", "source_vocabulary", "seal"])
def test_a_config_without_a_key_is_refused(copy, key):
    config = json.loads((copy / "config.json").read_text())
    del config[key]
    (copy / "config.json").write_text(json.dumps(config if key == "seal" else sealed(config, ("decoding",))))
    with pytest.raises(FormatError, match=r"config\.json`"):
        Bundle.load(copy)


WRONG = (
    [{"format": value} for value in (-1, 0, True, "1", 1.0, None)]
    + [{"storage": "x"}, {"storage": None}, {"files": []}, {"files": {}}, {"files": {"x": "y"}}, {"task": "x"}]
    + [{"task": 3}, {"architecture": []}, {"model": []}, {"model": None}, {"source_language": 3}, {"more": 1}]
    + [{"source_vocabulary": value} for value in (2**40, 0, -1, "x", 1.5)]
    + [{"files": {"../config.json": {"sha256": "0" * 64, "size": 1}}}]
)


@pytest.mark.parametrize("change", WRONG, ids=str)
def test_a_sealed_config_of_another_shape_is_refused(copy, change):
    rewrite(copy, **change)
    with pytest.raises(FormatError) as caught:
        Bundle.load(copy)
    assert "\n" not in str(caught.value)
    assert str(copy) in str(caught.value)


SIZES = (
    [{"encoder_layers": 10**7}, {"decoder_layers": 10**9}, {"encoder_layers": -1}, {"heads": 0}]
    + [{"width": 10**9}, {"inner_width": 2**40}, {"maximum_length": 10**12}, {"heads": 10**9, "width": 10**9}]
    + [{"width": 10**5, "inner_width": 10**6, "heads": 1}, {"width": 2**62}, {"width": 10**30}]
)


@pytest.mark.parametrize("options", SIZES, ids=str)
def test_a_model_larger_than_its_weights_is_refused_before_it_is_built(copy, options):
    rewrite(copy, model=json.loads((copy / "config.json").read_text())["model"] | options)
    before = peak_memory(torch.device("cpu"))
    with pytest.raises(SaccadeError) as caught:
        Bundle.load(copy)
    assert "\n" not in str(caught.value)
    assert peak_memory(torch.device("cpu")) - before < 1 << 30


def test_a_save_that_fails_keeps_the_older_model(copy, make_bundle):
    before = {path.name: path.read_bytes() for path in copy.iterdir()}
    broken = Bundle.load(copy).model
    next(broken.parameters()).data.fill_(torch.nan)
    with pytest.raises(FormatError, match="finite"):
        make_bundle(copy, model=broken)
    assert {path.name: path.read_bytes() for path in copy.iterdir()} == before
    assert [path.name for path in copy.parent.iterdir()] == ["model"]


def test_a_save_cut_off_between_its_renames_is_healed_by_the_next(copy, make_bundle):
    aside = copy.with_name(".model.partial")
    aside.mkdir()
    (aside / "written-by-saccade").touch()
    copy.rename(aside / "previous")
    with pytest.raises(FormatError, match=r"left the model in .*\.model\.partial/previous: move it there"):
        Bundle.load(copy)
    make_bundle(copy)
    Bundle.load(copy)
    assert [path.name for path in copy.parent.iterdir()] == ["model"]


def test_the_summary_reads_the_config_alone(copy):
    (copy / "weights.safetensors").unlink()
    assert summary(copy).startswith("en to xx translation, transformer, ")


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    (tmp_path / "shipped" / "en-es").mkdir(parents=True)
    (tmp_path / "shipped" / "en-es" / "config.json").write_text("{}")
    monkeypatch.setattr(model_names, "SHIPPED", tmp_path / "shipped")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "shipped" / "en-es"


def test_a_model_folder_is_itself(folder):
    assert model_folder(folder) == model_folder(str(folder)) == folder


def test_a_run_is_its_model(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    assert model_folder(tmp_path) == tmp_path / "model"


def test_a_shipped_model_goes_by_its_name(shipped):
    assert shipped_models() == {"en-es": shipped}
    assert model_folder("en-es") == shipped


def test_a_folder_goes_before_a_shipped_model_of_its_name(shipped, tmp_path):
    (tmp_path / "en-es").mkdir()
    (tmp_path / "en-es" / "config.json").write_text("{}")
    assert model_folder("en-es").absolute() == tmp_path / "en-es"


def test_a_folder_of_something_else_does_not_hide_a_shipped_model(shipped, tmp_path):
    (tmp_path / "en-es").mkdir()
    assert model_folder("en-es") == shipped


def test_an_unknown_name_gets_the_list_and_the_nearest(shipped):
    with pytest.raises(InputError, match=r"a shipped model \(en-es\), but is 'en-se'. Did you mean 'en-es'\?"):
        model_folder("en-se")


def test_a_name_that_is_near_to_none_gets_the_list_alone(shipped):
    with pytest.raises(InputError, match=r"a shipped model \(en-es\), but is 'no-such'\.$"):
        model_folder("no-such")


def test_a_run_without_a_model_says_how_to_go_on(tmp_path):
    (tmp_path / "recipe.toml").write_text("")
    with pytest.raises(InputError, match="no finished model yet. Continue it"):
        model_folder(tmp_path)


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(InputError, match="has no config.json"):
        model_folder(tmp_path)


def test_an_empty_name_is_not_the_current_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert model_folder(".") == Path(".")
    with pytest.raises(InputError, match="is empty"):
        model_folder("")
