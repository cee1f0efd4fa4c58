"""Models of several languages (NLLB, M2M100, Marian): told which by options, in Python and at import."""

import json

import pytest

pytest.importorskip("transformers")

import torch
from tests.differential.huggingface_folders import m2m100_folder, marian_folder, sentences
from typer.testing import CliRunner

import saccade
from saccade.cli.main import app
from saccade.errors import ConfigError, SaccadeError
from saccade.interop.imports import read_model
from saccade.special_tokens import EOS

LANGUAGES = {"source_language": "eng_Latn", "target_language": "spa_Latn"}


@pytest.fixture(scope="module")
def downloaded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nllb")
    m2m100_folder(folder, nllb=True)
    return folder


@pytest.fixture(scope="module")
def model(downloaded, tmp_path_factory):
    out = tmp_path_factory.mktemp("imported") / "model"
    result = CliRunner().invoke(app, ["import", str(downloaded), "--out", str(out)])
    assert result.exit_code == 0, result.output
    return out


def loaded(model, **options):
    """The model with ends made likely: a random one goes on for ever."""
    translator = saccade.load(model, device="cpu", **options)
    with torch.no_grad():
        translator.model.output_bias[EOS] = 5.0
    return translator


PLAIN = {"repair": False, "protect": False, "split_sentences": False, "beam": 2}


def test_texts_of_different_languages_are_translated_together_as_each_alone(model):
    translator, texts = loaded(model), sentences(1, 1) * 3
    source, target = ["eng_Latn", "fra_Latn", "eng_Latn"], ["spa_Latn", "spa_Latn", "zho_Hans"]
    together = translator.translate_batch(texts, source_language=source, target_language=target, **PLAIN)
    assert [one.number for one in together] == [1, 2, 3]
    for text, one, read, written in zip(texts, together, source, target, strict=True):
        [alone] = translator.translate_batch([text], source_language=read, target_language=written, **PLAIN)
        assert (alone.text, alone.score) == (one.text, pytest.approx(one.score, abs=1e-5))
        assert not any(name in one.text for name in ("eng_Latn", "spa_Latn", "zho_Hans"))
    assert len({round(one.score, 4) for one in together}) == 3


def test_languages_that_are_missing_or_unknown_are_named_in_one_line(model):
    run = ["translate", str(model), "--text", "abc", "--device", "cpu"]
    assert "must both be named, since this model knows 5 languages" in str(CliRunner().invoke(app, run).exception)
    wrong = CliRunner().invoke(app, [*run, "--source-language", "eng_Latn", "--target-language", "sp_Latn"])
    assert "Did you mean 'spa_Latn'?" in str(wrong.exception)
    half = CliRunner().invoke(app, [*run, "--source-language", "eng_Latn"])
    assert isinstance(half.exception, ConfigError)
    other = CliRunner().invoke(app, ["translate", "en-es", "--text", "a", "--target-language", "fr"])
    assert "`target_language` must be es, the only one of this model, but is 'fr'" in str(other.exception)


def test_languages_given_at_import_are_used_where_no_others_are_named(downloaded, model, tmp_path):
    out = tmp_path / "model"
    options = [part for name, code in LANGUAGES.items() for part in (f"--{name.replace('_', '-')}", code)]
    assert CliRunner().invoke(app, ["import", str(downloaded), "--out", str(out), *options]).exit_code == 0
    text = sentences(1, 1)[0]
    kept, named = loaded(out), loaded(model, **LANGUAGES)
    assert (kept.bundle.source_language, kept.bundle.target_language) == ("eng_Latn", "spa_Latn")
    assert kept.translate(text, **PLAIN) == named.translate(text, **PLAIN)
    assert kept.source_tokenizer.pieces(kept.source_tokenizer.encode(["abc"])[0])[0] == "eng_Latn"
    assert kept.source_tokenizer.words(kept.source_tokenizer.encode(["abc"])[0]) == [[1, 2, 3]]


def test_the_name_of_a_language_costs_nothing(model):
    translator, text = loaded(model, **LANGUAGES), sentences(1, 1)[0]
    [found] = translator.translate_batch([text], **PLAIN)
    tokens = found.nbest[0].token_log_probabilities
    assert tokens[0] == 0.0
    assert found.score == pytest.approx(sum(tokens) / len(tokens))
    [scored] = translator.score([(text, "abc")])
    assert scored.token_log_probabilities[0] == 0.0
    assert scored.tokens == 1 + len(translator.target_tokenizer.without_language.encode(["abc"])[0]) + 1


def test_ctranslate2_writes_the_same_language(model, tmp_path, monkeypatch):
    pytest.importorskip("ctranslate2")
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path))  # this folder may have been converted with its own bias before
    from saccade.serving.batching import SearchInput
    from saccade.serving.ctranslate2_engine import Ctranslate2Engine

    translator = loaded(model, **LANGUAGES)
    engine = Ctranslate2Engine.of(translator.bundle, form="float32", workers=1)
    language = translator.target_tokenizer.language_tokens
    inputs = [SearchInput(tuple(row), language=language) for row in translator.source_tokenizer.encode(sentences(1, 8))]
    search = translator.beam_search(size=3)
    for [ours], [theirs] in zip(
        translator.engine(search).search(inputs, search), engine.search(inputs, search), strict=True
    ):
        assert theirs.tokens == ours.tokens
        assert theirs.score == pytest.approx(ours.score, abs=5e-3)


def test_what_m2m100_has_no_place_for_is_not_given_back(model):
    from saccade.interop.huggingface_export import obstacle
    from saccade.interop.onnx import obstacle as obstacle_to_onnx

    assert obstacle(saccade.load(model, device="cpu").bundle) is None
    assert "but was trained. Export it to CTranslate2." in obstacle(loaded(model).bundle)
    assert "must be of one pair of languages" in obstacle_to_onnx(loaded(model).bundle)


def test_marian_is_told_its_language_in_the_same_way(tmp_path):
    marian_folder(tmp_path / "marian")
    assert (
        CliRunner().invoke(app, ["import", str(tmp_path / "marian"), "--out", str(tmp_path / "model")]).exit_code == 0
    )
    translator = saccade.load(tmp_path / "model", device="cpu", target_language="deu")
    tokenizer = translator.source_tokenizer
    assert tokenizer.pieces(tokenizer.encode(["abc"])[0])[0] == ">>deu<<"
    assert tokenizer.words(tokenizer.encode(["abc"])[0])[0][0] == 1
    with pytest.raises(ConfigError, match="must be eng, the only one"):
        translator.between("fra", None)


def changed(path, **values):
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_a_forced_beginning_that_is_no_language_is_named(tmp_path):
    m2m100_folder(tmp_path / "nllb", nllb=True)
    changed(tmp_path / "nllb" / "generation_config.json", forced_bos_token_id=7)
    imported = read_model(tmp_path / "nllb")
    assert imported.left_out == (
        "`forced_bos_token_id` 7: the token that every output begins with, which is no language",
    )
    assert imported.target_language is None


def languages_elsewhere(folder):
    content = json.loads((folder / "tokenizer.json").read_text())
    content["added_tokens"][-2]["id"] = 1 << 20
    (folder / "tokenizer.json").write_text(json.dumps(content))


def no_languages(folder):
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").write_text("{}")


DAMAGE = {
    "other padding": (lambda folder: changed(folder / "config.json", pad_token_id=0), "`pad_token_id` must be 1"),
    "experts": (lambda folder: changed(folder / "config.json", model_type="nllb-moe"), "but is 'nllb-moe'"),
    "wrong size": (lambda folder: changed(folder / "config.json", d_model=10), "must have the shape"),
    "too few rows": (lambda folder: changed(folder / "config.json", vocab_size=60), "in the 60 rows of the model"),
    "languages elsewhere": (languages_elsewhere, "and one at 1048576"),
    "no languages": (no_languages, "must name the languages"),
    "no model": (lambda folder: (folder / "sentencepiece.bpe.model").unlink(), "only tokenizer.json is"),
    "bad model": (lambda folder: (folder / "sentencepiece.bpe.model").write_bytes(b"x"), "is damaged"),
    "holes": (
        lambda folder: (folder / "vocab.json").write_text(json.dumps({"<s>": 0, "<unk>": 2})),
        "no piece has the number 1",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_folder_that_lies_is_refused_in_one_line(downloaded, tmp_path, damage):
    folder, out = tmp_path / "copy", tmp_path / "out"
    folder.mkdir()
    for path in downloaded.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    harm, message = DAMAGE[damage]
    harm(folder)
    result = CliRunner().invoke(app, ["import", str(folder), "--out", str(out)])
    assert isinstance(result.exception, SaccadeError)
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)
    assert not out.exists()
