"""Markdown: paragraphs, headings, list items and the cells of tables are text; all else is layout.

markdown-it says which lines are text and where on a line it begins. Front matter, code blocks, HTML blocks and link
definitions stay as they are; a line end inside a paragraph is a break in its sentence.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from markdown_it import MarkdownIt

from saccade.documents.document import Document, Sentence
from saccade.documents.inline_markup import Tag, inline_pieces, paired
from saccade.documents.inline_text import Token, break_token, end_token, sentences_of, text_token

_FRONT_MATTER = re.compile(r"\ufeff?(?:(---|\+\+\+)[ \t]*\r?\n.*?^\1[ \t]*(?:\r?\n|\Z))?", re.DOTALL | re.MULTILINE)
Span = tuple[int, int]
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def read_markdown(text: str, language: str | None) -> Document:
    """The document that a file is."""
    front = _FRONT_MATTER.match(text)
    assert front is not None, "it may be empty"
    done = front.end()
    parts: list[str | Sentence] = [text[:done]]
    for runs in _texts(text, done):
        start, end = runs[0][0], runs[-1][1]
        parts.append(text[done:start])
        parts += sentences_of(paired(list(_tokens(text, runs))), language)
        done = end
    parts.append(text[done:])
    return Document(tuple(part for part in parts if part != ""))


def _texts(text: str, begin: int) -> Iterator[list[Span]]:
    """For each run of text, where it is on each of its lines."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    body = text[begin:]
    lines = [(begin + found.start(), begin + found.end()) for found in _LINE.finditer(body) if found[0]]
    row, column = -1, 0  # of a table: where the last cell ended
    before = ""
    for token in parser.parse(body):
        if token.type == "inline" and token.map is not None and token.content.strip():
            first, last = token.map
            if before in ("td_open", "th_open"):
                row, column = (row, column) if row == first else (first, lines[first][0])
                at = text.find(token.content, column, lines[first][1])
                runs = [(at, at + len(token.content))] if at >= 0 else []
                column = runs[0][1] if runs else column
            else:
                runs = _on_lines(text, lines[first:last], token.content.split("\n"))
            if runs:
                yield runs
        before = token.type


def _on_lines(text: str, lines: list[Span], contents: list[str]) -> list[Span]:
    """Where each content is on its line; nothing if one is not found as it is, and then the run stays as it is."""
    runs: list[Span] = []
    if len(lines) != len(contents):
        return []
    for (start, end), content in zip(lines, contents, strict=True):
        at = text.rfind(content.strip(), start, end)
        if at < 0:
            return []
        runs.append((at, at + len(content.strip())))
    return runs


def _tokens(text: str, runs: list[Span]) -> Iterator[Tag | Token]:
    """The tokens of a run: inline markup, and line ends with what stands at the beginning of the next line."""
    joined = "\n".join(text[start:end] for start, end in runs)
    layouts = iter([text[before[1] : after[0]] for before, after in zip(runs, runs[1:], strict=False)])
    for piece in inline_pieces(joined):
        if isinstance(piece, Tag):
            verbatim = re.sub("\n", lambda _: next(layouts), piece.token.verbatim)
            yield replace(piece, token=replace(piece.token, verbatim=verbatim))
            continue
        *lines, last = piece.verbatim.split("\n")
        for line in lines:
            text = line.removesuffix("\\")
            layout = line[len(text) :] + next(layouts)
            yield from [text_token(text)] if text else []
            yield end_token(layout) if layout.startswith(("  ", "\\")) else break_token(layout)
        yield from [text_token(last)] if last else []
