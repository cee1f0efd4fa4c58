import json
import subprocess
import sys
from collections import Counter
from functools import cache

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.data.trained_tokenizers import LINES, trained

from saccade.data.subword_sampling import BpeDropout, UnigramSampling
from saccade.data.tokenizer import Tokenizer

HOSTILE = st.text(max_size=40) | st.text("Man über  Feld ▁<s>0x41\u0301\u00a0 我们😀<tag>.", max_size=40)
DRAWS = 6_000


@cache
def with_symbols(kind):
    return Tokenizer.train(LINES * 3, pieces=kind, size=420, symbols=["<tag>", "<2es>"])


@cache
def whole(tokenizer):
    return tokenizer.sampled_encoder(0.0)


@pytest.mark.parametrize("tokenizer", [trained("bpe"), with_symbols("bpe")], ids=["plain", "symbols"])
@given(text=HOSTILE)
@settings(max_examples=80, deadline=None)
def test_with_no_merge_left_out_the_cut_is_that_of_the_library(tokenizer, text):
    assert list(whole(tokenizer)([text], 1)) == tokenizer.encode([text])


@given(text=HOSTILE)
@settings(max_examples=60, deadline=None)
def test_with_every_merge_left_out_characters_remain(text):
    tokenizer = trained("bpe")
    [tokens] = tokenizer.sampled_encoder(1.0)([text], 1)
    assert all(len(piece) == 1 or piece.startswith("<0x") for piece in tokenizer.pieces(tokens))


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
@given(text=HOSTILE, strength=st.floats(0.01, 0.9), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=80, deadline=None)
def test_however_it_is_cut_the_text_stays(kind, text, strength, seed):
    tokenizer = trained(kind)
    [tokens] = tokenizer.sampled_encoder(strength)([text], seed)
    assert tokenizer.decode(tokens) == tokenizer.normalise(text)


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
@pytest.mark.parametrize("text", ["Männer", "horse", "the field", "Pferd 我 <tag>"])
@pytest.mark.parametrize("strength", [0.1, 0.4])
def test_cuts_are_as_frequent_as_those_of_the_library(kind, text, strength):
    tokenizer = with_symbols(kind) if "<tag>" in text else trained(kind)
    ours = Counter(map(tuple, tokenizer.sampled_encoder(strength)([text] * DRAWS, 1)))
    processor = sentencepiece.SentencePieceProcessor(model_proto=tokenizer.model_bytes)
    drawn = processor.Encode([text] * DRAWS, num_threads=1, enable_sampling=True, nbest_size=-1, alpha=strength)
    theirs = Counter(map(tuple, drawn))
    assert len(ours) > 1
    for cut in ours | theirs:
        # Six standard errors of a difference of two counts: one of a thousand million comparisons fails by chance.
        assert abs(ours[cut] - theirs[cut]) <= 6 * (ours[cut] + theirs[cut] + 1) ** 0.5, tokenizer.pieces(cut)


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_another_process_draws_the_same(kind, tmp_path):
    trained(kind).save(tmp_path / "a.model")
    here = list(trained(kind).sampled_encoder(0.3)(LINES, 7))
    program = (
        "import json, sys; from pathlib import Path; from saccade.data.tokenizer import Tokenizer\n"
        "encode = Tokenizer.load(Path(sys.argv[1])).sampled_encoder(0.3)\n"
        "print(json.dumps(list(encode(json.loads(sys.argv[2]), 7))))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "a.model"), json.dumps(LINES)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == here


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_other_seeds_draw_others_and_what_came_before_changes_nothing(kind):
    encode = trained(kind).sampled_encoder(0.3)
    first = encode(LINES, 3)
    assert encode(LINES, 4) != first
    assert encode(LINES, 3) == first


@pytest.mark.parametrize(("kind", "sampler"), [("bpe", BpeDropout), ("unigram", UnigramSampling)])
def test_what_is_forgotten_changes_no_cut(kind, sampler):
    processor = trained(kind)._processor
    forgetful, keeping = (sampler(processor, processor.PieceToId, 0.3, most) for most in (5, 1_000_000))
    for seed in range(4):
        assert forgetful.encode(LINES, seed) == keeping.encode(LINES, seed)
        assert len(keeping._starts) > 6
    assert list(keeping.encode(["", " ", "a"], 1))[:2] == [[], []]
    assert len(list(keeping.encode([], 1))) == 0


@pytest.mark.parametrize("kind", ["character", "word"])
def test_characters_and_words_are_cut_in_the_only_way_there_is(kind):
    assert list(trained(kind).sampled_encoder(0.3)(LINES, 3)) == trained(kind).encode(LINES)


def test_a_model_whose_pieces_reach_over_spaces_is_cut_across_them(tmp_path):
    prefix = tmp_path / "over"
    sentencepiece.SentencePieceTrainer.Train(
        sentence_iterator=iter(["of the man", "of the horse", "of the field"] * 20), model_prefix=str(prefix),
        model_type="bpe", vocab_size=40, split_by_whitespace=False, minloglevel=2, num_threads=1,
    )  # fmt: skip
    processor = sentencepiece.SentencePieceProcessor(model_file=f"{prefix}.model")
    assert any(piece.rfind("\u2581") > 0 for piece in map(processor.IdToPiece, range(processor.GetPieceSize())))
    sampler = BpeDropout(processor, processor.PieceToId, 0.2)
    drawn = Counter(map(tuple, sampler.encode(["of the man"] * 500, 2)))
    assert all(processor.DecodeIds(list(cut)) == "of the man" for cut in drawn)
    assert any("\u2581" in processor.IdToPiece(token)[1:] for cut in drawn for token in cut)
