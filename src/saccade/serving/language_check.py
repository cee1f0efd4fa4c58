"""Warns of an input that is plainly in another language than the model translates from.

py3langid knows 140 languages. Of three lines of Tatoeba, Europarl, news and captions in English, German, French and
Spanish it never took the language for another one (17,200 times three lines), and it found the one it should least have
doubted 38 times as probable as the model's. The line is drawn between the two.

Where it does not know the model's language, the model itself is asked. A decoder is a language model of its target
language, and finds text of that language many times more probable than any other: with the shipped model, at least
exp(-5.5) for each token of Spanish and at most exp(-6.9) for English, a little better than a guess among all tokens.
What a model cannot even spell is noticed by its bytes.
"""

import math
from collections.abc import Sequence

from saccade.data.language_identification import bytes_of_letters, identifier, is_known, other_language
from saccade.data.language_names import language_name
from saccade.data.tokenizer import Tokenizer
from saccade.serving.translator import Translator

FEWEST_LINES, FEWEST_BYTES = 3, 40
"""Less text says too little about its language; the bytes are those of letters."""
FEWEST_BYTES_OF_SENTENCE = 20
"""Of one sentence alone: as much as `data/language_identification.py` was measured with."""
MOST_LINES = 100
"""More text says nothing new."""
# A share of log(vocabulary), which is what guessing costs for each token. English for English-Spanish: 0.78 and more;
# Spanish: 0.27 to 0.47 for everyday sentences, 0.43 to 0.61 for news.
FAMILIAR = 0.55
# A tokenizer spells what it has no piece for in bytes.
SPELT = 0.5


def language_warning(translator: Translator, lines: Sequence[str]) -> str | None:
    """A warning in one line about an input of several lines; None where nothing is wrong, or nothing can be said."""
    lines = [line for line in lines if line.strip()]
    lines = lines[:: max(len(lines) // MOST_LINES, 1)]
    if len(lines) < FEWEST_LINES or bytes_of_letters("".join(lines)) < FEWEST_BYTES:
        return None
    found = _suspected(translator, lines)
    if found is None:
        return None
    return f"The input {found}. Is it the right one?"


def language_warning_for_sentence(translator: Translator, sentence: str) -> str | None:
    """The same about one sentence that somebody has typed."""
    if bytes_of_letters(sentence) < FEWEST_BYTES_OF_SENTENCE:
        return None
    found = _suspected(translator, [sentence])
    return None if found is None else f"This {found}."


def _suspected(translator: Translator, lines: Sequence[str]) -> str | None:
    """What is wrong with the language of these lines."""
    source, target = translator.bundle.source_language, translator.bundle.target_language
    if translator.task != "translation" or not source or not target or source == target:
        return None
    try:
        identifier()
    except (OSError, MemoryError):  # it unpacks into a temporary file: no room for that is no reason not to translate
        return None
    if is_known(source):
        found = other_language("\n".join(lines), source)
    elif _spelt(translator.source_tokenizer, lines) > SPELT:
        return f"is mostly in characters that this model ({source} to {target}) has hardly seen"
    else:
        found = target if len(lines) >= FEWEST_LINES and _is_target(translator, lines) else None
    if found is None:
        return None
    languages = f"{language_name(source)} to {language_name(target)}"
    return f"looks like {language_name(found)}, but this model translates from {languages}"


def _is_target(translator: Translator, lines: Sequence[str]) -> bool:
    scored = list(translator.stream_scores(((line, line) for line in lines), truncate=True))
    per_token = sum(one.log_probability for one in scored) / sum(one.tokens for one in scored)
    return per_token >= -FAMILIAR * math.log(translator.target_tokenizer.size)


def _spelt(tokenizer: Tokenizer, lines: Sequence[str]) -> float:
    tokens = [token for line in tokenizer.encode(lines) for token in line]
    spelt = sum(piece.startswith("<0x") or piece == "<unk>" for piece in tokenizer.pieces(tokens))
    return spelt / max(len(tokens), 1)
