"""The tokens and words along the axes of a trace.

A model sees pieces, a reader words. Every token names its word; a special token, or the name of a language, is a word
of its own. Where a model
reads a single word letter by letter, each letter counts as a word. `span` is where a piece stands in the text, in
characters (code points); the bytes that spell a character the vocabulary lacks share its span.
"""

from collections.abc import Sequence
from typing import Any

from saccade.data.sentencepiece_model import SPACE
from saccade.data.tokenizer import Tokenizer
from saccade.special_tokens import BOS, EOS, PAD, UNK

NAMES = {PAD: "pad", EOS: "eos", UNK: "unk", BOS: "bos"}


def axis(tokenizer: Tokenizer, tokens: Sequence[int], text: str | None = None) -> dict[str, Any]:
    """Tokens and words; with the text they were cut from, also the span of each token."""
    pieces = tokenizer.pieces(tokens)
    words = _words(tokenizer, tokens)
    word_of = {position: number for number, word in enumerate(words) for position in word["pieces"]}
    special = [_special(tokenizer, token) for token in tokens]
    spans = _spans(special, pieces, text) if text is not None else [None] * len(tokens)
    listed = []
    for position, (token, piece, span) in enumerate(zip(tokens, pieces, spans, strict=True)):
        listed.append(
            {
                "i": position,
                "id": int(token),
                "piece": piece,
                "text": piece.replace(SPACE, ""),
                "word": word_of[position],
                "special": special[position],
                **({"span": list(span)} if span is not None else {}),
            }
        )
    return {"tokens": listed, "words": words}


def unknown_characters(tokenizer: Tokenizer, text: str) -> list[str]:
    """The characters of a text for which the vocabulary has no piece, in order, each once.

    They are spelled in bytes, or lost where the pieces are a closed list.
    """
    unknown = [word for word in tokenizer.normalise(text).split(" ") if _is_unknown(tokenizer, word)]
    # A known word may be made of letters that are no pieces themselves, so only unknown words are searched.
    return [character for character in dict.fromkeys("".join(unknown)) if _is_unknown(tokenizer, character)]


def _is_unknown(tokenizer: Tokenizer, text: str) -> bool:
    tokens = tokenizer.without_language.encode([text])[0]
    return UNK in tokens or any(_is_byte(piece) for piece in tokenizer.pieces(tokens))


def _words(tokenizer: Tokenizer, tokens: Sequence[int]) -> list[dict[str, Any]]:
    units = tokenizer.words(tokens)
    if tokenizer.kind == "character" and len(units) == 1:
        units = _letters(tokenizer, tokens)
    spelled = [
        {
            "text": tokenizer.decode([tokens[position] for position in pieces]) or SPACE,
            "pieces": pieces,
            "special": None,
        }
        for pieces in units
    ]
    inside = {position for pieces in units for position in pieces}
    special = [
        {"text": piece, "pieces": [position], "special": name}
        for position, (token, piece) in enumerate(zip(tokens, tokenizer.pieces(tokens), strict=True))
        if (name := _special(tokenizer, token)) and position not in inside
    ]
    return sorted(spelled + special, key=lambda word: word["pieces"][0])


def _special(tokenizer: Tokenizer, token: int) -> str | None:
    return "language" if tokenizer.is_language(token) else NAMES.get(token)


def _letters(tokenizer: Tokenizer, tokens: Sequence[int]) -> list[list[int]]:
    """The positions of each character; one spelled in bytes has several."""
    letters: list[list[int]] = []
    for position, (token, piece) in enumerate(zip(tokens, tokenizer.pieces(tokens), strict=True)):
        if _special(tokenizer, token):
            continue
        continues = _is_byte(piece) and 0x80 <= int(piece[3:5], 16) < 0xC0
        if continues and letters and letters[-1][-1] == position - 1:
            letters[-1].append(position)
        else:
            letters.append([position])
    return letters


def _spans(special: Sequence[str | None], pieces: Sequence[str], text: str) -> list[tuple[int, int] | None]:
    """Walks along the text piece by piece; the space before a word is not part of its span."""
    spans: list[tuple[int, int] | None] = []
    place, left = 0, 0  # the character reached, and how many of its bytes were spelled already
    for name, piece in zip(special, pieces, strict=True):
        if name:
            spans.append(None)
            continue
        if _is_byte(piece):
            place += left == 0 and text[place : place + 1] == " "
            size = len(text[place : place + 1].encode()) or 1
            spans.append((place, min(place + 1, len(text))))
            left += 1
            if left >= size:
                place, left = place + 1, 0
            continue
        place += piece.startswith(SPACE) and text[place : place + 1] == " "
        end = min(place + len(piece.replace(SPACE, "")), len(text))
        spans.append((place, end))
        place = end
    return spans


def _is_byte(piece: str) -> bool:
    return len(piece) == 6 and piece.startswith("<0x")
