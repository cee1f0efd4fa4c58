"""Plain text: lines, indentation and the marks of lists are layout.

A line is a paragraph of its own, unless it looks wrapped: long, without a stop at its end, and the next goes on in
lower case at the same indentation. Then both are read as one, and the line end is a break inside the sentence. HTML
tags and the emphasis, links and code of Markdown are inline markup here too.
"""

import re
from collections.abc import Iterator

from saccade.documents.document import Document, Sentence
from saccade.documents.inline_markup import inline_tokens
from saccade.documents.inline_text import Kind, Token, break_token, sentences_of, text_token

SHORTEST_WRAPPED = 45
"""Characters that a line has at least where it was wrapped rather than ended."""

_LAYOUT = re.compile(r"\ufeff?(?:\s|[-*+•‣◦▪·–—>|]\s|#{1,6}\s|\(?\d{1,3}[.)]\s|\(?[a-z]\)\s|\[[ xX]\]\s)*")
_LINE_END = re.compile(r"(?<!\s)\s*[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]\s*")


def read_plain_text(text: str, language: str | None) -> Document:
    """The document that a text is."""
    parts: list[str | Sentence] = []
    for paragraph in _paragraphs(text):
        found = _LAYOUT.match(paragraph)
        assert found is not None, "it may be empty"
        parts += [found[0]] if found[0] else []
        parts += sentences_of(_with_breaks(inline_tokens(paragraph[found.end() :])), language)
    return Document(tuple(parts))


def _paragraphs(text: str) -> Iterator[str]:
    """Lines with their ends, wrapped ones as one."""
    begun: list[str] = []
    for line in text.splitlines(keepends=True):
        if begun and not _goes_on(begun[-1].splitlines()[0], line):
            yield "".join(begun)
            begun = []
        begun.append(line)
    if begun:
        yield "".join(begun)


def _goes_on(line: str, following: str) -> bool:
    if len(line) < SHORTEST_WRAPPED or not following.strip():
        return False
    last, first = line.rstrip()[-1:], following.lstrip()[0]
    same_indentation = _indentation(line) == _indentation(following)
    return same_indentation and first.islower() and (last.isalnum() or last in ",;-–—")


def _indentation(line: str) -> int:
    """Where text begins, after the mark of a list if there is one."""
    found = _LAYOUT.match(line)
    assert found is not None
    return found.end()


def _with_breaks(tokens: list[Token]) -> list[Token]:
    """The same tokens with every line end on its own; one after all text is no break."""
    cut: list[Token] = []
    for token in tokens:
        if token.kind is not Kind.TEXT or "".join(token.verbatim.splitlines()) == token.verbatim:
            cut.append(token)
            continue
        done = 0
        for found in _LINE_END.finditer(token.verbatim):
            cut += [text_token(token.verbatim[done : found.start()])] if done < found.start() else []
            cut.append(break_token(found[0]))
            done = found.end()
        cut += [text_token(token.verbatim[done:])] if done < len(token.verbatim) else []
    return cut
