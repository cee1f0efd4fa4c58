"""Does an input look like the language that a model translates from? One suspicion, and only where it is strong.

A decoder is a language model of its target language. Asked how probable an input is as an output, it finds text of its
own language many times more probable than any other: with the shipped model, on groups of five lines of Tatoeba, news
and captions, at least exp(-5.5) for each token of Spanish and at most exp(-6.9) for English, a little better than a
guess among all tokens. The line is drawn well on the side of the target language, as a share of that guess, so that an
input is suspected only when it is plainly no source text. What a model cannot even spell is noticed by its bytes.
"""

import math
from collections.abc import Sequence

from saccade.data.tokenizer import Tokenizer
from saccade.serving.translator import Translator

FEWEST_LINES = 5
"""A line or two say too little about a language."""
# A share of log(vocabulary), which is what guessing costs for each token. English for English-Spanish: 0.78 and more;
# Spanish: 0.27 to 0.47 for everyday sentences, 0.43 to 0.61 for news.
FAMILIAR = 0.55
# A tokenizer spells what it has no piece for in bytes.
SPELT = 0.5


def suspicion(translator: Translator, lines: Sequence[str]) -> str | None:
    """A warning in one line; None where nothing is wrong, or nothing can be said."""
    source, target = translator.bundle.source_language, translator.bundle.target_language
    lines = [line for line in lines if line.strip()]
    if translator.task != "translation" or not source or not target or source == target or len(lines) < FEWEST_LINES:
        return None
    if _spelt(translator.source_tokenizer, lines) > SPELT:
        return f"Most of the input is in characters that this model ({source} to {target}) has hardly seen."
    scored = list(translator.stream_scores(((line, line) for line in lines), truncate=True))
    per_token = sum(one.log_probability for one in scored) / sum(one.tokens for one in scored)
    if per_token < -FAMILIAR * math.log(translator.target_tokenizer.size):
        return None
    return f"The input looks like {target}, but this model translates from {source} to {target}. Is it the right one?"


def _spelt(tokenizer: Tokenizer, lines: Sequence[str]) -> float:
    tokens = [token for line in tokenizer.encode(lines) for token in line]
    spelt = sum(piece.startswith("<0x") or piece == "<unk>" for piece in tokenizer.pieces(tokens))
    return spelt / max(len(tokens), 1)
