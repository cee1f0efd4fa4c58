"""HTML: text between tags, and the attributes that people read.

The standard parser finds the tags of whatever a browser accepts; every piece is kept as it stood. Block elements bound
a run of text, inline elements are markup in it. Scripts, styles, `pre`, and everything marked `translate="no"` or of
the class `notranslate` stay as they are; the text of `code` and its like is fixed.

The time is linear in the length of a page, but for tags that never end: older versions of the parser look for the end
of each through all the rest. What begins with more of them than can be looked for stays as it is.
"""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import accumulate
from typing import Any

from saccade.documents.document import Document, Sentence
from saccade.documents.inline_markup import VOID, Tag, html_tag, not_translated, paired
from saccade.documents.inline_text import Kind, Token, sentences_of, text_token

INLINE = frozenset(
    (
        "a",
        "abbr",
        "acronym",
        "b",
        "bdi",
        "bdo",
        "big",
        "br",
        "cite",
        "code",
        "data",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "img",
    )
    + ("ins", "kbd", "label", "mark", "math", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong")
    + ("sub", "sup", "svg", "time", "tt", "u", "var", "wbr")
)
"""Elements that stand inside a sentence; any other bounds it."""
UNTOUCHED = frozenset(("script", "style", "pre", "textarea", "template", "noscript", "iframe", "object", "head"))
"""Elements whose text is not translated; of the head, only the title is."""
ATTRIBUTES = ("alt", "title", "placeholder", "aria-label")
"""Attributes that people read."""

UNENDED = 20_000_000
"""Characters that may be read, again and again, for the ends of tags that have none."""

_ATTRIBUTE = re.compile(
    rf"""(?<=\s)(?:{"|".join(ATTRIBUTES)})\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')""", re.IGNORECASE
)


@dataclass(frozen=True)
class _Event:
    """A piece of a page as it stood: a tag with its name, text, a character reference, or anything else."""

    kind: str
    name: str
    verbatim: str


class _Parser(HTMLParser):
    """Notes where each event begins."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[tuple[tuple[int, int], str, str]] = []

    def _note(self, kind: str, name: str = "") -> None:
        self.found.append((self.getpos(), kind, name))

    def keep_rest(self) -> None:
        """Leaves what has not been read as it is."""
        self._note("other")
        self.rawdata = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002, D102
        self._note("start", tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002, D102
        self._note("single", tag)

    def handle_endtag(self, tag: str) -> None:  # noqa: D102
        self._note("end", tag)

    def handle_data(self, data: str) -> None:  # noqa: ARG002, D102
        self._note("text")

    def handle_entityref(self, name: str) -> None:  # noqa: ARG002, D102
        self._note("reference")

    def handle_charref(self, name: str) -> None:  # noqa: ARG002, D102
        self._note("reference")

    def handle_comment(self, data: str) -> None:  # noqa: ARG002, D102
        self._note("comment")

    def handle_decl(self, decl: str) -> None:  # noqa: ARG002, D102
        self._note("other")

    def handle_pi(self, data: str) -> None:  # noqa: ARG002, D102
        self._note("other")

    def unknown_decl(self, data: str) -> None:  # noqa: ARG002, D102
        self._note("other")


def read_html(text: str, language: str | None) -> Document:
    """The text between tags."""
    parts: list[str | Sentence] = []
    run: list[Tag | Token] = []

    def flush() -> None:
        parts.extend(sentences_of(paired(run), language, escape_text))
        run.clear()

    events = _events(text)
    place = 0
    while place < len(events):
        event = events[place]
        until = _untouched_until(events, place)
        if until > place:
            inside = events[place:until]
            if all(one.kind not in ("start", "single", "end") or one.name in INLINE for one in inside):
                run += _fixed(inside)
            else:
                flush()
                parts.append("".join(one.verbatim for one in inside))
            place = until
            continue
        if event.kind == "text":
            run.append(text_token(event.verbatim))
        elif event.kind == "reference":
            run.append(text_token(event.verbatim, html.unescape(event.verbatim)))
        elif event.kind == "comment" or event.name in INLINE:
            run.append(html_tag(event.verbatim))
        else:
            flush()
            parts.append(event.verbatim)
        place += 1
    flush()
    return Document(tuple(parts))


def read_attributes(text: str, language: str | None) -> Document:
    """The attributes that people read; all else is layout."""
    parts: list[str | Sentence] = []
    events = _events(text)
    place = 0
    while place < len(events):
        event = events[place]
        until = place if event.name == "head" else _untouched_until(events, place)
        if until > place:
            parts.append("".join(one.verbatim for one in events[place:until]))
            place = until
            continue
        place += 1
        done = 0
        if event.kind in ("start", "single"):
            for found in _ATTRIBUTE.finditer(event.verbatim):
                value = "double" if found["double"] is not None else "single"
                parts.append(event.verbatim[done : found.start(value)])
                parts += sentences_of(list(_with_references(found[value])), language, escape_attribute)
                done = found.end(value)
        parts.append(event.verbatim[done:])
    return Document(tuple(part for part in parts if part != ""))


def escape_text(text: str) -> str:
    """As text between tags."""
    return html.escape(text, quote=False)


def escape_attribute(text: str) -> str:
    """As text between quotes of either kind."""
    return html.escape(text, quote=True)


def _events(text: str) -> list[_Event]:
    parser = _Parser()
    parser.feed(text)
    rest = parser.rawdata  # from the first tag on that does not end
    if rest.count("<") * len(rest) > UNENDED:
        parser.keep_rest()
    parser.close()
    lines = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    places = [lines[line - 1] + column for (line, column), _, _ in parser.found]
    edges = [*places, len(text)]
    events = [
        _Event(kind, name, text[start:end])
        for (_, kind, name), start, end in zip(parser.found, edges, edges[1:], strict=False)
    ]
    return ([_Event("other", "", text[: edges[0]])] if edges[0] else []) + events


def _untouched_until(events: Sequence[_Event], place: int) -> int:
    """Where an element ends that is not translated and begins here; the same place where none does."""
    event = events[place]
    if event.kind != "start" or event.name in VOID:
        return place
    if not (event.name in UNTOUCHED or not_translated(event.verbatim)) or event.name == "body":
        return place
    if event.name == "head" and not not_translated(event.verbatim):
        return _end_of(events, place, but_for="title")
    return _end_of(events, place)


def _end_of(events: Sequence[_Event], place: int, but_for: str | None = None) -> int:
    """Where the element that begins here ends, or the first element in it of the name `but_for` begins."""
    depth = 0
    for at in range(place, len(events)):
        if (events[at].kind, events[at].name) == ("start", but_for):
            return at
        if events[at].name == events[place].name:
            depth += {"start": 1, "end": -1}.get(events[at].kind, 0)
            if depth == 0:
                return at + 1
    return len(events)


def _fixed(events: Sequence[_Event]) -> list[Tag | Token]:
    """An inline element that is not translated: its tags, and one text between them."""
    first, *inside = events
    # At the end of a page the closing tag may be missing, and everything after the opening one.
    last = inside.pop() if inside and inside[-1].kind == "end" else _Event("end", first.name, "")
    text = "".join(html.unescape(one.verbatim) for one in inside if one.kind in ("text", "reference"))
    content = text_token("".join(one.verbatim for one in inside), text)
    tokens = [Token(Kind.OPENING, first.verbatim, fixed=True), content, Token(Kind.CLOSING, last.verbatim)]
    name = first.verbatim
    return [Tag(tokens[0], name), *([content] if content.verbatim else []), Tag(tokens[2], name)]


def _with_references(value: str) -> Iterator[Token]:
    """The tokens of an attribute: text and character references."""
    done = 0
    for found in re.finditer(r"&(?:#\d+|#[xX][0-9a-fA-F]+|\w+);?", value):
        if found.start() > done:
            yield text_token(value[done : found.start()])
        yield text_token(found[0], html.unescape(found[0]))
        done = found.end()
    if done < len(value):
        yield text_token(value[done:])
