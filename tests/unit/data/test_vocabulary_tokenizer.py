import io

import pytest
import sentencepiece

from saccade.data.tokenizer import Tokenizer
from saccade.data.tokenizer_files import load_tokenizers, save_tokenizers
from saccade.data.vocabulary_tokenizer import Vocabulary, VocabularyTokenizer
from saccade.errors import FormatError
from saccade.special_tokens import BOS, EOS, PAD, UNK

NUMBERED = ["</s>", "<unk>", "\u2581", "a", "b", "c", "\u2581ab", ">>fra<<", "<pad>"]


@pytest.fixture(scope="module")
def model():
    made = io.BytesIO()
    sentencepiece.SentencePieceTrainer.Train(
        sentence_iterator=iter(["ab abc ab c", "cab ab abc"] * 9), model_writer=made, vocab_size=9,
        hard_vocab_limit=False, num_threads=1, minloglevel=2,
    )  # fmt: skip
    return made.getvalue()


def tokenizer_of(model, prefix=()):
    return VocabularyTokenizer(model, Vocabulary.of(NUMBERED, pad=8, eos=0, unk=1, prefix=prefix))


def test_specials_come_first_and_all_others_keep_their_order():
    vocabulary = Vocabulary.of(NUMBERED, pad=8, eos=0, unk=1)
    assert vocabulary.pieces == ("<pad>", "</s>", "<unk>", "<s>", *NUMBERED[2:8])
    assert vocabulary.original_ids == (8, 0, 1, None, 2, 3, 4, 5, 6, 7)
    assert [NUMBERED[number] for number in vocabulary.original_ids if number is not None] == [
        piece for piece in vocabulary.pieces if piece != "<s>"
    ]


def test_a_start_that_is_taken_gets_another_name():
    assert Vocabulary.of([*NUMBERED, "<s>"], pad=8, eos=0, unk=1).pieces[BOS] == "<s_0>"


def test_a_start_has_a_name_of_its_own_however_many_are_taken():
    taken = ["<s>", *(f"<s_{number}>" for number in range(100_003))]
    assert Vocabulary.of([*NUMBERED, *taken], pad=8, eos=0, unk=1).pieces[BOS] == "<s_100003>"


def test_a_piece_that_is_there_twice_is_named_however_many_there_are():
    pieces = [f"p{number}" for number in range(100_003)]
    with pytest.raises(FormatError, match="but 'p100002' is there twice"):
        Vocabulary.of([*NUMBERED, *pieces, pieces[-1]], pad=8, eos=0, unk=1)


@pytest.mark.parametrize("numbers", [(0, 0, 1), (99, 0, 1), (8, -1, 1)])
def test_specials_must_be_three_numbers_of_the_vocabulary(numbers):
    with pytest.raises(FormatError, match="must be"):
        Vocabulary.of(NUMBERED, *numbers)


def test_what_the_vocabulary_lacks_is_unknown_and_a_language_is_one_token(model):
    tokenizer = tokenizer_of(model)
    french = tokenizer.vocabulary.ids[">>fra<<"]
    assert tokenizer.encode([">>fra<<"]) == [[french]]
    assert tokenizer.encode([">>fra<< ab"])[0][0] == french
    assert tokenizer.encode([">>deu<<"]) == [[UNK]]
    assert UNK in tokenizer.encode(["ab \u4f60"])[0]
    assert tokenizer.encode(["", " "]) == [[], []]


def test_a_prefix_stands_before_every_text_that_names_no_language_itself(model):
    plain, prefixed = tokenizer_of(model), tokenizer_of(model, prefix=(">>fra<<",))
    assert prefixed.encode(["ab"]) == plain.encode([">>fra<<ab"])
    assert prefixed.encode([">>deu<<ab"]) == plain.encode([">>deu<<ab"])
    assert prefixed.encode([""]) == [[]]
    assert prefixed.decode(prefixed.encode(["ab ab"])[0]) == "ab ab"


def test_names_of_specials_in_a_text_are_text(model):
    assert not {PAD, EOS, BOS} & set(tokenizer_of(model).encode(["</s> <pad> <s>"])[0])


def test_decoding_gives_the_text_back_and_words_their_pieces(model):
    tokenizer = tokenizer_of(model)
    tokens = tokenizer.encode(["ab  ab ab"])[0]
    assert tokenizer.decode([*tokens, EOS, PAD]) == "ab ab ab"
    assert tokenizer.normalise("ab  ab ab ") == "ab ab ab"
    assert len(tokenizer.words(tokens)) == 3


def test_tokenizers_are_saved_and_loaded(tmp_path, model):
    one, other = tokenizer_of(model), tokenizer_of(model, prefix=(">>fra<<",))
    assert one != other
    assert one == tokenizer_of(model)
    (tmp_path / "two").mkdir()
    save_tokenizers(tmp_path, one, one)
    save_tokenizers(tmp_path / "two", other, one)
    assert load_tokenizers(tmp_path, joint=True) == (one, one)
    assert load_tokenizers(tmp_path / "two", joint=False) == (other, one)
    (tmp_path / "joint.vocabulary.json").write_text('{"format": 1, "pieces": [], "pad": 0}')
    with pytest.raises(FormatError, match=r"joint.vocabulary.json` is damaged or altered: `eos` is missing"):
        load_tokenizers(tmp_path, joint=True)


def test_a_tokenizer_of_ours_has_no_vocabulary():
    assert Tokenizer.train(["a b"], pieces="bpe").vocabulary is None


def test_a_text_cut_at_random_keeps_its_language_and_its_beginning(model):
    tokenizer = tokenizer_of(model, prefix=("b",))
    texts = [">>fra<< abc ab", "cab", "", "xyz"]
    drawn = list(tokenizer.sampled_encoder(50.0)(texts, 1))
    assert drawn == tokenizer.encode(texts)  # so strong a preference for the best leaves no other
    assert {tuple(row) for seed in range(20) for row in tokenizer.sampled_encoder(0.1)(["abc"], seed)} > {
        tuple(tokenizer.encode(["abc"])[0])
    }
