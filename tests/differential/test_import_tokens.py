"""The tokenizers of imported models cut any text as those of transformers do."""

from dataclasses import dataclass
from typing import Any

import pytest
import sentencepiece
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

pytest.importorskip("transformers")

import transformers
from tests.differential.huggingface_folders import (
    LANGUAGES,
    m2m100_folder,
    marian_folder,
    pegasus_folder,
)

from saccade.data.vocabulary_tokenizer import VocabularyTokenizer
from saccade.interop.imports import read_model

pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")

HOSTILE = st.text(
    st.one_of(
        st.sampled_from("abcdefgé ñü\t\u00a0\u3000\u2581.!?<>/_"),
        st.sampled_from("😀你好مرحبا\u200d\u0301ﬁ①Å\ufeff\u0000"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
)
LINES = st.one_of(
    HOSTILE,
    st.builds(lambda code, text: code + text, st.sampled_from([*LANGUAGES, ">>nope<<", ">>", "<<", ">><<"]), HOSTILE),
)


@dataclass(frozen=True)
class Tokenizers:
    """Ours of both sides, and that of transformers for the same folder."""

    source: VocabularyTokenizer
    target: VocabularyTokenizer
    theirs: Any


def _one_pair(folder, write, kind):
    write(folder)
    imported = read_model(folder)
    return Tokenizers(imported.source_tokenizer, imported.target_tokenizer, kind.from_pretrained(folder))


def _m2m100(folder, nllb, kind, source, target):
    m2m100_folder(folder, nllb=nllb)
    imported = read_model(folder).between(source, target)
    theirs = kind.from_pretrained(folder, src_lang=source, tgt_lang=target)
    return Tokenizers(imported.source_tokenizer, imported.target_tokenizer, theirs)


KINDS = {
    "marian": lambda folder: _one_pair(folder, marian_folder, transformers.MarianTokenizer),
    "pegasus": lambda folder: _one_pair(folder, pegasus_folder, transformers.PegasusTokenizer),
    "m2m100": lambda folder: _m2m100(folder, False, transformers.M2M100Tokenizer, "en", "fr"),
    "nllb": lambda folder: _m2m100(folder, True, transformers.NllbTokenizer, "eng_Latn", "spa_Latn"),
}


@pytest.fixture(scope="module", params=KINDS)
def tokenizers(request, tmp_path_factory):
    return KINDS[request.param](tmp_path_factory.mktemp(request.param))


def check_tokens(tokenizers, line):
    theirs = tokenizers.theirs
    # Transformers reads the names of special tokens in a text as these tokens, also those that come of normalising it;
    # ours reads them as text.
    names = [token.content for token in theirs.added_tokens_decoder.values()]
    assume(not any(name in text for name in names for text in (line, tokenizers.source.normalise(line))))
    assume(not line.startswith(">>") or not isinstance(theirs, transformers.PegasusTokenizer))  # a language, for ours
    if isinstance(theirs, transformers.NllbTokenizer | transformers.PegasusTokenizer):
        check_rule(tokenizers.source, line, *((103, 105) if theirs.eos_token_id == 1 else (1, 3)))
        # Transformers no longer cuts these with sentencepiece: it keeps white space at the ends, and normalises letters
        # with their marks at once. Without these, its tokens are the same.
        line = " ".join(tokenizers.source.normalise(line).split())
        assume(line and tokenizers.source.normalise(line) == line)
    for tokenizer, expected in (
        (tokenizers.source, theirs(line).input_ids),
        (tokenizers.target, theirs(text_target=line).input_ids),
    ):
        tokens = [*tokenizer.language_tokens, *tokenizer.without_language.encode([line])[0]]
        found = [tokenizer.vocabulary.original_ids[token] for token in tokens]
        assert [*found, theirs.eos_token_id] == expected


def check_rule(tokenizer, line, first, unknown):
    """As they were trained: fairseq numbers a piece of sentencepiece one higher, Pegasus 103 higher."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=tokenizer.model_bytes)
    expected = [unknown if number == processor.unk_id() else number + first for number in processor.EncodeAsIds(line)]
    tokens = tokenizer.without_language.encode([line])[0]
    assert [tokenizer.vocabulary.original_ids[token] for token in tokens] == expected


@given(line=LINES)
@example(line=">>fra<< abc  def ")
@example(line=" 😀 ﬁne ① 你好 مرحبا")
@settings(max_examples=60, deadline=None)
def test_tokens_equal_those_of_transformers(tokenizers, line):
    check_tokens(tokenizers, line)


@pytest.mark.slow
@given(line=LINES)
@settings(max_examples=10_000, deadline=None)
def test_ten_thousand_hostile_lines_have_the_tokens_of_transformers(tokenizers, line):
    check_tokens(tokenizers, line)
