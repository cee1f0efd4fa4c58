"""Every kind of Transformer, run by a program nobody here wrote, gives each token the same probability."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from tests.unit.interop.trained import OTHERS, SENTENCES, Trained, make, small_tokenizers

from saccade.data.shortlist import Shortlist
from saccade.errors import ConfigError, InputError
from saccade.interop.ctranslate2 import FORMS, SHORTLIST, export, installed, obstacle
from saccade.interop.exported_folder import SEAL, check_export
from saccade.models.transformer import TransformerConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS, PAD

ctranslate2 = pytest.importorskip("ctranslate2", reason="ctranslate2 is not installed")

CONFIG = TransformerConfig(
    encoder_layers=2, decoder_layers=3, width=24, inner_width=40, heads=3, dropout=0.1, maximum_length=67
)
KINDS = {
    "paper": {},
    "pre-norm": {"norm": "pre"},
    "learned positions": {"positions": "learned"},
    "tensor2tensor": {
        "positions": "tensor2tensor",
        "start_of_target": "zero",
        "target_space_rows": 5,
        "attention_bias": True,
    },
    "nothing tied": {"tie": "none"},
    "target tied": {"tie": "target", "norm": "pre"},
    "narrow keys": {"key_width": 5, "value_width": 11, "attention_bias": True},
    "wide keys": {"key_width": 13, "value_width": 7},
    "as Marian's": {
        "activation": "silu",
        "positions": "halves",
        "norm_epsilon": 0.1,
        "attention_bias": True,
        "output_bias": True,
        "start_of_target": "zero",
    },
    "as M2M100": {
        "norm": "pre",
        "activation": "gelu",
        "positions": "tensor2tensor",
        "position_offset": 2,
        "scale_embedding": False,
        "output_bias": True,
    },
    "wide heads": {"key_width": 11, "value_width": 11},
}


@pytest.fixture(scope="module")
def tokenizers():
    return small_tokenizers()


def write(folder, model, tokenizers, form="float32", shortlist=None):
    export(Trained(model, *tokenizers, shortlist), folder, form)
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_every_token_has_the_same_probability(kind, tokenizers, tmp_path):
    sides = (tokenizers[0],) * 2 if KINDS[kind].get("tie", "all") == "all" else tokenizers
    model = make(replace(CONFIG, **KINDS[kind]), sides)
    folder = write(tmp_path / "out", model, sides)
    sources, targets = sides[0].encode(SENTENCES), sides[1].encode(OTHERS)
    translator = ctranslate2.Translator(str(folder), device="cpu", compute_type="float32", intra_threads=1)
    pieces = [list(map(side.pieces, rows)) for side, rows in zip(sides, (sources, targets), strict=True)]
    found = [score.log_probs for score in translator.score_batch(*pieces)]

    with torch.inference_mode():
        target = Sequences.of([[*tokens, EOS] for tokens in targets])
        memory = model.encode(Sequences.of([[*tokens, EOS] for tokens in sources]))
        logits = model.decode(target.reads, memory)
        logits[:, :, [PAD, BOS]] = -torch.inf
    expected = logits.log_softmax(-1).gather(2, target.tokens.unsqueeze(2)).squeeze(2)
    for row, length, theirs in zip(expected, target.lengths, found, strict=True):
        assert theirs == pytest.approx(row[:length].tolist(), abs=2e-4)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_can_be_read(form, tokenizers, tmp_path):
    if form not in ctranslate2.get_supported_compute_types("cpu"):
        pytest.skip(f"CTranslate2 does not compute in {form} on this CPU")
    sides = (tokenizers[0],) * 2
    folder = write(tmp_path / "out", make(CONFIG, sides), sides, form=form)
    # A CPU that cannot compute in a form still reads it, and computes in another one.
    computes = form if form in ctranslate2.get_supported_compute_types("cpu") else "default"
    translator = ctranslate2.Translator(str(folder), device="cpu", compute_type=computes, intra_threads=1)
    assert translator.translate_batch([sides[0].pieces([9, 7, 11])], max_decoding_length=5)[0].hypotheses[0]


@pytest.mark.parametrize("form", FORMS)
def test_the_model_stays_as_it_was(form, tokenizers, tmp_path):
    sides = (tokenizers[0],) * 2
    model = make(CONFIG, sides)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    write(tmp_path / "out", model, sides, form=form)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


def test_int8_is_smaller_than_float32(tokenizers, tmp_path):
    sides = (tokenizers[0],) * 2
    model = make(CONFIG, sides)
    sizes = [(write(tmp_path / f, model, sides, form=f) / "model.bin").stat().st_size for f in ("float32", "int8")]
    assert sizes[1] < sizes[0] / 2


def test_a_shortlist_bounds_what_is_written(tokenizers, tmp_path):
    sides = (tokenizers[0],) * 2
    size = sides[0].size
    allowed = np.arange(300, 317, dtype=np.int32)
    shortlist = Shortlist(allowed, np.zeros(size + 1, dtype=np.int32), np.zeros(0, dtype=np.int32))
    folder = write(tmp_path / "out", make(CONFIG, sides), sides, shortlist=shortlist)
    assert (folder / SHORTLIST).is_file()
    translator = ctranslate2.Translator(str(folder), device="cpu", intra_threads=1)
    (answer,) = translator.translate_batch(
        [sides[0].pieces([270, 280])], use_vmap=True, beam_size=3, max_decoding_length=13, min_decoding_length=13
    )
    written = set(answer.hypotheses[0])
    assert written <= {*sides[0].pieces(allowed.tolist()), "<unk>"}


def test_a_window_is_refused(tokenizers, tmp_path):
    sides = (tokenizers[0],) * 2
    with pytest.raises(ConfigError, match="`attention_window` must be None"):
        write(tmp_path / "out", make(replace(CONFIG, attention_window=5), sides), sides)


def test_layers_without_norms_are_refused():
    assert "`norm` must be post or pre" in (obstacle("transformer", replace(CONFIG, norm="plain")) or "")


def test_another_score_is_refused():
    assert "`score` must be scaled-dot" in (obstacle("transformer", replace(CONFIG, score="additive")) or "")


def test_another_architecture_is_refused():
    assert "must be transformer" in (obstacle("rnnsearch", None) or "")


def test_other_files_are_not_replaced(tokenizers, tmp_path):
    sides = (tokenizers[0],) * 2
    (tmp_path / "letter.txt").write_text("dear reader")
    with pytest.raises(InputError, match="holds other files"):
        write(tmp_path, make(CONFIG, sides), sides)
    assert (tmp_path / "letter.txt").read_text() == "dear reader"


def test_an_export_of_somebody_else_is_not_replaced(tokenizers, tmp_path):
    sides = (tokenizers[0],) * 2
    write(tmp_path / "out", make(CONFIG, sides), sides)
    (tmp_path / "out" / SEAL).unlink()  # as any other program leaves it
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    with pytest.raises(InputError, match="holds other files"):
        write(tmp_path / "out", make(CONFIG, sides), sides)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_an_older_export_is_replaced_and_a_user_s_notes_stay(tokenizers, tmp_path):
    sides = (tokenizers[0],) * 2
    write(tmp_path / "out", make(CONFIG, sides), sides)
    (tmp_path / "out" / "notes.txt").write_text("mine")
    (tmp_path / "out" / "model.bin").write_bytes(b"damaged")
    write(tmp_path / "out", make(CONFIG, sides), sides)
    check_export(tmp_path / "out")
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_it_is_known_to_be_installed():
    assert installed()
