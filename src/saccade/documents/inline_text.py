"""A run of text with inline markup, a paragraph for instance, becomes layout and sentences.

A format gives it as tokens: text, tags that open and close, tags that stand alone, and breaks. Sentences are found in
the text alone. Markup around whole sentences is layout; what lies inside one becomes its elements; and where markup
begins in one sentence and ends in another, both are one, because each tag must come back exactly once.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from operator import attrgetter

from saccade.documents.document import Break, Element, Sentence, as_it_is
from saccade.documents.sentence_splitting import sentence_spans

Span = tuple[int, int]


class Kind(Enum):
    """What a token is."""

    TEXT = "text"
    OPENING = "an opening tag"
    CLOSING = "the closing tag of the last that is open"
    SINGLE = "a tag that stands alone"
    BREAK = "layout in place of a space"
    END = "the same, and a sentence ends there whatever its text"


@dataclass(frozen=True)
class Token:
    """A piece of a document: how it stands there, and the text that it is for a reader.

    A piece of text whose two forms differ, as those of `&eacute;` do, is not cut. Between an opening tag that is
    `fixed` and its closing tag stands one piece of text, which is not translated.
    """

    kind: Kind
    verbatim: str
    text: str = ""
    fixed: bool = False


def text_token(verbatim: str, text: str | None = None) -> Token:
    """A piece of text."""
    return Token(Kind.TEXT, verbatim, verbatim if text is None else text)


def break_token(layout: str) -> Token:
    """Layout in place of a space."""
    return Token(Kind.BREAK, layout, " ")


def end_token(layout: str) -> Token:
    """Layout where a sentence ends; only in markup that begins before it and ends after it is it a break."""
    return Token(Kind.END, layout, " ")


def sentences_of(
    tokens: Sequence[Token], language: str | None, escape: Callable[[str], str] = as_it_is
) -> list[str | Sentence]:
    """Layout and sentences which, as they stood, are the tokens."""
    if len(tokens) == 1 and tokens[0].kind is Kind.TEXT and tokens[0].verbatim == tokens[0].text:
        return _without_markup(tokens[0].text, language, escape)
    run = _Run.of(_set_apart(tokens))
    if not _has_letters(run.text):
        return [run.verbatim(0, len(run.tokens))] if tokens else []
    spans = [
        _whole(run, _without_brackets(run.text, span, run.pairs_from))
        for span in _join(_spans(run, language), run.pairs)
    ]
    run = _Run.of(_cut(run, sorted({place for span in spans for place in span})))
    parts: list[str | Sentence] = []
    done = 0
    readable = run.text_to_translate
    for start, end in spans:
        if not _has_letters(readable[start:end]):
            continue
        first, last = run.token_range(start, end)
        parts.append(run.verbatim(done, first))
        parts.append(run.sentence((first, last), (start, end), escape))
        done = last
    parts.append(run.verbatim(done, len(run.tokens)))
    return [part for part in parts if part != ""]


def _without_markup(text: str, language: str | None, escape: Callable[[str], str]) -> list[str | Sentence]:
    """The same for one piece of text, as most runs are."""
    if not _has_letters(text):
        return [text]
    parts: list[str | Sentence] = []
    done = 0
    for span in sentence_spans(text, language):
        start, end = _without_brackets(text, span)
        own = text[start:end]
        if _has_letters(own):
            parts += [text[done:start], Sentence(own, own, escape=escape)]
            done = end
    return [part for part in (*parts, text[done:]) if part != ""]


@dataclass(frozen=True)
class _Pair:
    """Two tags by their tokens, and the characters between them without white space at either end."""

    opening: int
    closing: int
    start: int
    end: int

    def belongs(self, start: int, end: int) -> bool:
        """Whether it is inside this sentence, and not around all of it."""
        return start <= self.start < self.end <= end and (self.start, self.end) != (start, end)


@dataclass(frozen=True)
class _Run:
    """Tokens, their text, where the text of each begins (and at last ends), and tags in pairs as they open."""

    tokens: Sequence[Token]
    text: str
    positions: list[int]
    pairs: list[_Pair]

    @classmethod
    def of(cls, tokens: Sequence[Token]) -> "_Run":
        text = "".join(token.text for token in tokens)
        positions = [0]
        for token in tokens:
            positions.append(positions[-1] + len(token.text))
        pairs, opened = [], []
        for index, token in enumerate(tokens):
            if token.kind is Kind.OPENING:
                opened.append(index)
            elif token.kind is Kind.CLOSING:
                inside = _trimmed(text, positions[opened[-1]], positions[index])
                pairs.append(_Pair(opened.pop(), index, *inside))
        assert not opened, "a format gives tags in pairs"
        return cls(tokens, text, positions, sorted(pairs, key=lambda pair: pair.opening))

    @property
    def text_to_translate(self) -> str:
        """The text with spaces in place of what is fixed."""
        pieces, done = [], 0
        for pair in self.pairs:
            if self.tokens[pair.opening].fixed:
                pieces += [self.text[done : pair.start], " " * (pair.end - pair.start)]
                done = pair.end
        return "".join([*pieces, self.text[done:]])

    @cached_property
    def _pairs_with_text(self) -> list[_Pair]:
        """In this order their text begins further and further on."""
        return [pair for pair in self.pairs if pair.start < pair.end]

    def pairs_from(self, start: int, end: int) -> list[_Pair]:
        """The pairs with text that begins between these places."""
        first, last = (bisect_left(self._pairs_with_text, at, key=attrgetter("start")) for at in (start, end))
        return self._pairs_with_text[first:last]

    @cached_property
    def _pair_at(self) -> dict[int, _Pair]:
        return {pair.opening: pair for pair in self.pairs}

    def verbatim(self, first: int, last: int) -> str:
        return "".join(token.verbatim for token in self.tokens[first:last])

    def token_range(self, start: int, end: int) -> Span:
        """The tokens of a sentence: those of its text, and tags inside it."""
        first = bisect_left(self.positions, start)
        while not self.tokens[first].text:
            first += 1
        last = bisect_left(self.positions, end)
        for pair in self.pairs_from(start, end):
            if pair.belongs(start, end):
                first, last = min(first, pair.opening), max(last, pair.closing + 1)
        return first, last

    def sentence(self, own: Span, span: Span, escape: Callable[[str], str]) -> Sentence:
        """The sentence of these tokens and characters."""
        (first, last), (start, end) = own, span

        def place(position: int) -> int:
            return min(max(position, start), end) - start

        elements, breaks, depth = [], [], 0
        for index in range(first, last):
            token, here = self.tokens[index], place(self.positions[index])
            if token.kind is Kind.OPENING:
                pair = self._pair_at[index]
                fixed = self.verbatim(index + 1, pair.closing) if token.fixed else None
                closing = self.tokens[pair.closing].verbatim
                where = place(pair.start), place(pair.end)
                elements.append(Element(*where, token.verbatim, closing, depth=depth, fixed=fixed))
                depth += 1
            elif token.kind is Kind.CLOSING:
                depth -= 1
            elif token.kind is Kind.SINGLE:
                elements.append(Element(here, here, token.verbatim, depth=depth))
            elif token.kind in (Kind.BREAK, Kind.END):
                breaks.append(Break(here, token.verbatim))
        return Sentence(
            text=self.text[start:end],
            verbatim=self.verbatim(first, last),
            elements=tuple(elements),
            breaks=tuple(breaks),
            before=self.text[self.positions[first] : start],
            after=self.text[end : self.positions[last]],
            escape=escape,
        )


def _has_letters(text: str) -> bool:
    return any(map(str.isalpha, text))


def _cut(run: _Run, places: list[int]) -> list[Token]:
    """The same tokens, those of text cut at these places."""
    cut: list[Token] = []
    for token, start in zip(run.tokens, run.positions, strict=False):
        end = start + len(token.text)
        inside = places[bisect_left(places, start + 1) : bisect_left(places, end)]
        if token.kind is Kind.TEXT and inside:
            edges = [start, *inside, end]
            cut += [text_token(run.text[a:b]) for a, b in zip(edges, edges[1:], strict=False)]
        else:
            cut.append(token)
    return cut


def _spans(run: _Run, language: str | None) -> list[Span]:
    """Where sentences are; no two of them meet inside an escape or in what is fixed."""
    spans: list[Span] = []
    uncut: set[int] = set()
    begin = 0
    for index, (token, position) in enumerate(zip(run.tokens, run.positions, strict=False)):
        if token.kind is Kind.END:
            spans += [(begin + a, begin + b) for a, b in sentence_spans(run.text[begin:position], language)]
            begin = position
        elif token.verbatim != token.text or (index and run.tokens[index - 1].fixed):
            uncut.update(range(position + 1, position + len(token.text)))
    spans += [(begin + a, begin + b) for a, b in sentence_spans(run.text[begin:], language)]
    merged: list[Span] = []
    for start, end in spans:
        if merged and (start in uncut or merged[-1][1] in uncut):
            merged[-1] = merged[-1][0], end
        else:
            merged.append((start, end))
    return merged


def _whole(run: _Run, span: Span) -> Span:
    """The span, wider where it began or ended inside a token that cannot be cut."""
    start, end = span
    first, last = bisect_right(run.positions, start) - 1, bisect_left(run.positions, end) - 1
    if run.tokens[first].verbatim != run.tokens[first].text:
        start = run.positions[first]
    if run.tokens[last].verbatim != run.tokens[last].text:
        end = run.positions[last + 1]
    return start, end


def _set_apart(tokens: Sequence[Token]) -> list[Token]:
    """The same tokens, with spaces in the text around what is fixed: glued to a word it would be part of that."""
    result: list[Token] = []
    closing_fixed = False
    last = " "
    for token in tokens:
        if (token.fixed and last.isalnum()) or (closing_fixed and token.text[:1].isalnum()):
            result.append(text_token("", " "))
            last = " "
        closing_fixed = (closing_fixed and not token.text) or (
            token.kind is Kind.CLOSING and len(result) > 1 and result[-2].fixed
        )
        result.append(token)
        last = token.text[-1:] or last
    return result


def _without_brackets(text: str, span: Span, pairs_from: Callable[[int, int], Sequence[_Pair]] = lambda *_: ()) -> Span:
    """A sentence without the brackets around all of it, which are layout, unless markup stands around one of them."""
    start, end = span
    if text[start : start + 1] not in ("(", "["):
        return span
    for brackets in ("()", "[]"):
        counts = [text.count(bracket, start, end) for bracket in brackets]
        if counts == [1, 1] and text[start] == brackets[0] and text[end - 1] == brackets[1]:
            inside = pairs_from(start, end)
            odd = any((pair.start <= start < pair.end) != (pair.start < end <= pair.end) for pair in inside)
            return span if odd else _trimmed(text, start + 1, end - 1)
    return span


def _trimmed(text: str, start: int, end: int) -> Span:
    """The same characters without white space at either end."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def _join(spans: list[Span], pairs: Sequence[_Pair]) -> list[Span]:
    """Neighbours that share markup which does not begin and end where sentences do are one."""
    while True:
        starts, ends = {start for start, _ in spans}, {end for _, end in spans}
        odd = sorted((pair.start, pair.end) for pair in pairs if not (pair.start in starts and pair.end in ends))
        joined: list[Span] = []
        place, furthest = 0, 0  # of those that begin before the last joined sentence ends, the furthest end
        for start, end in spans:
            while joined and place < len(odd) and odd[place][0] < joined[-1][1]:
                furthest = max(furthest, odd[place][1])
                place += 1
            if joined and furthest > start:
                joined[-1] = joined[-1][0], end
            else:
                joined.append((start, end))
        if joined == spans:
            return spans
        spans = joined
