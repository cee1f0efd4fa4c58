import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.data.trained_tokenizers import KINDS, LINES, trained

from saccade.data import tokenizer as module
from saccade.data.normalisation import normalise
from saccade.data.tokenizer import SPECIALS, Tokenizer
from saccade.errors import ConfigError, FormatError
from saccade.special_tokens import BOS, EOS, PAD, UNK


@pytest.mark.parametrize("kind", KINDS)
@given(text=st.text(max_size=60) | st.text("Man über  Feld ▁<s>0x41\u0301\u00a0 .", max_size=40))
@settings(max_examples=200, deadline=None)
def test_decoding_is_the_inverse_of_encoding_on_normalised_text(kind, text):
    tokenizer = trained(kind)
    tokens = tokenizer.encode([text])[0]
    assert tokenizer.decode(tokens) == tokenizer.normalise(text)
    assert not set(tokens) & {PAD, EOS, UNK, BOS}


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_any_pieces_are_decoded_as_the_library_decodes_them(kind, data):
    tokenizer = trained(kind)
    pieces = sorted({*range(tokenizer.size)} - SPECIALS - tokenizer._byte_values.keys())
    tokens = data.draw(st.lists(st.sampled_from(pieces), max_size=12))
    assert tokenizer.decode(tokens) == " ".join(tokenizer._processor.DecodeIds(tokens).replace("\u2581", " ").split())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text", ["😀👩‍👩‍👧 gut", "我们在田野里骑马。", "الرجل يركب حصانه", "e\u0301 A\u030a", "<unk> </s> <0x41>", "\ufeff"]
)
def test_no_script_is_unrepresentable(kind, text):
    tokenizer = trained(kind)
    assert tokenizer.decode(tokenizer.encode([text])[0]) == unicodedata.normalize("NFC", text)


def test_half_a_surrogate_pair_is_replaced():
    assert trained("bpe").decode(trained("bpe").encode(["a \ud800"])[0]) == "a \ufffd"


@pytest.mark.parametrize("kind", KINDS)
def test_specials_have_their_places_and_are_skipped(kind):
    tokenizer = trained(kind)
    tokens = tokenizer.encode(["the man"])[0]
    assert tokenizer.decode([BOS, *tokens, EOS, PAD, PAD, UNK]) == "the man"
    assert tokenizer.pieces([PAD, EOS, UNK, BOS]) == ["<pad>", "</s>", "<unk>", "<s>"]


@pytest.mark.parametrize("kind", KINDS)
def test_saving_and_loading_is_the_identity(kind, tmp_path):
    trained(kind).save(tmp_path / "a.model")
    loaded = Tokenizer.load(tmp_path / "a.model")
    assert loaded == trained(kind)
    assert (loaded.kind, loaded.size) == (kind, trained(kind).size)
    assert loaded.encode(LINES) == trained(kind).encode(LINES)


def test_each_kind_cuts_as_its_name_says():
    assert trained("character").pieces(trained("character").encode(["Man"])[0]) == ["M", "a", "n"]
    assert trained("word").pieces(trained("word").encode(["Das Pferd"])[0]) == ["▁Das", "▁Pferd"]
    assert len(trained("bpe").encode(["horse"])[0]) < 5


@pytest.mark.parametrize("kind", KINDS)
def test_many_lines_are_cut_as_single_lines_are(kind, monkeypatch):
    monkeypatch.setattr(module, "BY_WORD", 1)
    texts = [*LINES, "", "Pferde  über Räder 😀", "x" * 300]
    assert trained(kind).encode(texts) == [trained(kind)._processor.Encode(normalise(text)) for text in texts]


@pytest.mark.parametrize("kind", KINDS)
@given(text=st.text(max_size=40) | st.text("Man reitet  über 我们 .", max_size=40))
@settings(deadline=None)
def test_words_cover_the_tokens_of_each_word_of_the_text(kind, text):
    tokenizer = trained(kind)
    tokens = [*tokenizer.encode([text])[0], EOS]
    words = tokenizer.words(tokens)
    assert [position for word in words for position in word] == list(range(len(tokens) - 1))
    assert [tokenizer.decode([tokens[position] for position in word]) for word in words] == normalise(text).split()


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(deadline=None)
def test_whatever_bytes_a_model_writes_its_text_is_text_and_its_words_are_those_of_the_text(kind, data):
    tokenizer = trained(kind)
    spelled = tokenizer.encode(["我😀é\u00a0"])[0]
    tokens = data.draw(st.lists(st.integers(0, tokenizer.size - 1) | st.sampled_from(spelled), max_size=12))
    text = tokenizer.decode(tokens)
    assert "\ufffd" not in text
    assert tokenizer.decode(tokenizer.encode([text])[0]) == normalise(text)
    words = tokenizer.words(tokens)
    assert [tokenizer.decode([tokens[position] for position in word]) for word in words] == (
        text.split() or [""] * len(words)
    )
    placed = sorted(position for word in words for position in word)
    assert placed == [place for place, token in enumerate(tokens) if token not in SPECIALS]


@pytest.mark.parametrize("kind", KINDS)
def test_half_a_character_is_left_out_and_a_whole_one_is_kept(kind):
    tokenizer = trained(kind)
    whole = tokenizer.encode(["Man 😀 reitet"])[0]
    face = [place for place, piece in enumerate(tokenizer.pieces(whole)) if piece == "<0x98>"]
    assert len(face) == 1
    assert tokenizer.decode(whole[: face[0]]) == "Man"
    assert tokenizer.decode(whole[: face[0]] + whole[face[0] + 1 :]) == "Man reitet"
    assert tokenizer.decode(tokenizer.encode(["\ufffd"])[0]) == "\ufffd"


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
@pytest.mark.parametrize("size", [1, 3, 80, 259])
def test_a_vocabulary_without_room_for_what_it_must_hold_is_refused(kind, size):
    with pytest.raises(ConfigError, match=f"`vocabulary` must leave room for 260 specials .*, but is {size}\\."):
        Tokenizer.train(["a few words"] * 5, pieces=kind, size=size)


def test_a_damaged_model_is_refused(tmp_path):
    for content in (b"", b"nonsense", trained("bpe").model_bytes[:-100]):
        (tmp_path / "a.model").write_bytes(content)
        with pytest.raises(FormatError, match=r"a\.model"):
            Tokenizer.load(tmp_path / "a.model")
    with pytest.raises(FormatError, match=r"b\.model"):
        Tokenizer.load(tmp_path / "b.model")
