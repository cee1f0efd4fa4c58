"""Pieces learned from text: from a sample of its lines to a sentencepiece model."""

import io
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

import sentencepiece

from saccade.data.normalisation import normalise
from saccade.data.reservoir import reservoir
from saccade.data.sentencepiece_model import MODEL_TYPES, SPACE, PieceKind
from saccade.errors import ConfigError, InputError
from saccade.special_tokens import BOS, EOS, PAD, SPECIAL, UNK

# Learning looks at a bounded sample. Unigram's EM is ten times slower than counting merges.
SAMPLE_LINES: dict[PieceKind, int] = {"bpe": 500_000, "unigram": 200_000, "character": 500_000, "word": 500_000}
AUTOMATIC_SIZES: dict[PieceKind, int] = {"bpe": 8_000, "unigram": 8_000, "character": 65_000, "word": 65_000}
SMALLEST = SPECIAL + 256  # specials and bytes
# The rarest characters of a corpus are left to the bytes: first hardly any, more if they would fill the vocabulary.
COVERAGES = (0.9999, 0.9995, 0.998, 0.99, 0.98)
_THREADS = 8  # whatever the machine has: unigram sums floating-point counts in an order that depends on it
COUNTED = ("bpe", "word")  # kinds learned from words and how often they occur, whatever their neighbours
_TOO_SMALL = ("required_chars", "vocab_size", "insert_id")
"""What sentencepiece names where a vocabulary has no room for all characters, or not even for its specials."""


def learn_pieces(
    lines: Iterable[str],
    kind: PieceKind,
    *,
    size: int | None,
    sample_lines: int | None,
    seed: int,
    closed: bool,
    symbols: Sequence[str],
) -> bytes:
    """The serialised model; `Tokenizer.train` says what the arguments mean."""
    limit = SAMPLE_LINES[kind] if sample_lines is None else sample_lines
    sample = reservoir(lines, limit, random.Random(seed))
    if kind in COUNTED:
        counts = Counter(chain.from_iterable(map(str.split, sample)))
        return learn_from_words(counts.items(), kind, size=size, closed=closed, symbols=symbols)
    sentences = [text for text in map(normalise, sample) if text]
    return _learn_from(sentences, kind, size, closed, symbols)


def learn_from_words(
    counts: Iterable[tuple[str, int]],
    kind: PieceKind,
    *,
    size: int | None,
    closed: bool,
    symbols: Sequence[str],
) -> bytes:
    """The same from words, each with how often it occurs, for the kinds in `COUNTED`; their order is of no consequence.

    The library would count the words of lines just so, but in three times the time. It reads "word TAB count".
    """
    normalised: Counter[str] = Counter()
    for word, occurrences in counts:
        for part in (word,) if word.isascii() else normalise(word).split():
            normalised[part] += occurrences
    sentences = [f"{word}\t{occurrences}" for word, occurrences in normalised.items()]
    return _learn_from(sentences, kind, size, closed, symbols)


def _learn_from(sample: list[str], kind: PieceKind, size: int | None, closed: bool, symbols: Sequence[str]) -> bytes:
    if not sample:
        raise InputError("The text to learn pieces from must hold at least one word, but is empty.")
    wanted = AUTOMATIC_SIZES[kind] if size is None else size
    # A list of characters or words is meant to be complete; pieces made of a stray character are worth nothing.
    for coverage in COVERAGES if kind in ("bpe", "unigram") else (1.0, *COVERAGES):
        model = _learn(sample, kind, wanted, coverage, closed, symbols)
        if model is not None:
            return model
    raise ConfigError(
        f"`vocabulary` must leave room for {SMALLEST} specials and bytes and the characters of the text, "
        f"but is {wanted}. Choose a larger one."
    )


def _learn(
    sample: list[str],
    kind: PieceKind,
    size: int,
    coverage: float,
    closed: bool,
    symbols: Sequence[str],
) -> bytes | None:
    """The serialised model, or None when the characters of this coverage do not fit into the vocabulary."""
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.Train(
            sentence_iterator=iter(sample),
            input_format="tsv" if kind in COUNTED else "text",
            model_writer=model,
            model_type=MODEL_TYPES[kind],
            vocab_size=size,
            hard_vocab_limit=False,  # a small corpus has fewer pieces than asked for
            character_coverage=coverage,
            byte_fallback=not closed,
            add_dummy_prefix=kind != "character",  # a spelling needs no mark where its first word begins
            normalization_rule_name="identity",  # `normalise` has done it
            max_sentence_length=1 << 20,
            num_threads=_THREADS,
            pad_id=PAD,
            eos_id=EOS,
            unk_id=UNK,
            bos_id=BOS,
            user_defined_symbols=[SPACE + symbol for symbol in symbols],
            minloglevel=2,
        )
    except RuntimeError as error:
        if any(reason in str(error) for reason in _TOO_SMALL):
            return None
        raise InputError(f"No {kind} pieces can be learned from this text: {error}.") from error
    return model.getvalue()
