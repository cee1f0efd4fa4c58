"""Sentences in capitals: read in small letters, and their translations written in capitals.

Text has few of them, so that a model knows words in capitals badly and spells them from small pieces. Of the ways to
write a word, `london` and `London`, it is read in the one that the vocabulary has in the fewest pieces, since that is
how text mostly has it. In German, where half of the words might have a capital, such a guess is wrong too often, and a
sentence with some of its nouns in small letters is like nothing that a model has read: there all letters are small, and
only `gross` may be `groß`.

What must be copied exactly (`documents/protected_spans.py`) keeps its letters on both sides.

One word in capitals may be an abbreviation (`NATO`) or not (`HELP!`). It is read as it is and with a capital alone, and
the translation of which the model is surer counts. A copy says nothing: of a word that it does not know a model is sure
enough to copy it, so it has to be surer of something else.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from saccade.data.tokenizer import Tokenizer
from saccade.documents.protected_spans import Span
from saccade.language_codes import language_code
from saccade.serving.source_lines import Line
from saccade.serving.translation import Candidate, Translation
from saccade.serving.word_alignment import WordAlignment

_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"[\d_]")
_OTHER_LETTERS = frozenset({"tr", "az"})  # their I is another letter in lower case


def has_usual_cases(source_language: str | None, target_language: str | None) -> bool:
    """Whether the letters of both languages have the cases that Unicode gives them; not so for unknown languages."""
    codes = {language_code(source_language), language_code(target_language)}
    return "" not in codes and _OTHER_LETTERS.isdisjoint(codes)


def in_capitals(text: str, spans: Sequence[Span] = ()) -> bool:
    """Whether a text has several words outside its spans, all in capitals, one of them with two letters or more."""
    words = [[letter for letter in word if letter.isalpha()] for word in _without(text, spans).split()]
    cased = [[letter for letter in word if letter.lower() != letter.upper()] for word in words]
    letters = [letter for word in cased for letter in word]
    return (
        all(letter == letter.upper() for letter in letters)
        and sum(map(bool, cased)) > 1
        and any(len(word) > 1 for word in cased)
    )


def is_capital_word(text: str, spans: Sequence[Span] = ()) -> bool:
    """Whether a text is one word in capitals, with punctuation at most."""
    words = _WORD.findall(text)
    return not spans and len(words) == 1 and len(words[0]) > 1 and words[0].isupper() and not _DIGIT.search(text)


def has_small_words(text: str) -> bool:
    """Whether a word is plainly not in capitals, as in nearly every text: found at once, without looking for spans."""
    return any(word.isalpha() and word.islower() for word in text.split())


def lowered(text: str, spans: Sequence[Span], tokenizer: Tokenizer, language: str | None) -> str:
    """The text in small letters but for words that mostly have a capital, and the first; its spans are as they are."""
    pieces, end = [], 0
    for span in (*spans, Span(len(text), len(text), "", "")):
        pieces += [_usual_words(text[end : span.start].lower(), tokenizer, language), text[span.start : span.end]]
        end = span.end
    small = "".join(pieces)
    first = next((place for place, letter in enumerate(small) if letter.isalpha()), None)
    if language_code(language) == "de" or first is None or any(span.start <= first < span.end for span in spans):
        return small
    return small[:first] + small[first].upper() + small[first + 1 :]


def _usual_words(text: str, tokenizer: Tokenizer, language: str | None) -> str:
    """A text of small letters, every word of it as it is mostly written."""
    ways = {word: _ways_to_write(word, language) for word in dict.fromkeys(_WORD.findall(text))}
    pieces = iter(tokenizer.encode([way for own in ways.values() for way in own]))
    usual = {}
    for word, own in ways.items():
        lengths = {way: len(next(pieces)) for way in own}
        usual[word] = min(own, key=lengths.__getitem__)  # the first of those that are equal: small letters
    return _WORD.sub(lambda found: usual[found.group()], text)


def _ways_to_write(word: str, language: str | None) -> list[str]:
    if language_code(language) == "de":
        return [word, word.replace("ss", "ß")] if "ss" in word else [word]
    return [word, word[0].upper() + word[1:]]


def raised(text: str, kept: Sequence[str] = ()) -> str:
    """The text in capitals, but for what is kept."""
    if not kept:
        return text.upper()
    pattern = re.compile("|".join(map(re.escape, sorted(set(kept), key=len, reverse=True))))
    pieces, end = [], 0
    for found in pattern.finditer(text):
        pieces += [text[end : found.start()].upper(), found.group()]
        end = found.end()
    return "".join([*pieces, text[end:].upper()])


def read_lowered(line: Line, spans: Sequence[Span], tokenizer: Tokenizer, language: str | None) -> Line:
    """The line as the model reads it, if it is in capitals; any other is itself."""
    if line.truncated or line.input.prefix or not in_capitals(line.source, spans):
        return line
    source = lowered(line.source, spans, tokenizer, language)
    return replace(line, source=source, input=replace(line.input, tokens=tuple(tokenizer.encode([source])[0])))


def read_with_capital(line: Line, spans: Sequence[Span], tokenizer: Tokenizer) -> Line:
    """The line with a capital letter alone, if it is a word in capitals; any other is itself."""
    if line.truncated or line.input.prefix or not is_capital_word(line.source, spans):
        return line
    source = _WORD.sub(lambda found: found.group()[0] + found.group()[1:].lower(), line.source)
    return replace(line, source=source, input=replace(line.input, tokens=tuple(tokenizer.encode([source])[0])))


def surer(as_it_is: Translation, with_capital: Translation) -> Translation:
    """Of two translations of a word in capitals, read in two ways, the more probable one, in capitals."""
    if as_it_is.error is not None or with_capital.error is not None:
        return as_it_is
    copied = _WORD.findall(with_capital.text.upper()) == _WORD.findall(as_it_is.source.upper())
    if copied or with_capital.score <= as_it_is.score:
        return as_it_is
    return write_raised(with_capital, as_it_is.source, ())


def write_raised(translation: Translation, source: str, spans: Sequence[Span]) -> Translation:
    """The translation of a line in capitals, from that of the line in lower case."""
    kept = [span.text for span in spans]
    nbest = [_raised_candidate(one, kept) for one in translation.nbest]
    for place, one in enumerate(translation.nbest):
        if one.text == translation.source:  # copied: capitals of capitals may be others
            nbest[place] = replace(nbest[place], text=source)
    return replace(translation, source=source, nbest=tuple(nbest))


def _raised_candidate(candidate: Candidate, kept: Sequence[str]) -> Candidate:
    alignment, confidence = candidate.alignment, candidate.confidence
    if alignment is not None:
        alignment = _raised_alignment(alignment, kept)
    if confidence is not None:
        confidence = replace(confidence, words=tuple((raised(word, kept), value) for word, value in confidence.words))
    return replace(candidate, text=raised(candidate.text, kept), alignment=alignment, confidence=confidence)


def _raised_alignment(alignment: WordAlignment, kept: Sequence[str]) -> WordAlignment:
    words = [tuple(raised(word, kept) for word in own) for own in (alignment.source_words, alignment.target_words)]
    return replace(alignment, source_words=words[0], target_words=words[1])


def _without(text: str, spans: Sequence[Span]) -> str:
    starts, ends = [span.start for span in spans], [span.end for span in spans]
    return " ".join(text[end:start] for end, start in zip([0, *ends], [*starts, len(text)], strict=True))
