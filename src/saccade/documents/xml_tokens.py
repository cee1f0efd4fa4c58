"""XML, cut into tags and text that joined are the file.

The standard parser says whether it is well-formed, and a document type, which may define entities that expand without
end, is refused. What is left can be cut exactly by its brackets.
"""

import html
import re
from dataclasses import dataclass
from xml.parsers import expat

from saccade.errors import InputError

_PIECE = re.compile(
    r"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(?:[^"'<>]|"[^"]*"|'[^']*')*>|&[^;\s]*;|[^<&]+""", re.DOTALL
)
_NAME = re.compile(r"</?(?:[\w.-]+:)?([\w.-]+)")
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


@dataclass(frozen=True)
class Piece:
    """A tag, a text, or something else: how it stands there; `name` is the local name of a tag."""

    kind: str
    verbatim: str
    name: str = ""

    @property
    def text(self) -> str:
        """What a piece of text says."""
        return html.unescape(self.verbatim) if self.verbatim.startswith("&") else self.verbatim

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes of a tag, by their names as written."""
        found = _ATTRIBUTE.findall(self.verbatim)
        return {name: html.unescape(double or single) for name, double, single in found}


def xml_pieces(text: str) -> list[Piece]:
    """The pieces of a file, in order."""
    _check(text)
    pieces = []
    for found in _PIECE.finditer(text):
        piece = found[0]
        if piece.startswith(("<!", "<?")):
            pieces.append(Piece("other", piece))
        elif piece.startswith("<"):
            named = _NAME.match(piece)
            kind = "end" if piece.startswith("</") else "single" if piece.endswith("/>") else "start"
            pieces.append(Piece(kind, piece, named[1] if named else ""))
        else:
            pieces.append(Piece("text", piece))
    assert "".join(piece.verbatim for piece in pieces) == text
    return pieces


def _check(text: str) -> None:
    def refuse(*_: object) -> None:
        raise InputError("must have no document type (DOCTYPE), but has one, which may define entities. Remove it.")

    parser = expat.ParserCreate("utf-8")  # whatever encoding the file names: it has been decoded
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text.removeprefix("\ufeff").encode("utf-8", "replace"), True)
    except expat.ExpatError as problem:
        raise InputError(f"must be well-formed XML, but is not: {problem}.") from problem
