"""Unknown words replaced by the source words they attended to."""

from pathlib import Path

import pytest
import torch
from tests.unit.serving.conftest import SENTENCES

from saccade.data.tokenizer import UNKNOWN, Tokenizer
from saccade.errors import ConfigError, InputError
from saccade.models.catalogue import build
from saccade.models.luong import LuongConfig
from saccade.models.seq2seq import SutskeverConfig
from saccade.sequences import Sequences
from saccade.serving.bundle import Bundle
from saccade.serving.translator import Translator
from saccade.serving.unknown_words import UnknownWords
from saccade.special_tokens import UNK

LINE = "The Snark of the town knows Zeitungen today"
CONFIGS = {"luong": LuongConfig(width=13, layers=1), "seq2seq": SutskeverConfig(width=13, layers=1)}


@pytest.fixture(scope="module")
def words() -> Tokenizer:
    """A vocabulary of words that cannot spell others."""
    return Tokenizer.train(SENTENCES, pieces="word", closed=True)


@pytest.fixture(scope="module")
def make(words):
    def translator(architecture: str, tokenizer: Tokenizer = words) -> Translator:
        torch.manual_seed(3)
        model = build(architecture, CONFIGS[architecture], tokenizer.size, tokenizer.size).eval()
        bundle = Bundle(
            model=model, architecture=architecture, model_config=CONFIGS[architecture], source_tokenizer=tokenizer,
            target_tokenizer=tokenizer, task="translation", source_language="en", target_language="xx",
            decoding={"size": 3, "alpha": 0.6, "extra_length": 4}, storage="float32", digest="5" * 64,
        )  # fmt: skip
        return Translator([bundle], torch.device("cpu"))

    return translator


def test_every_unknown_word_is_one_token_and_is_written(words):
    [tokens] = words.encode([LINE])
    assert tokens.count(UNK) == 3
    assert words.decode(tokens) == f"The {UNKNOWN} of the town knows {UNKNOWN} {UNKNOWN}"
    assert words.words(tokens) == [[place] for place in range(len(tokens))]


def test_each_is_replaced_by_the_word_of_largest_weight(make, words):
    translator = make("luong")
    dictionary = {"Snark": "Schnark", "knows": "kennt"}
    # What a prefix cannot say is unknown as well, so these begin with known and unknown words.
    [plain] = translator.translate_batch([LINE], nbest=3, prefix="Snark The Snark")
    [replaced] = translator.translate_batch(
        [LINE], nbest=3, prefix="Snark The Snark", unknown_words=UnknownWords(dictionary)
    )
    source = LINE.split()
    for before, after in zip(plain.nbest, replaced.nbest, strict=True):
        target = [UNK if word == UNKNOWN else words.encode([word])[0][0] for word in before.text.split()]
        pair = Sequences.of([[*words.encode([LINE])[0], 1]]), Sequences.of([[*target, 1]])
        with torch.no_grad():
            weights = translator.model.align(pair[1], translator.model.encode(pair[0]))[0].tolist()
        assert before.text.startswith(f"{UNKNOWN} The {UNKNOWN}")
        expected = []
        for place, word in enumerate(before.text.split()):
            if word == UNKNOWN:
                row = weights[place][: len(source)]
                looked_at = source[row.index(max(row))]
                word = dictionary.get(looked_at, looked_at)
            expected.append(word)
        assert after.text == " ".join(expected)
        assert after.alignment is None


def test_a_dictionary_is_read_and_a_line_that_is_none_is_named(tmp_path: Path):
    file = tmp_path / "dictionary.tsv"
    file.write_text("Haus\thouse\nHaus\thome\nalter  Mann\told man\n", encoding="utf-8")
    assert UnknownWords.read(str(file)).dictionary == {"Haus": "house", "alter Mann": "old man"}
    assert UnknownWords.read("copy") == UnknownWords()
    file.write_text("Haus\thouse\nMaus\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 2 of `.*` must be a source word, a tab and its translation"):
        UnknownWords.read(str(file))


def test_a_model_without_unknown_words_or_attention_is_refused(make, tokenizer):
    with pytest.raises(ConfigError, match="must come with a word vocabulary that has an unknown word"):
        make("luong", tokenizer).translate(LINE, unknown_words=UnknownWords())
    with pytest.raises(ConfigError, match="must come with a model that attends to its source"):
        make("seq2seq").translate(LINE, unknown_words=UnknownWords())


def test_a_trace_shows_an_unknown_word_as_a_word(make):
    traced = make("luong").trace(LINE, force="The Snark")
    words = traced["axes"]["source"]["words"]
    assert [word["text"] for word in words][:3] == ["The", UNKNOWN, "of"]
    assert [word["pieces"] for word in words] == [[place] for place in range(len(words))]
