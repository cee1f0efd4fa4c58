"""A corpus read once is prepared as one read twice, byte for byte."""

import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.data.small_corpus import small_corpus

from saccade.data import corpus_encoding, learned_tokenizers
from saccade.data.config import DataConfig
from saccade.data.corpus_encoding import numbered_chunks
from saccade.data.corpus_report import CorpusReport
from saccade.data.corpus_scan import scan_corpus
from saccade.data.corpus_words import CorpusWords
from saccade.data.corpus_workers import words_of_chunks
from saccade.data.prepare import WORDS, _Preparation, prepare
from saccade.data.tokenizer import Tokenizer

LINES = ["Anna sieht Bert .", "Bert hört\u2028Carla", "", "Carla  ruft e\u0301", "und nie " * 40, "\u00e9 Dora", "so"]


@pytest.fixture
def config(tmp_path) -> DataConfig:
    """A corpus with a reason of every kind to leave a pair out, in most of its chunks and after the last."""
    draw = random.Random(3)
    for side in ("de", "en"):
        lines = [f"{draw.choice(LINES)} {number % 37}".lstrip() for number in range(300)]
        lines[::11] = [""] * len(lines[::11])
        lines[5::29] = ["x " * (900 if side == "de" else 4)] * len(lines[5::29])
        (tmp_path / f"train.{side}").write_text("".join(f"{line}\n" for line in lines))
        (tmp_path / f"valid.{side}").write_text("Anna sieht Bert .\nBert ruft Dora\n")
    names = {f"{split}{side}": str(tmp_path / f"{split or 'train'}.{language}".replace("_", ""))
             for split in ("", "valid_") for side, language in (("source", "de"), ("target", "en"))}  # fmt: skip
    return DataConfig(**names, vocabulary=330, maximum_length=60)


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


CHANGES = {
    "joint": {},
    "apart": {"joint": False},
    "words": {"pieces": "word", "vocabulary": 20, "byte_fallback": False},
    "automatic": {"vocabulary": None},
    "symbols": {"symbols": ("Anna", "<tag>")},
    "held out": {"valid_source": None, "valid_target": None, "valid_lines": 13},
    "one held out": {"valid_source": None, "valid_target": None, "valid_lines": 1, "joint": False},
    "held out over a space": {"valid_source": None, "valid_target": None, "symbols": ("Anna\u2581sieht",)},
    "held out text": {"task": "language-modelling", "target": None, "valid_source": None, "valid_target": None},
    "over a space": {"symbols": ("Anna\u2581sieht",)},
    "text": {"task": "language-modelling", "target": None, "valid_target": None},
}


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("sample", [41, 100_000])
def test_from_words_is_read_twice_byte_for_byte(changes, sample, config, tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_encoding, "CHUNK", 31)
    monkeypatch.setattr(learned_tokenizers, "SAMPLE_LINES", dict.fromkeys(learned_tokenizers.SAMPLE_LINES, sample))
    changed = replace(config, **changes)
    asked = []
    once = _Preparation._from_words
    monkeypatch.setattr(_Preparation, "_from_words", lambda *given: asked.append(1) or once(*given))
    prepare(changed, tmp_path / "once")
    assert asked
    monkeypatch.setattr(_Preparation, "_words_are_enough", False)
    prepare(changed, tmp_path / "twice")
    assert len(asked) == 1
    assert files(tmp_path / "once") == files(tmp_path / "twice")
    assert not (tmp_path / "once" / WORDS).exists()


@pytest.mark.slow
def test_processes_read_words_as_one_does(config, tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_encoding, "CHUNK", 31)
    for workers in (1, 3):
        prepare(config, tmp_path / str(workers), workers=workers)
    assert files(tmp_path / "1") == files(tmp_path / "3")


@given(
    st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(LINES)), max_size=40),
    st.integers(1, 45),
    st.integers(0, 3),
)
def test_counts_are_those_of_the_sample_of_a_scan(tmp_path_factory, pairs, sample, sources):
    found = scan_corpus(pairs, sample_pairs=sample, held_out_sources=sources, seed=5)
    words = CorpusWords(tmp_path_factory.mktemp("counts") / WORDS)
    numbered = [(3 * number, *pair) for number, pair in enumerate(pairs, start=1)]
    held_out = [pair[0] for pair in numbered if pair[1] in found.held_out]
    remaining = [pair for pair in numbered if pair[1] not in found.held_out]
    parts = [remaining[begin : begin + 7] for begin in range(0, len(remaining), 7)]
    chunks = (chunk for part in parts for chunk in numbered_chunks(part, CorpusReport()))
    words.write(words_of_chunks(chunks, 1))
    assert words.pairs == len(pairs) - len(held_out)
    expected = [Counter(word for pair in found.sample for word in pair[side].split()) for side in (0, 1)]

    def counted(*, joint):
        counts = words.counts(sample, seed=5, joint=joint, held_out=held_out)
        return [dict(side.counted()) for side in counts]

    assert counted(joint=False) == expected
    assert counted(joint=True) == 2 * [expected[0] + expected[1]]


@pytest.mark.parametrize("kind", ["bpe", "word"])
def test_pieces_of_words_are_those_of_lines_whatever_their_order(kind):
    lines = LINES * 3 + ["Anna Carla ruft so", "e\u0301 \u00e9 a\u2581b"]
    counts = list(Counter(word for line in lines for word in line.split()).items())
    expected = Tokenizer.train(lines, pieces=kind, size=300).model_bytes
    for seed in range(3):
        random.Random(seed).shuffle(counts)
        assert Tokenizer.train_on_words(counts, pieces=kind, size=300).model_bytes == expected


@pytest.mark.parametrize("stage", ["reading", "learning pieces", "encoding"])
def test_an_interruption_leaves_nothing(stage, config, tmp_path):
    before = sorted(tmp_path.iterdir())

    def interrupted(message, done, total):
        if message == stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare(config, tmp_path / "out", interrupted)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("changes", [{"sampling": 0.2}, {"noise": 0.5}, {"pieces": "unigram", "vocabulary": 300}])
def test_a_corpus_of_which_words_are_not_enough_is_read_as_text(changes, tmp_path, monkeypatch):
    monkeypatch.setattr(_Preparation, "_from_words", None)
    prepare(replace(small_corpus(tmp_path), **changes), tmp_path / "out")


def test_processes_that_encode_need_no_torch():
    code = "import sys, saccade.data.corpus_workers; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
