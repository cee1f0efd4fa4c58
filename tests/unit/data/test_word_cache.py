import io

import pytest
import sentencepiece
from hypothesis import example, given, settings
from hypothesis import strategies as st

from saccade.data.normalisation import normalise
from saccade.data.text_lines import read_lines
from saccade.data.tokenizer import LineEncoder, Tokenizer
from saccade.data.word_cache import WordEncoder

LINES = [
    "A man rides his horse across the field .",
    "Ein Mann reitet auf seinem Pferd über das Feld .",
    "Zwei Männer fahren « langsam » auf ihren Rädern …",
    "الرجل يركب حصانه في الحقل",
    "Two men slowly ride their bicycles , don’t they ?",
]
KINDS = ("bpe", "word")
# What might tie words together or keep them apart: white space of all kinds, marks that join what stands before them,
# marks without width, the library's own space, bytes and specials spelt out, characters of nobody.
SPACES = " \t\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2004\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
JOINING = "\u0300\u0301\u0308\u0323\u0338\u0345\u093c\u064b\u0651\u1100\u1161\u11a8\U0001d165\ufe0f\u20e3"
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u2063\x00\x01\x7f"
ODD = "▁▅\u2047\ue000\U000f0000\ufffe\uffff😀👩\U0001f1e9\ud800\udfff我們한글"
FRAGMENTS = st.sampled_from([*SPACES, *JOINING, *INVISIBLE, *ODD, "Mann", "über", "fie", "=", "<s>", "<0x41>", "<unk>"])
TEXTS = st.text(max_size=30) | st.lists(FRAGMENTS, max_size=20).map("".join)
LEARNED = {}


def learned(kind) -> Tokenizer:
    if kind not in LEARNED:
        LEARNED[kind] = Tokenizer.train(LINES, pieces=kind, size=420 if kind == "bpe" else None)
    return LEARNED[kind]


def whole(tokenizer: Tokenizer, texts):
    """What the library gives for whole lines."""
    return tokenizer._processor.Encode([normalise(text) for text in texts])


@pytest.mark.parametrize("kind", KINDS)
@given(texts=st.lists(TEXTS, max_size=5))
@example(
    texts=["", " ", "▁", "a ▁ b", "▁a▁", "e \u0301", "\u2000\u0338=", "=\u0338", "a\u00a0\u0308b", "\u1100 \u1161"]
)
@settings(max_examples=200, deadline=None)
def test_words_give_the_tokens_of_whole_lines(kind, texts):
    tokenizer = learned(kind)
    assert list(tokenizer.encoder().encode(texts)) == whole(tokenizer, texts)


@pytest.mark.parametrize("character", range(0, 0x3000, 0x400))
def test_no_character_ties_words_together(character):
    tokenizer = learned("bpe")
    texts = [f"a{chr(code)}b {chr(code)} {chr(code)}c d{chr(code)}" for code in range(character, character + 0x400)]
    assert list(tokenizer.encoder().encode(texts)) == whole(tokenizer, texts)


def test_a_word_is_cut_once():
    asked = []

    def cut(words):
        asked.extend(words)
        return [[len(word)] * len(word) for word in words]

    encoder = WordEncoder(cut)
    assert list(encoder.encode(["ab  c", "", "c ab"])) == [[2, 2, 1], [], [1, 2, 2]]
    assert list(encoder.encode(["ab def"])) == [[2, 2, 3, 3, 3]]
    assert asked == ["ab", "c", "def"]


@pytest.mark.parametrize("limits", [{"most_words": 3}, {"most_characters": 11}])
def test_what_is_remembered_is_bounded_and_changes_nothing(limits):
    asked = []

    def cut(words):
        asked.append(len(words))
        return [[ord(letter) for letter in word] for word in words]

    encoder = WordEncoder(cut, **limits)
    texts = [f"word{number % 5} same" for number in range(23)]
    rows = [row for text in texts for row in encoder.encode([text])]
    assert rows == [[ord(letter) for letter in text.replace(" ", "")] for text in texts]
    assert sum(asked) > 6
    assert len(encoder._numbers) <= 5


def test_an_interruption_leaves_no_word_without_tokens():
    def cut(words):
        if "stop" in words:
            raise KeyboardInterrupt
        return [[len(word)] for word in words]

    encoder = WordEncoder(cut)
    encoder.encode(["seven"])
    with pytest.raises(KeyboardInterrupt):
        encoder.encode(["seven fourteen stop"])
    assert list(encoder.encode(["seven fourteen"])) == [[5, 8]]


def test_kinds_whose_words_cannot_be_cut_alone_are_cut_by_line():
    for kind in ("unigram", "character"):
        assert isinstance(Tokenizer.train(LINES, pieces=kind, size=420).encoder(), LineEncoder)
    for kind in KINDS:
        assert isinstance(learned(kind).encoder(), WordEncoder)


@pytest.mark.parametrize(
    "options",
    [
        {"split_by_whitespace": False},
        {"add_dummy_prefix": False},
        {"normalization_rule_name": "nmt_nfkc"},
        {"user_defined_symbols": ["his horse"]},
        {"user_defined_symbols": ["his▁horse"]},
        {"treat_whitespace_as_suffix": True},
    ],
)
def test_a_model_from_elsewhere_is_cut_by_line(options):
    model = io.BytesIO()
    settings = {"normalization_rule_name": "identity", "vocab_size": 420, "pad_id": 0, "eos_id": 1, "unk_id": 2}
    settings |= {"bos_id": 3, "model_type": "bpe", "byte_fallback": True, "minloglevel": 2, "hard_vocab_limit": False}
    sentencepiece.SentencePieceTrainer.Train(
        sentence_iterator=iter(LINES * 5), model_writer=model, **(settings | options)
    )
    assert not Tokenizer(model.getvalue()).cuts_words_apart


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("corpus", "names"),
    [
        pytest.param("multi30k", ("train.de.gz", "train.en.gz", "train.fr.gz"), marks=pytest.mark.slow),
        pytest.param("tatoeba-en-de", ("train.de.xz", "valid.en"), marks=pytest.mark.slow),
        pytest.param("tatoeba-en-es", ("train.es.xz", "valid.es"), marks=pytest.mark.slow),
        ("europarl-de-en", ("dev.de", "dev.en", "test.de", "test.en")),
        ("wmt-newstest", ("newstest2012.de", "newstest2013.en")),
    ],
)
def test_words_give_the_tokens_of_whole_lines_of_real_text(kind, corpus, names, corpora):
    lines = [line for name in names for line in read_lines(corpora / corpus / name)][::5]
    tokenizer = Tokenizer.train(lines[::7], pieces=kind, size=2_003 if kind == "bpe" else None)
    assert list(tokenizer.encoder().encode(lines)) == whole(tokenizer, lines)
