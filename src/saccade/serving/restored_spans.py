"""Spans put into the text of an output, in the place of what was written for them or where they stood in the source."""

import re
from collections.abc import Sequence
from dataclasses import replace

import torch

from saccade.documents.protected_spans import Span
from saccade.serving.source_lines import Restored
from saccade.serving.word_alignment import WordAlignment


def where_it_stood(span: Span, source: str) -> Restored:
    """A span that stands where it stood in the source, by its share of the words, at the end before or after a stop."""
    words = len(source[: span.start].split()), len(source.split())
    rest = source[span.end :].strip()
    if not any(character.isalnum() for character in rest):
        return Restored("", span.text, share=1.0 if rest else 2.0)
    return Restored("", span.text, share=words[0] / words[1])


def restore(text: str, restored: Sequence[Restored]) -> str:
    """The text with its spans in the place of what was written for them, and the others where they stood."""
    for one in restored:
        if one.whole:
            return one.span
        if one.written:
            # All of them: a name that the model wrote once too often must not stay.
            text = _pattern(one).sub(lambda _: one.span, text)  # noqa: B023 it is called at once
    for one in restored:
        if not one.written:
            text = _inserted(text, one)
    return text


def restored_words(words: Sequence[str], restored: Sequence[Restored]) -> list[tuple[str, tuple[int, ...]]]:
    """The words with spans in the place of what was written for them, each with the places of those it was made of.

    What was written may be several words: `0,5 %` for `0.5%`.
    """
    made: list[tuple[str, tuple[int, ...]]] = [(word, (place,)) for place, word in enumerate(words)]
    for one in restored:
        if one.written:
            made = _with_span(made, one)
    return made


def restore_words(alignment: WordAlignment, restored: Sequence[Restored]) -> WordAlignment:
    """The alignment with spans in the place of what stood in for them; what has no place is no word of it."""
    source = tuple(restore(word, [one for one in restored if one.written]) for word in alignment.source_words)
    target = restored_words(alignment.target_words, restored)
    sources_of: dict[int, list[int]] = {}
    for theirs, ours in alignment.links:
        sources_of.setdefault(ours, []).append(theirs)
    links = {
        (theirs, new) for new, (_, places) in enumerate(target) for old in places for theirs in sources_of.get(old, ())
    }
    weights = alignment.weights
    if len(weights):
        weights = torch.stack([weights[list(places)].mean(dim=0) for _, places in target])
    return replace(
        alignment,
        source_words=source,
        target_words=tuple(word for word, _ in target),
        links=tuple(sorted(links, key=lambda link: (link[1], link[0]))),
        weights=weights,
    )


def _pattern(one: Restored) -> re.Pattern[str]:
    before, after = (r" ?" if joined else "" for joined in (one.joined_before, one.joined_after))
    return re.compile(rf"{before}(?<!\w){re.escape(one.written)}(?!\w){after}")


def _with_span(words: list[tuple[str, tuple[int, ...]]], one: Restored) -> list[tuple[str, tuple[int, ...]]]:
    made, place = list[tuple[str, tuple[int, ...]]](), 0
    length = len(one.written.split(" "))
    while place < len(words):
        some = words[place : place + length]
        text = " ".join(word for word, _ in some)
        new = restore(text, [one])
        if new == text:
            made.append(words[place])
            place += 1
            continue
        parts = new.split(" ")
        all_places = tuple(old for _, own in some for old in own)
        alike = len(parts) == len(some)
        made += [(part, some[number][1] if alike else all_places) for number, part in enumerate(parts)]
        place += len(some)
    return made


def _inserted(text: str, one: Restored) -> str:
    words = text.split(" ") if text else []
    if one.share >= 1:
        closing = re.search(r"[.!?\u2026\u3002\uff01\uff1f]*$", text) if one.share == 1 else None
        end = closing.start() if closing else len(text)
        return " ".join(filter(None, [text[:end].rstrip(), one.span])) + text[end:]
    place = round(one.share * len(words))
    return " ".join([*words[:place], one.span, *words[place:]])
