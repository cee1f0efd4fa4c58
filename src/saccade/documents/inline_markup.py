"""Inline markup in a text: HTML and XML tags, and the emphasis, links and code of Markdown.

Tags may be numbers, `<0>here</0>`, as in the texts of user interfaces. A tag that has no partner stands alone, so that
whatever a text holds, tags come in pairs that are nested.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from saccade.documents.inline_text import Kind, Token, end_token, text_token

VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)
"""Elements of HTML that have no closing tag."""
FIXED = frozenset(("code", "kbd", "samp", "var", "tt", "math", "svg"))
"""Inline elements of HTML whose text is not prose."""

# Lengths are bounded, so that no text makes the search for a partner long.
_MARKUP = re.compile(
    r"""
      (?P<verbatim>\\[!-/:-@\[-`{-~]|(?:\bhttps?://|\bwww\.)[^\s<>"`*\]]+)
    | (?P<ticks>`{1,3})(?P<code>[^`]{1,500})(?P=ticks)(?!`)
    | (?P<tag><!--.{0,2000}?-->|</?[A-Za-z][\w:.-]*(?:\s[^<>]{0,2000}|/)?>|</?\d{1,3}\s?/?>)
    | (?P<link>!?\[)(?P<label>(?:[^\[\]\\]|\\.|\[[^\[\]]{0,500}\]){1,500})
      (?P<address>\]\((?:[^()\s]|\([^()\s]*\)){0,2000}(?:\s+"[^"]{0,500}")?\))
    | (?P<mark>\*\*\*|\*\*|~~|\*|(?<!\w)__|(?<!\w)_)(?=[^\s*_~])
      (?P<inner>.{1,1000}?)(?<![\s*_~\\])(?P=mark)(?![*_\w])
    """,
    re.VERBOSE | re.DOTALL,
)
_SIGNS = re.compile(r"[\\`<\[*~_]")
_NAME = re.compile(r"</?([A-Za-z][\w:.-]*|\d+)")
_NOT_TRANSLATED = re.compile(
    r"""\btranslate\s*=\s*["']?no\b|\bclass\s*=\s*["']?[^"'>]*\bnotranslate\b""", re.IGNORECASE
)


@dataclass(frozen=True)
class Tag:
    """A tag on its way to a pair: what its partner must be called."""

    token: Token
    name: str


def inline_tokens(text: str) -> list[Token]:
    """The tokens of a text."""
    if not (_SIGNS.search(text) or "://" in text or "www." in text):  # as in most texts
        return [text_token(text)] if text else []
    return paired(list(inline_pieces(text)))


def html_tag(verbatim: str) -> Tag:
    """A tag of HTML or XML, or a comment."""
    found = _NAME.match(verbatim)
    name = found[1].lower() if found else ""
    if not found or verbatim.endswith("/>") or name in VOID:
        return Tag(end_token(verbatim) if name == "br" else Token(Kind.SINGLE, verbatim), name)
    if verbatim.startswith("</"):
        return Tag(Token(Kind.CLOSING, verbatim), name)
    return Tag(Token(Kind.OPENING, verbatim, fixed=name in FIXED or not_translated(verbatim)), name)


def not_translated(tag: str) -> bool:
    """Whether an opening tag says that what is inside it is not to be translated."""
    return _NOT_TRANSLATED.search(tag) is not None


def paired(pieces: Sequence[Tag | Token]) -> list[Token]:
    """The same tokens; tags without a partner, or across others, stand alone, and what is fixed is one text.

    A mark above the line, `word<sup>1</sup>`, stands alone too: read as one word with the last, it would be lost.
    """
    tokens: list[Token] = [piece.token if isinstance(piece, Tag) else piece for piece in pieces]
    partner: dict[int, int] = {}
    opened: list[tuple[int, str]] = []
    names: Counter[str] = Counter()
    for index, piece in enumerate(pieces):
        if not isinstance(piece, Tag):
            continue
        if piece.token.kind is Kind.OPENING:
            opened.append((index, piece.name))
            names[piece.name] += 1
        elif piece.token.kind is Kind.CLOSING and names[piece.name]:
            while True:
                other, name = opened.pop()
                names[name] -= 1
                if name == piece.name:
                    partner[other] = index
                    break
    closings = set(partner.values())
    result: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if index in partner and _is_raised_mark(pieces, index, partner[index]):
            mark = "".join(one.verbatim for one in tokens[index : partner[index] + 1])
            result.append(Token(Kind.SINGLE, mark))
            index = partner[index]
        elif index in partner and token.fixed:
            inside = tokens[index + 1 : partner[index]]
            content = text_token("".join(one.verbatim for one in inside), "".join(one.text for one in inside))
            result += [token, *([content] if content.verbatim else []), tokens[partner[index]]]
            index = partner[index]
        elif token.kind in (Kind.OPENING, Kind.CLOSING) and index not in partner and index not in closings:
            result.append(replace(token, kind=Kind.SINGLE, fixed=False))
        else:
            result.append(token)
        index += 1
    return result


def _is_raised_mark(pieces: Sequence[Tag | Token], opening: int, closing: int) -> bool:
    """Whether these two tags raise a mark without letters behind a word, and none goes on behind it: no `2` of H2O."""
    first = pieces[opening]
    if not isinstance(first, Tag) or first.name != "sup" or closing != opening + 2:
        return False
    before, inside, after = (_text(pieces, place) for place in (opening - 1, opening + 1, closing + 1))
    return (
        before[-1:].isalnum()
        and inside.strip() != ""
        and not any(character.isalpha() for character in inside)
        and not after[:1].isalnum()
    )


def _text(pieces: Sequence[Tag | Token], place: int) -> str:
    piece = pieces[place] if 0 <= place < len(pieces) else None
    return piece.text if isinstance(piece, Token) else ""


def inline_pieces(text: str) -> Iterator[Tag | Token]:
    """The tokens of a text, tags not yet in pairs."""
    done = 0
    for found in _MARKUP.finditer(text):
        if found.start() > done:
            yield text_token(text[done : found.start()])
        done = found.end()
        if found["verbatim"]:  # an escape, or an address, in which nothing is markup
            yield text_token(found[0])
        elif found["ticks"]:
            yield Tag(Token(Kind.OPENING, found["ticks"], fixed=True), found[0])
            yield text_token(found["code"])
            yield Tag(Token(Kind.CLOSING, found["ticks"]), found[0])
        elif found["tag"]:
            yield html_tag(found["tag"])
        else:
            opening, inner, closing = (
                (found["link"], found["label"], found["address"])
                if found["link"]
                else (found["mark"], found["inner"], found["mark"])
            )
            name = f"{found.start()} {opening}"  # a pair of its own
            yield Tag(Token(Kind.OPENING, opening), name)
            yield from inline_pieces(inner)
            yield Tag(Token(Kind.CLOSING, closing), name)
    if done < len(text):
        yield text_token(text[done:])
