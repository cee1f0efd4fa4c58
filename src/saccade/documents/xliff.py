"""XLIFF 1.2 and 2.0: every source that has no target gets one, after it; what is translated already stays.

Inline elements are markup in the text: `g`, `pc` and `mrk` are around words, codes that open and close something (`bpt`
and `ept`, `bx` and `ex`, `sc` and `ec`) are pairs by their identifiers, all others stand alone.
"""

import html
import re
from collections.abc import Sequence

from saccade.documents.document import Document, Sentence
from saccade.documents.inline_markup import Tag, paired
from saccade.documents.inline_text import Kind, Token, sentences_of, text_token
from saccade.documents.xml_tokens import Piece, xml_pieces
from saccade.errors import InputError

_VERSION, _KNOWN = re.compile(r"""\bversion\s*=\s*["'](\d+)[^"']*["']"""), ("1", "2")
_AROUND_WORDS = ("g", "pc", "mrk")
_OPENING, _CLOSING = ("bpt", "bx", "sc", "sm"), ("ept", "ex", "ec", "em")


def read_xliff(text: str, language: str | None) -> Document:
    """The document that a file is; sentences stand in the targets."""
    pieces = xml_pieces(text)
    root = next((piece for piece in pieces[:10] if piece.name == "xliff"), None)
    if root is None:
        raise InputError("must be XLIFF, but its first element is another.")
    version = _VERSION.search(root.verbatim)
    if version and version[1] not in _KNOWN:
        raise InputError(f"must be XLIFF 1 or 2, but has {version[0][:40]}. Save it as one of these.")
    parts: list[str | Sentence] = []
    untranslated: list[str] = []  # names of open elements that say translate="no"
    alternatives = 0  # open elements that hold other translations
    place = 0
    while place < len(pieces):
        piece = pieces[place]
        if piece.kind == "start" and (untranslated or piece.attributes.get("translate") == "no"):
            untranslated.append(piece.name)
        elif piece.kind == "end" and untranslated:
            untranslated.pop()
        if piece.name == "alt-trans":
            alternatives += {"start": 1, "end": -1}.get(piece.kind, 0)
        parts.append(piece.verbatim)
        place += 1
        if piece.kind != "start" or piece.name != "source" or untranslated or alternatives:
            continue
        end = next(at for at in range(place, len(pieces)) if (pieces[at].kind, pieces[at].name) == ("end", "source"))
        source = pieces[place:end]
        parts += [one.verbatim for one in pieces[place : end + 1]]
        place = end + 1
        place = _target(pieces, place, source, parts, language)
    return Document(tuple(part for part in parts if part != ""))


def _target(
    pieces: Sequence[Piece], place: int, source: Sequence[Piece], parts: list[str | Sentence], language: str | None
) -> int:
    """Adds the target after a source; the place of the first piece behind it."""
    at = place
    while at < len(pieces) and pieces[at].kind in ("text", "other") and not pieces[at].verbatim.strip():
        at += 1
    found = pieces[at] if at < len(pieces) and pieces[at].name == "target" else None
    sentences = sentences_of(paired(_tokens(source)), language, _escape)
    if found is None:
        closing = pieces[place - 1].verbatim.replace("source", "target")
        parts += [_before_source(parts), closing.replace("/", "", 1), *sentences, closing]
        return place
    if found.kind == "single":
        parts += [one.verbatim for one in pieces[place:at]]
        closed = found.verbatim.removesuffix("/>").rstrip()
        name = closed[1:].split()[0]
        parts += [f"{closed}>", *sentences, f"</{name}>"]
        return at + 1
    if pieces[at + 1].kind == "end":  # an empty target
        parts += [one.verbatim for one in pieces[place : at + 1]]
        parts += sentences
        return at + 1
    return place


def _before_source(parts: Sequence[str | Sentence]) -> str:
    """The white space before the source, for the target to stand under it."""
    for number in range(len(parts) - 1, 0, -1):
        part = parts[number]
        if isinstance(part, str) and re.match(r"<(?:[\w.-]+:)?source\b", part):
            before = parts[number - 1]
            return before if isinstance(before, str) and not before.strip() else ""
    return ""


def _tokens(source: Sequence[Piece]) -> list[Tag | Token]:
    tokens: list[Tag | Token] = []
    place = 0
    while place < len(source):
        piece = source[place]
        place += 1
        if piece.kind == "text":
            tokens.append(text_token(piece.verbatim, piece.text))
        elif piece.name in _AROUND_WORDS and piece.kind != "single":
            kind = Kind.OPENING if piece.kind == "start" else Kind.CLOSING
            fixed = piece.attributes.get("translate") == "no"
            tokens.append(Tag(Token(kind, piece.verbatim, fixed=fixed), piece.name))
        else:
            verbatim = piece.verbatim
            if piece.kind == "start":  # with its content
                depth = 1
                while depth:
                    depth += {"start": 1, "end": -1}.get(source[place].kind, 0)
                    verbatim += source[place].verbatim
                    place += 1
            tokens.append(_code(piece, verbatim))
    return tokens


def _code(piece: Piece, verbatim: str) -> Tag | Token:
    """A code that stands alone, or one of two that belong together."""
    values = piece.attributes
    name = values.get("startRef") or values.get("rid") or values.get("id") or ""
    if piece.name in _OPENING:
        return Tag(Token(Kind.OPENING, verbatim), f"code {name}")
    if piece.name in _CLOSING:
        return Tag(Token(Kind.CLOSING, verbatim), f"code {name}")
    return Token(Kind.SINGLE, verbatim)


def _escape(text: str) -> str:
    return html.escape(text, quote=False)
