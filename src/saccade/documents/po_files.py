"""Gettext catalogues (.po, .pot): entries without a translation get one; all others stay as they are.

polib reads the file and says whether it is one; the lines are then changed in place, so that comments, flags, contexts,
headers and what is translated already keep every character. A translation of several lines is written as gettext does,
each on a line of its own.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import polib

from saccade.documents.document import Document, Sentence
from saccade.documents.escaped_text import with_escapes
from saccade.documents.plain_text import read_plain_text
from saccade.errors import InputError

_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_FIELD = re.compile(r'[ \t]*(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)[ \t]*(".*")[ \t]*\r?\n?\Z')
_MORE = re.compile(r'[ \t]*(".*")[ \t]*\r?\n?\Z')
_STRING = re.compile(r'[ \t]*(?:msg|")')


@dataclass
class _Field:
    """One string of an entry: its text, and where its quoted lines are in the file."""

    name: str
    start: int
    end: int
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        unescaped: str = polib.unescape("".join(line[1:-1] for line in self.lines))
        return unescaped


def read_po(text: str, language: str | None) -> Document:
    """The document that a file is; sentences stand where translations are missing."""
    try:
        polib.pofile(text.removeprefix("\ufeff") + "\n")  # a line end, so that it is not taken for a file's name
    except (OSError, ValueError, LookupError) as problem:
        reason = str(problem).removeprefix("Syntax error in po file ").strip() or "it is none"
        raise InputError(f"must be a gettext catalogue, but is damaged: {reason}.") from problem
    line_end = "\r\n" if "\r\n" in text else "\n"
    parts: list[str | Sentence] = []
    done = 0
    for entry in _entries(text):
        by_name = {one.name: one for one in entry}
        singular = by_name.get("msgid")
        targets = [one for one in entry if one.name.startswith("msgstr")]
        if singular is not None and not targets:
            line = text.count("\n", 0, singular.start) + 1
            raise InputError(f"must be a gettext catalogue, but is damaged: no msgstr for the msgid of line {line}.")
        if singular is None or not singular.text or any(one.text for one in targets):
            continue  # the header, or what is translated already
        for target in targets:
            plural = by_name.get("msgid_plural")
            source = plural if plural is not None and target.name not in ("msgstr", "msgstr[0]") else singular
            parts.append(text[done : target.start])
            parts += _value(source.text, language, line_end)
            done = target.end
    parts.append(text[done:])
    return Document(tuple(part for part in parts if part != ""))


def _entries(text: str) -> Iterator[Sequence[_Field]]:
    entry: list[_Field] = []
    for number, found in enumerate(_LINE.finditer(text), 1):
        if begun := _FIELD.match(found[0]):
            if begun[1] in ("msgctxt", "msgid") and any(one.name.startswith("msgstr") for one in entry):
                yield entry
                entry = []
            start, end = (found.start() + place for place in begun.span(2))
            entry.append(_Field(begun[1], start, end, [begun[2]]))
        elif entry and (more := _MORE.match(found[0])):
            entry[-1].lines.append(more[1])
            entry[-1].end = found.start() + more.end(1)
        elif _STRING.match(found[0]):  # polib passes over it in silence
            raise InputError(f"must be a gettext catalogue, but is damaged: line {number} must be a string in quotes.")
    if entry:
        yield entry


def _value(text: str, language: str | None, line_end: str) -> list[str | Sentence]:
    """The quoted lines of a translation."""
    several = "\n" in text[:-1]
    next_line = f'\\n"{line_end}"' if several else "\\n"

    def escape(written: str) -> str:
        return next_line.join(polib.escape(line) for line in written.split("\n"))

    last = text.endswith("\n") and several
    body = text[:-1] if last else text
    parts = with_escapes(read_plain_text(body, language), [escape(character) for character in body], escape)
    return [f'""{line_end}"' if several else '"', *parts, '\\n"' if last else '"']
