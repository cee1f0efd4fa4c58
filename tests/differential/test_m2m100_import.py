"""M2M100 and NLLB, imported: logits and outputs in a forced language equal those of transformers.

The weights are random: what is compared is what every number does, not what a model has learned.
"""

import pytest
import torch

pytest.importorskip("transformers")

import transformers
from safetensors.torch import load_file
from tests.differential.huggingface_folders import m2m100_folder, sentences
from tests.differential.test_huggingface_import import LONGEST, original, stopping
from typer.testing import CliRunner

from saccade.cli.main import app
from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.beam_fast import fast_search
from saccade.interop.imports import read_model
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS

LANGUAGES = {"m2m100": ("en", ("fr", "zh")), "nllb": ("eng_Latn", ("spa_Latn", "zho_Hans"))}


@pytest.fixture(scope="module", params=LANGUAGES)
def both(request, tmp_path_factory):
    """A model of transformers in evaluation mode, what we read of its folder, and its languages."""
    folder = tmp_path_factory.mktemp(request.param)
    theirs = m2m100_folder(folder, nllb=request.param == "nllb")
    source, targets = LANGUAGES[request.param]
    return theirs, read_model(folder), source, targets


def sources_of(imported, lines):
    return Sequences.of([[*tokens, EOS] for tokens in imported.source_tokenizer.encode(lines)])


@torch.no_grad()
def test_logits_equal_those_of_transformers(both):
    theirs, imported, source_language, targets = both
    imported = imported.between(source_language, targets[0])
    source = sources_of(imported, sentences(1, 5))
    target = Sequences.of([[*row, EOS] for row in imported.target_tokenizer.encode(sentences(2, 5))])
    start = theirs.config.decoder_start_token_id
    expected = theirs(
        input_ids=original(imported.source_tokenizer, source.tokens, start),
        attention_mask=source.mask.long(),
        decoder_input_ids=original(imported.target_tokenizer, target.reads.tokens, start),
    ).logits
    found = imported.model.decode(target.reads, imported.model.encode(source))
    compared = [token for token in range(found.shape[-1]) if token != BOS]
    ids = original(imported.target_tokenizer, torch.tensor(compared), start)
    difference = found[target.mask][:, compared] - expected[target.mask][:, ids]
    assert difference.abs().max() < 1e-5
    assert expected[target.mask].std() > 0.5


class EndBias(transformers.LogitsProcessor):
    """Makes ends likely, as a bias of the output would; M2M100 has none."""

    def __init__(self, end, bias):
        self.end, self.bias = end, bias

    def __call__(self, input_ids, scores):
        if input_ids.shape[1] == 1:
            return scores  # the language was forced, and has log P 0
        scores = scores.clone()
        scores[:, self.end] += self.bias
        return scores.log_softmax(dim=-1)


def generated(theirs, imported, source, language, bias):
    """What generate() writes for each source in this language, in our ids, with its score."""
    start, pad, end = (getattr(theirs.config, f"{name}_token_id") for name in ("decoder_start", "pad", "eos"))
    written = theirs.generate(
        input_ids=original(imported.source_tokenizer, source.tokens, start).masked_fill(~source.mask, pad),
        attention_mask=source.mask.long(),
        forced_bos_token_id=language,
        max_new_tokens=LONGEST,
        max_length=None,
        logits_processor=transformers.LogitsProcessorList([EndBias(end, bias)]),
        return_dict_in_generate=True,
        output_scores=True,
    )
    back = {number: token for token, number in enumerate(imported.target_tokenizer.vocabulary.original_ids)}
    for row, score in zip(written.sequences[:, 1:].tolist(), written.sequences_scores.tolist(), strict=True):
        tokens = [back[number] for number in row]
        yield tuple(tokens[: tokens.index(EOS) + 1] if EOS in tokens else tokens), score


def check_outputs(both, lines, likely, searches=(beam_search, fast_search)):
    """Lines in two languages, side by side in one batch, as generate() writes those of each language.

    Ends are made likely to these degrees: without help, a random model goes on for ever or ends at once.
    """
    theirs, imported, source_language, targets = both
    imported = imported.between(source_language, None)
    lines = [line for line in lines if len(imported.source_tokenizer.encode([line])[0]) < LONGEST]
    source, vocabulary = sources_of(imported, lines), imported.target_tokenizer.vocabulary
    codes = [vocabulary.ids[vocabulary.language_names[language]] for language in targets]
    first = [codes[place % 2] for place in range(len(lines))]
    search = BeamConfig(**imported.decoding, extra_length=LONGEST)
    imported.model.maximum_length = LONGEST
    written = []
    for bias in likely:
        imported.model.output_bias[EOS] = bias
        expected = {}
        for code in codes:
            rows = [place for place, one in enumerate(first) if one == code]
            some = source.select(torch.tensor(rows))
            expected |= zip(rows, generated(theirs, imported, some, vocabulary.original_ids[code], bias), strict=True)
        prefix = Sequences.of([[code] for code in first])
        for searched in searches:
            found = [best for [best] in searched(imported.model, source, search, prefix)]
            assert [best.tokens for best in found] == [expected[place][0] for place in range(len(lines))]
            scores = [expected[place][1] for place in range(len(lines))]
            assert [best.score for best in found] == pytest.approx(scores, abs=1e-4)
        written += [tokens for tokens, _ in expected.values()]
    imported.model.output_bias[EOS] = 0.0
    assert 0 < sum(tokens[-1] == EOS for tokens in written) < len(written)
    assert {tokens[0] for tokens in written} == set(codes)
    return written


@pytest.mark.parametrize("both", ["nllb"], indirect=True)
@torch.no_grad()
def test_outputs_and_scores_in_forced_languages_equal_those_of_generate(both):
    check_outputs(both, sentences(8, 5), likely=(2.0, 5.0), searches=(fast_search,))


@pytest.mark.slow
@pytest.mark.parametrize("early", [False, True])
@torch.no_grad()
def test_a_thousand_outputs_equal_those_of_generate(both, early):
    """M2M100 comes with `early_stopping`."""
    both = (*stopping(*both[:2], early), *both[2:])
    written = check_outputs(both, sentences(9, 400), likely=(4.0, 5.0, 6.0, 7.0))
    assert len(written) > 1_000
    assert len({len(tokens) for tokens in written}) > 4


@pytest.mark.slow
@pytest.mark.parametrize("kind", LANGUAGES)
def test_a_model_that_comes_in_and_goes_out_again_is_the_same_bit_for_bit(kind, tmp_path):
    folder, model, again = tmp_path / "theirs", tmp_path / "ours", tmp_path / "again"
    m2m100_folder(folder, nllb=kind == "nllb")
    source, (target, _) = LANGUAGES[kind]
    languages = ["--source-language", source, "--target-language", target]
    assert CliRunner().invoke(app, ["import", str(folder), "--out", str(model), *languages]).exit_code == 0
    result = CliRunner().invoke(app, ["export", str(model), "--to", "huggingface", "--out", str(again)])
    assert result.exit_code == 0, result.exception
    one, other = (load_file(path / "model.safetensors") for path in (folder, again))
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)
    configs = [transformers.AutoConfig.from_pretrained(path) for path in (folder, again)]
    for name in ("vocab_size", "d_model", "decoder_start_token_id", "scale_embedding", "max_position_embeddings"):
        assert getattr(configs[0], name) == getattr(configs[1], name)
    first = transformers.AutoTokenizer.from_pretrained(folder, src_lang=source, tgt_lang=target)
    second = transformers.AutoTokenizer.from_pretrained(again)
    assert type(first) is type(second)
    for line in sentences(1, 5):
        assert first(line, text_target=line) == second(line, text_target=line)
    written = transformers.GenerationConfig.from_pretrained(again)
    assert written.forced_bos_token_id == first(text_target="abc")["input_ids"][0]
    assert read_model(again).target_tokenizer == read_model(folder).between(source, target).target_tokenizer
