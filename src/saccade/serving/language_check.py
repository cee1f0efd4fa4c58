"""Does an input look like the language that a model translates from? One suspicion, and only where it is strong.

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
from functools import cache
from typing import Any

from saccade.data.tokenizer import Tokenizer
from saccade.serving.translator import Translator

FEWEST_LINES, FEWEST_BYTES = 3, 40
"""Less text says too little about its language; the bytes are those of letters."""
MOST_LINES = 100
"""More text says nothing new."""
IMPROBABLE = 1 / 20
"""How probable the model's language must be, as a share of the most probable one's probability."""
_NO_LANGUAGE = "zxx"
# A share of log(vocabulary), which is what guessing costs for each token. English for English-Spanish: 0.78 and more;
# Spanish: 0.27 to 0.47 for everyday sentences, 0.43 to 0.61 for news.
FAMILIAR = 0.55
# A tokenizer spells what it has no piece for in bytes.
SPELT = 0.5


def suspicion(translator: Translator, lines: Sequence[str]) -> str | None:
    """A warning in one line; None where nothing is wrong, or nothing can be said."""
    source, target = translator.bundle.source_language, translator.bundle.target_language
    if translator.task != "translation" or not source or not target or source == target:
        return None
    lines = [line for line in lines if line.strip()]
    lines = lines[:: max(len(lines) // MOST_LINES, 1)]
    letters = "".join(character for line in lines for character in line if character.isalpha())
    if len(lines) < FEWEST_LINES or len(letters.encode("utf-8", "surrogatepass")) < FEWEST_BYTES:
        return None
    try:
        identifier = _identifier()
    except (OSError, MemoryError):  # it unpacks into a temporary file: no room for that is no reason not to translate
        return None
    if _code(source) in identifier.labels:
        found = _other_language(dict(identifier.rank("\n".join(lines))), _code(source))
    elif _spelt(translator.source_tokenizer, lines) > SPELT:
        return f"Most of the input is in characters that this model ({source} to {target}) has hardly seen."
    else:
        found = target if _is_target(translator, lines) else None
    if found is None:
        return None
    return f"The input looks like {found}, but this model translates from {source} to {target}. Is it the right one?"


def _other_language(probabilities: dict[str, float], expected: str) -> str | None:
    """The most probable language, if the expected one is improbable beside it."""
    del probabilities[_NO_LANGUAGE]  # numbers, addresses and the like
    best = max(probabilities, key=lambda language: probabilities[language])
    return best if probabilities[expected] < IMPROBABLE * probabilities[best] else None


def _code(language: str) -> str:
    """The language without its country or script: pt for pt-BR, zh for zh_Hans."""
    return language.replace("_", "-").partition("-")[0].lower()


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # reads 65 MB: only where there is text to judge

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def _is_target(translator: Translator, lines: Sequence[str]) -> bool:
    scored = list(translator.stream_scores(((line, line) for line in lines), truncate=True))
    per_token = sum(one.log_probability for one in scored) / sum(one.tokens for one in scored)
    return per_token >= -FAMILIAR * math.log(translator.target_tokenizer.size)


def _spelt(tokenizer: Tokenizer, lines: Sequence[str]) -> float:
    tokens = [token for line in tokenizer.encode(lines) for token in line]
    spelt = sum(piece.startswith("<0x") or piece == "<unk>" for piece in tokenizer.pieces(tokens))
    return spelt / max(len(tokens), 1)
