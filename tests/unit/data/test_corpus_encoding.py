import pytest

from saccade.data import corpus_encoding
from saccade.data.corpus_encoding import Augmentation, PairEncoder
from saccade.data.corpus_report import CorpusReport
from saccade.data.noise import TextNoise
from saccade.data.parallel_text import TOO_LONG
from saccade.data.tokenizer import Tokenizer

LINES = [
    (number, f"source line {number} of some", f"target {'word ' * (number % 5)}{number}") for number in range(1, 24)
]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train([text for line in LINES for text in line[1:]], pieces="bpe", size=330)


def encoded(encoder, sampling=None):
    report = CorpusReport(read=len(LINES), kept=len(LINES))
    return list(encoder.encode(LINES, report, "file", sampling)), report


def test_chunks_together_hold_all_pairs_in_order(tokenizer, monkeypatch):
    monkeypatch.setattr(corpus_encoding, "CHUNK", 7)
    chunks, _ = encoded(PairEncoder(tokenizer, tokenizer, 99))
    assert [len(chunk.texts) for chunk in chunks] == [7, 7, 7, 2]
    assert [text for chunk in chunks for text in chunk.texts] == [line[1:] for line in LINES]
    assert [row for chunk in chunks for row in chunk.copies[0][1]] == tokenizer.encode([line[2] for line in LINES])


def test_pairs_too_long_are_left_out_and_counted_with_their_lines(tokenizer):
    lengths = [max(map(len, tokenizer.encode(line[1:]))) + 1 for line in LINES]
    limit = sorted(set(lengths))[-2]
    chunks, report = encoded(PairEncoder(tokenizer, tokenizer, limit))
    over = [line[0] for line, length in zip(LINES, lengths, strict=True) if length > limit]
    assert over
    assert report.left_out[TOO_LONG].examples == [f"file:{number}" for number in over][:3]
    assert report.kept == len(LINES) - len(over) == sum(len(chunk.texts) for chunk in chunks)


def test_copies_are_cut_differently_and_mean_the_same(tokenizer):
    chunks, _ = encoded(PairEncoder(tokenizer, tokenizer, 99), Augmentation(0.3, copies=3, seed=5))
    copies = chunks[0].copies
    assert len({str(copy) for copy in copies}) == 3
    for sources, _ in copies:
        assert [tokenizer.decode(row) for row in sources] == [line[1] for line in LINES]


def test_copies_are_a_function_of_the_seed(tokenizer):
    encoder = PairEncoder(tokenizer, tokenizer, 99)
    assert encoded(encoder, Augmentation(0.3, 2, 5))[0] == encoded(encoder, Augmentation(0.3, 2, 5))[0]
    assert encoded(encoder, Augmentation(0.3, 2, 5))[0] != encoded(encoder, Augmentation(0.3, 2, 6))[0]


def test_a_pair_too_long_in_one_copy_is_in_none(tokenizer):
    chunks, report = encoded(PairEncoder(tokenizer, tokenizer, 18), Augmentation(0.9, copies=3, seed=5))
    assert report.count(TOO_LONG)
    assert {len(side) for copy in chunks[0].copies for side in copy} == {report.kept}
    assert all(len(row) < 18 for copy in chunks[0].copies for side in copy for row in side)


def test_a_pair_that_noise_makes_too_long_stays_without_noise(tokenizer):
    noise = TextNoise({"upper-case": 0.5, "doubled-punctuation": 0.5})
    lines = [(number, f"{source}.", f"{target}.") for number, source, target in LINES]
    # Capitals are not in the vocabulary: every letter of a line in capitals is a token.
    limit = max(len(row) for line in lines for row in tokenizer.encode([line[1] + ".", line[2]])) + 1
    report = CorpusReport(read=len(lines), kept=len(lines))
    encoder = PairEncoder(tokenizer, tokenizer, limit)
    (chunk,) = encoder.encode(lines, report, "file", Augmentation(0.0, 2, 5, noise))
    assert report.kept == len(lines)
    written = [[tokenizer.decode(row) for row in sources] for sources, _ in chunk.copies]
    assert written[0] != written[1]
    doubled = sum(text == f"{line[1]}." for texts in written for text, line in zip(texts, lines, strict=True))
    clean = sum(text == line[1] for texts in written for text, line in zip(texts, lines, strict=True))
    assert doubled + clean == 2 * len(lines)
    assert chunk.noise == {"doubled-punctuation": doubled}
