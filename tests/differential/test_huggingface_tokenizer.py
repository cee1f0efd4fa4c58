"""MarianTokenizer, reading an export, cuts a text into the same ids as ours, and writes them as the same text."""

import random
import unicodedata
from itertools import islice

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from saccade.data.tokenizer import Tokenizer
from saccade.interop.huggingface_ids import our_ids
from saccade.interop.huggingface_tokenizer import write_tokenizers
from saccade.special_tokens import EOS

transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")

SENTENCES = (
    "Two men are talking in the street, and a child plays with a red ball.",
    "Él no sabe por qué los pájaros volvieron tan temprano este año.",
    "Niemand weiß, warum die Vögel früh zurückkamen; über das Wetter sprach man nicht.",
)
PLACES = ("<pad>", "</s>", "<unk>", "<s>", "▁", "  ", "\t", "\u00a0", "\u3000", ">> <<", "<0x41>", "\u200b", "\ufeff")
SCRIPTS = st.sampled_from(
    ["e\u0301", "e\u0323\u0302", "\u1100\u1161\u11a8", "中文", "العربية", "😀👩‍👩‍👧", "\ufb01", "\u212b"]
)
LINES = st.lists(
    st.one_of(st.sampled_from(PLACES), SCRIPTS, st.sampled_from(SENTENCES), st.text(max_size=9)), max_size=6
).map("".join)


def read(tokenizers, folder):
    folder.mkdir()
    write_tokenizers(folder, *tokenizers, our_ids(*tokenizers), maximum_length=100_000)
    return transformers.AutoTokenizer.from_pretrained(folder)


@pytest.fixture(scope="module")
def ours():
    return Tokenizer.train(SENTENCES * 3, pieces="bpe", size=340)


@pytest.fixture(scope="module")
def theirs(ours, tmp_path_factory):
    return read((ours, ours), tmp_path_factory.mktemp("exported") / "out")


def expressible(line):
    """Text that sentencepiece takes, names no language, and has no mark out of the order that Unicode gives them."""
    if any(0xD800 <= ord(character) < 0xE000 for character in line) or "\0" in line or line.startswith(">>"):
        return False
    decomposed = unicodedata.normalize("NFD", line)
    return unicodedata.normalize("NFC", line) == line or len(decomposed) != len(line) or decomposed == line


@given(line=LINES)
@example("</s> <pad> <unk>")
@example("e\u0323\u0302 e\u0302\u0323 \u1ec7 \u00ea\u0323")
def test_a_text_has_the_same_ids(ours, theirs, line):
    if expressible(line):
        assert theirs(line)["input_ids"] == [*ours.encode([line])[0], EOS]


RANGES = (
    *((0x20, 0x7F), (0xA0, 0x250), (0x300, 0x530), (0x590, 0x700), (0x900, 0xE80), (0x1E00, 0x2070), (0x3040, 0x3100)),
    *((0x4E00, 0x5000), (0xAC00, 0xAE00), (0xF900, 0xFB50), (0x1F300, 0x1F700), (0xE000, 0xE010)),
)


def hostile_lines(draw):
    """Any characters in composed form; or decomposed, but then no marks beside those of the characters themselves."""
    while True:
        parts = []
        for _ in range(draw.randrange(1, 9)):
            characters = [chr(draw.randrange(*draw.choice(RANGES))) for _ in range(draw.randrange(1, 7))]
            bases = [character for character in characters if not unicodedata.combining(character)]
            composed, decomposed = (
                unicodedata.normalize(form, "".join(text)) for form, text in (("NFC", characters), ("NFD", bases))
            )
            parts.append(draw.choice((composed, decomposed, draw.choice(PLACES), draw.choice(SENTENCES))))
        line = draw.choice(("", "  ")) + " ".join(parts)
        if not line.startswith(">>"):
            yield line


@pytest.mark.slow
@pytest.mark.parametrize("pieces", ["bpe", "unigram", "character", "word"])
def test_ten_thousand_hostile_lines_have_the_same_ids_and_the_same_text(pieces, tmp_path):
    ours = Tokenizer.train(SENTENCES * 3, pieces=pieces, size=420)
    theirs = read((ours, ours), tmp_path / "out")
    lines = list(islice(hostile_lines(random.Random(5)), 10_000))
    expected = ours.encode(lines)
    differing = [line for line, ids in zip(lines, expected, strict=True) if theirs(line)["input_ids"] != [*ids, EOS]]
    assert differing == []
    texts = theirs.batch_decode(expected[:2000], skip_special_tokens=True)
    assert texts == [ours.decode(ids) for ids in expected[:2000]]


def test_sides_with_pieces_of_their_own_stay_apart(ours, tmp_path):
    target = Tokenizer.train(SENTENCES[1:] * 3, pieces="unigram", size=311)
    theirs = read((ours, target), tmp_path / "out")
    both = theirs(SENTENCES[0], text_target=SENTENCES[1])
    assert both["input_ids"] == [*ours.encode(SENTENCES[:1])[0], EOS]
    assert both["labels"] == [*target.encode(SENTENCES[1:2])[0], EOS]
    assert theirs.decode(both["labels"], skip_special_tokens=True) == SENTENCES[1]
