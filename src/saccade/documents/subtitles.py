"""Subtitles, SubRip (.srt) and WebVTT (.vtt): numbers, times and settings stay, the text of the cues is translated.

A sentence often runs over several cues. It is translated as one, and the ends of lines and cues inside it are breaks,
which fall where the translation is as far as the source was. A sentence ends with its cue where the next one begins
much later, or is another speaker's.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from saccade.documents.document import Document
from saccade.documents.inline_markup import Tag, inline_pieces, paired
from saccade.documents.inline_text import Kind, Token, break_token, end_token, sentences_of, text_token
from saccade.errors import InputError

LONGEST_PAUSE = 3.0
"""Seconds between two cues that a sentence may run over."""
EXAMPLE = "`00:00:01,000 --> 00:00:02,000`"

_TIME = r"(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_TIMING = re.compile(rf"[ \t]*({_TIME})[ \t]+-->[ \t]+({_TIME})[^\r\n]*")
# What was meant for a timing, though it is none.
_DAMAGED = re.compile(r"[ \t]*\d+:[\d:.,]*[ \t]*-+>|[^\r\n]*-->[ \t]*\d+:")
_BLANK_LINES = re.compile(r"(?:\r\n|\r(?!\n)|\n)(?:[ \t]*(?:\r\n|\r(?!\n)|\n|\Z))+")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_LINE_END = re.compile(r"(?<![ \t])[ \t]*(?:\r\n|\r|\n)[ \t]*(?P<mark>(?:[-–—♪#]+[ \t]*)?)")
# Another speaker, a song or a sound: nothing that goes on with what was said before.
_OTHER_SPEAKER = re.compile(r"[-–—♪#\[(]|<v\b|[A-Z][A-Z .]+:")


@dataclass(frozen=True)
class _Cue:
    """Where the text of a cue is, and its times in seconds."""

    start: int
    end: int
    begins: float
    ends: float


def read_subtitles(text: str, language: str | None) -> Document:
    """The document that a file is."""
    cues = list(_cues(text))
    if not cues and text.strip("\ufeff \t\r\n") and not text.lstrip("\ufeff").startswith("WEBVTT"):
        raise InputError(f"must have cues with times such as {EXAMPLE}, but has none.")
    tokens: list[Tag | Token] = []
    done = 0
    for before, cue in zip([None, *cues], cues, strict=False):
        content = text[cue.start : cue.end]
        goes_on = before is not None and cue.begins - before.ends <= LONGEST_PAUSE and not _OTHER_SPEAKER.match(content)
        start = cue.start if goes_on else cue.start + len(content) - len(content.lstrip(" \t-–—♪#"))
        layout = text[done:start]
        tokens.append(break_token(layout) if goes_on else end_token(layout))
        tokens += _tokens(text[start : cue.end])
        done = cue.end
    tokens.append(end_token(text[done:]))
    return Document(tuple(sentences_of(paired(tokens), language)))


def _cues(text: str) -> Iterator[_Cue]:
    """A cue is a block with a timing on its first line, or on its second, under a number or a name."""
    for start, end in _blocks(text):
        lines = list(_LINE.finditer(text, start, end))
        for line in lines[:2]:
            timing = _TIMING.match(text, line.start(), line.end())
            if timing:
                content = text[line.end() : end].rstrip()
                if content:
                    yield _Cue(line.end(), line.end() + len(content), _seconds(timing[1]), _seconds(timing[2]))
                break
            if _DAMAGED.match(text, line.start(), line.end()):
                number = len(_LINE.findall(text, 0, line.start())) + 1
                raise InputError(f"must have times such as {EXAMPLE}, but line {number} has {line[0].strip()!r}.")


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    done = 0
    for found in _BLANK_LINES.finditer(text):
        yield done, found.start()
        done = found.end()
    yield done, len(text)


def _seconds(time: str) -> float:
    *hours, minutes, seconds = time.replace(",", ".").split(":")
    return (float(hours[0]) * 60 if hours else 0.0) * 60 + float(minutes) * 60 + float(seconds)


def _tokens(content: str) -> Iterator[Tag | Token]:
    """Inline markup, and line ends; a line that begins with a dash is another speaker's."""
    for piece in inline_pieces(content):
        if isinstance(piece, Tag) or piece.kind is not Kind.TEXT:
            yield piece
            continue
        done = 0
        for found in _LINE_END.finditer(piece.verbatim):
            yield from [text_token(piece.verbatim[done : found.start()])] if found.start() > done else []
            other = found["mark"] or _OTHER_SPEAKER.match(piece.verbatim, found.end())
            yield end_token(found[0]) if other else break_token(found[0])
            done = found.end()
        yield from [text_token(piece.verbatim[done:])] if done < len(piece.verbatim) else []
