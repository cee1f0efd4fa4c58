"""Word documents (.docx): the paragraphs of the body, headers, footers and notes.

A .docx file is an archive of XML. A paragraph is a row of runs, each with one formatting; Word cuts them wherever the
cursor has been. Here the most frequent formatting of a paragraph is its base, and runs of another, and hyperlinks, are
inline elements: their tags end the base run and begin one of their own. So a paragraph is written with as few runs as
it needs; everything outside the text of paragraphs keeps every byte.
"""

import html
import io
import lzma
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from saccade.documents.document import Document, Sentence, Translate
from saccade.documents.inline_text import Kind, Token, end_token, sentences_of, text_token
from saccade.documents.xml_tokens import Piece, xml_pieces
from saccade.errors import InputError

LARGEST = 500_000_000
"""Bytes of all parts of a document, unpacked: an archive of a few bytes can claim to hold far more."""

_TEXTS = re.compile(r"word/(?:document|header\d*|footer\d*|footnotes|endnotes)\.xml")
_LINE_ENDS = ("br", "cr", "tab")
_IGNORED = ("proofErr", "lastRenderedPageBreak")  # what Word found when it last looked
_UNKNOWN_WRAPPERS = ("ins", "del", "moveFrom", "moveTo", "sdt", "smartTag", "customXml")


@dataclass(frozen=True)
class _Item:
    """Something in a paragraph: text of a formatting, a hyperlink around such, or anything else as it stood."""

    kind: str
    verbatim: str = ""
    formatting: str = ""
    tokens: tuple[Token, ...] = ()
    inside: tuple["_Item", ...] = ()


@dataclass(frozen=True)
class DocxFormat:
    """The format of Word documents."""

    name: str = "a Word document"

    def rewritten(self, content: bytes, language: str | None, translate: Translate) -> bytes:
        """The file with its sentences translated."""
        archive = _read_archive(content)
        written = io.BytesIO()
        with zipfile.ZipFile(written, "w") as output:
            output.comment = archive.comment
            for one, data in archive.members:
                if isinstance(data, str):
                    data = translate(read_part(data, language)).encode("utf-8", "xmlcharrefreplace")
                output.writestr(one, data, compress_type=one.compress_type)
        return written.getvalue()


@dataclass(frozen=True)
class _Archive:
    """A document unpacked: its parts in their order, those that hold text as text."""

    comment: bytes
    members: tuple[tuple[zipfile.ZipInfo, bytes | str], ...]


def _read_archive(content: bytes) -> _Archive:
    """All of it at once, so that whatever fails here is the fault of the file, and nothing that fails later is."""
    if not content:
        raise InputError("must be a Word document (.docx), but is empty. Save it again.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if "word/document.xml" not in archive.namelist():
                raise InputError("must be a Word document (.docx), but has no text in it.")
            if sum(one.file_size for one in archive.infolist()) > LARGEST:
                raise InputError(f"must hold at most {LARGEST:,} bytes, but would unpack to more.")
            members = [(one, archive.read(one)) for one in archive.infolist()]
            texts = [data.decode("utf-8") if _TEXTS.fullmatch(one.filename) else data for one, data in members]
    except InputError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        OSError,  # bzip2
        ValueError,  # text that is no UTF-8, and places before the beginning of the file
        OverflowError,  # places behind the end of every file
        RuntimeError,  # a password, or a method of compression that Python does not have
        EOFError,
    ) as problem:
        raise InputError(f"must be a Word document (.docx), but is damaged: {problem}.") from problem
    return _Archive(archive.comment, tuple((one, text) for (one, _), text in zip(members, texts, strict=True)))


def read_part(text: str, language: str | None) -> Document:
    """One part of a document: sentences stand inside its paragraphs."""
    pieces = xml_pieces(text)
    parts: list[str | Sentence] = []
    place = 0
    while place < len(pieces):
        if pieces[place].kind == "start" and pieces[place].name == "p":
            end = _end_of(pieces, place)
            parts += _paragraph(pieces[place:end], language)
            place = end
        else:
            parts.append(pieces[place].verbatim)
            place += 1
    return Document(tuple(part for part in parts if part != ""))


def _paragraph(pieces: Sequence[Piece], language: str | None) -> list[str | Sentence]:
    verbatim = "".join(piece.verbatim for piece in pieces)
    opening, *inside, closing = pieces
    prefix = re.split(r"[\s/>]", opening.verbatim[1:], maxsplit=1)[0].removesuffix("p")  # `w:`, or nothing
    children = list(_children(inside))
    properties = "".join(_verbatim(child) for child in children if child[0].name == "pPr")
    items = _items([child for child in children if child[0].name != "pPr"], prefix)
    if items is None or not any(item.kind in ("text", "link") for item in items):
        return [verbatim]
    base = _base(items)
    starts = "".join(item.verbatim for item in items if item.kind == "starts")
    ends = "".join(item.verbatim for item in items if item.kind == "ends")
    tokens = list(_tokens(items, base, prefix))
    sentences = sentences_of(tokens, language, _escape)
    if not any(isinstance(part, Sentence) for part in sentences):
        return [verbatim]
    return [
        f"{opening.verbatim}{properties}{starts}{_run(base, prefix)}",
        *sentences,
        f"</{prefix}t></{prefix}r>{ends}{closing.verbatim}",
    ]


def _items(children: Sequence[Sequence[Piece]], prefix: str) -> list[_Item] | None:
    """What a paragraph holds; None where it is of a kind that is better left alone."""
    items: list[_Item] = []
    field: list[str] = []  # runs from where a field begins to where it ends
    depth = 0
    for child in children:
        name, verbatim = child[0].name, _verbatim(child)
        depth += len(re.findall(r'fldCharType="begin"', verbatim)) - len(re.findall(r'fldCharType="end"', verbatim))
        if depth or field:
            field.append(verbatim)
            if not depth:
                items.append(_Item("other", "".join(field)))
                field = []
        elif name in _UNKNOWN_WRAPPERS:
            return None
        elif name in _IGNORED or not child[0].name:
            continue
        elif name.endswith("Start"):
            items.append(_Item("starts", verbatim))
        elif name.endswith("End"):
            items.append(_Item("ends", verbatim))
        elif name == "r":
            items += _run_items(child, prefix)
        elif name == "hyperlink" and child[0].kind == "start":
            inside = _items(list(_children(child[1:-1])), prefix)
            if inside is None or any(item.kind != "text" for item in inside):
                return None
            items.append(_Item("link", child[0].verbatim, _base(inside), inside=tuple(inside)))
        else:
            items.append(_Item("other", verbatim))
    return None if field else items


def _run_items(run: Sequence[Piece], prefix: str) -> Iterator[_Item]:
    """The text of a run, and anything else in it as a run of its own."""
    children = list(_children(run[1:-1])) if run[0].kind == "start" else []
    formatting = "".join(_verbatim(child) for child in children if child[0].name == "rPr")
    for child in children:
        name = child[0].name
        if name == "t":
            yield _Item("text", formatting=formatting, tokens=tuple(_text(child)))
        elif name in _LINE_ENDS:
            yield _Item("line end", f"<{prefix}r>{formatting}{_verbatim(child)}</{prefix}r>")
        elif name and name != "rPr" and name not in _IGNORED:
            yield _Item("other", f"<{prefix}r>{formatting}{_verbatim(child)}</{prefix}r>")


def _text(child: Sequence[Piece]) -> Iterator[Token]:
    for piece in child:
        if piece.kind == "text":
            yield text_token(piece.verbatim, piece.text)


def _tokens(items: Sequence[_Item], base: str, prefix: str) -> Iterator[Token]:
    """The tokens of a paragraph; before and after each of them a run of the base formatting is open."""
    close, again = f"</{prefix}t></{prefix}r>", _run(base, prefix)
    for item in items:
        if item.kind == "text" and item.formatting == base:
            yield from item.tokens
        elif item.kind == "text":
            yield Token(Kind.OPENING, close + _run(item.formatting, prefix))
            yield from item.tokens
            yield Token(Kind.CLOSING, close + again)
        elif item.kind == "link":
            yield Token(Kind.OPENING, close + item.verbatim + _run(item.formatting, prefix))
            yield from _tokens(item.inside, item.formatting, prefix)
            yield Token(Kind.CLOSING, f"{close}</{prefix}hyperlink>{again}")
        elif item.kind == "line end":
            yield end_token(close + item.verbatim + again)
        elif item.kind == "other":
            yield Token(Kind.SINGLE, close + item.verbatim + again)


def _base(items: Sequence[_Item]) -> str:
    """The formatting of most characters."""
    lengths: Counter[str] = Counter()
    for item in items:
        lengths[item.formatting] += sum(len(token.text) for token in item.tokens) if item.kind == "text" else 0
    return lengths.most_common(1)[0][0] if lengths else ""


def _run(formatting: str, prefix: str) -> str:
    return f'<{prefix}r>{formatting}<{prefix}t xml:space="preserve">'


def _children(pieces: Sequence[Piece]) -> Iterator[Sequence[Piece]]:
    """The elements, texts and comments of a row, each with all that is inside it."""
    place = 0
    while place < len(pieces):
        end = _end_of(pieces, place) if pieces[place].kind == "start" else place + 1
        yield pieces[place:end]
        place = end


def _end_of(pieces: Sequence[Piece], place: int) -> int:
    depth = 0
    for at in range(place, len(pieces)):
        depth += {"start": 1, "end": -1}.get(pieces[at].kind, 0)
        if depth == 0:
            return at + 1
    raise AssertionError("the file is well-formed")


def _verbatim(pieces: Sequence[Piece]) -> str:
    return "".join(piece.verbatim for piece in pieces)


def _escape(text: str) -> str:
    return html.escape(text, quote=False)
