"""Constituency trees: from bracketed text to the symbols that a model writes, and back.

    (TOP (S (NP (DT The) (NN cell)) (VP (VBZ divides)) (. .)))      bracketed text, as in the Penn treebank
    (S (NP DT NN )NP (VP VBZ )VP . )S                               its linearisation (Vinyals et al. 2015, section 2.1)

A linearisation has one symbol for each opening and each closing bracket, with its label, and one for each leaf. A leaf
is written as the tag of its word, as the placeholder XX, the same for every word, or as the word itself (`Leaves`).
With the words beside it a linearisation is a tree again. The outermost bracket, which says only that this is a tree,
is left out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from saccade.data.normalisation import normalise
from saccade.errors import TreeError

Leaves = Literal["tags", "placeholder", "words"]
"""What a model writes for each word of the sentence."""

TOP = "TOP"
PLACEHOLDER = "XX"
"""The leaf that stands for any word, and the tag of a word whose tag is not known."""

_OUTERMOST = frozenset({"", TOP, "ROOT"})
_TRACE = "-NONE-"
# Five groups: the tag and the word of a leaf, the label of another bracket that opens, one that closes, a stray word.
_PARTS = re.compile(r"\( ?([^ ()]+) ([^ ()]+) ?\)|\( ?([^ ()]*)|(\))|([^ ()]+)")
_ESCAPES = {"(": "-LRB-", ")": "-RRB-"}


@dataclass(frozen=True)
class Tree:
    """A well-formed tree: its linearisation with tags as leaves, and its words."""

    symbols: tuple[str, ...]
    words: tuple[str, ...]

    @classmethod
    def of(cls, symbols: Sequence[str], words: Sequence[str]) -> "Tree":
        """The tree of a linearisation over these words; every leaf that is no bracket is taken as a tag."""
        open_labels: list[str] = []
        leaves, before = 0, ""
        for symbol in symbols:
            if opens(symbol):
                open_labels.append(symbol[1:])
            elif closes(symbol):
                if opens(before):
                    raise TreeError(f"{before!r} has nothing in it")
                if not open_labels or open_labels.pop() != symbol[1:]:
                    raise TreeError(f"{symbol!r} closes a bracket that is not open")
            else:
                leaves += 1
            before = symbol
        if open_labels:
            raise TreeError(f"({open_labels[-1]} is not closed")
        if leaves != len(words) or not leaves:
            raise TreeError(f"it has {leaves} leaves for {len(words)} words")
        return cls(tuple(symbols), tuple(words))

    @classmethod
    def read(cls, text: str) -> "Tree":
        """The tree of a bracketed text; its outermost label may be TOP, ROOT or empty, or be missing altogether."""
        return _read(normalise(text))

    def linearised(self, leaves: Leaves) -> list[str]:
        """Its symbols, with leaves of this kind."""
        written = {"tags": None, "placeholder": [PLACEHOLDER] * len(self.words), "words": self.words}[leaves]
        if written is None:
            return list(self.symbols)
        remaining = iter(written)
        return [symbol if is_bracket(symbol) else next(remaining) for symbol in self.symbols]

    def constituents(self) -> Iterator[tuple[str, int, int]]:
        """Label, first word and word after the last of each bracket, in the order in which they close."""
        begins: list[int] = []
        position = 0
        for symbol in self.symbols:
            if opens(symbol):
                begins.append(position)
            elif closes(symbol):
                yield symbol[1:], begins.pop(), position
            else:
                position += 1

    @property
    def tags(self) -> list[str]:
        """The tag of each word."""
        return [symbol for symbol in self.symbols if not is_bracket(symbol)]

    def __str__(self) -> str:
        words = iter(self.words)
        parts = []
        for symbol in self.symbols:
            if opens(symbol):
                parts.append(f" {symbol}")
            elif closes(symbol):
                parts.append(")")
            else:
                parts.append(f" ({symbol} {next(words)})")
        return f"({TOP}{''.join(parts)})"


def opens(symbol: str) -> bool:
    """Whether this symbol opens a bracket."""
    return symbol.startswith("(")


def closes(symbol: str) -> bool:
    """Whether this symbol closes a bracket."""
    return symbol.startswith(")")


def is_bracket(symbol: str) -> bool:
    """Whether this symbol is no leaf."""
    return opens(symbol) or closes(symbol)


def linearise(text: str, leaves: Leaves) -> str:
    """The symbols of a bracketed text, separated by spaces."""
    return " ".join(Tree.read(text).linearised(leaves))


def output_text(symbols: Sequence[str], words: Sequence[str], leaves: Leaves) -> str:
    """What a model wrote for these words: the tree, or the symbols themselves where they are none.

    A leaf that is no tag says nothing about the tag of its word.
    """
    if leaves != "tags":
        symbols = [symbol if is_bracket(symbol) else PLACEHOLDER for symbol in symbols]
    try:
        return str(Tree.of(symbols, words))
    except TreeError:
        return " ".join(symbols)


def escape_brackets(text: str) -> str:
    """The same text with the brackets in its words written as treebanks write them: -LRB- and -RRB-."""
    for bracket, escaped in _ESCAPES.items():
        text = text.replace(bracket, escaped)
    return text


def read_tree(text: str, words: str | None, where: str) -> tuple[str, str]:
    """The words of a tree and the tree, both in the form that is used everywhere; `words` are those it must have."""
    try:
        tree = Tree.read(text)
    except TreeError as problem:
        raise TreeError(f"`{where}` must be a bracketed tree, but {problem}. Correct the line.") from None
    if words is not None:
        _check_words(tree.words, tuple(normalise(escape_brackets(words)).split()), where)
    return " ".join(tree.words), str(tree)


def _check_words(found: tuple[str, ...], wanted: tuple[str, ...], where: str) -> None:
    if found == wanted:
        return
    place = next((n for n, (a, b) in enumerate(zip(found, wanted, strict=False)) if a != b), None)
    difference = (
        f"has {len(found)} words for {len(wanted)}"
        if place is None
        else f"its word {place + 1} is {found[place]!r} and not {wanted[place]!r}"
    )
    raise TreeError(f"`{where}` must be a tree over the words of its source, but {difference}. Correct one of them.")


def _read(text: str) -> Tree:
    symbols: list[str] = []
    words: list[str] = []
    open_labels: list[str | None] = []  # None is the outermost bracket that is left out
    for place, (tag, word, label, close, stray) in enumerate(_PARTS.findall(text)):
        if stray or (place and not open_labels):
            raise TreeError(f"has {stray or tag or close or '('!r} where it must have a bracket that opens or its end")
        if tag:
            if tag == _TRACE:
                raise TreeError(f"has the trace {word!r}, which is no word; traces ({_TRACE}) must be removed")
            symbols.append(tag)
            words.append(word)
        elif close:
            if not symbols or opens(symbols[-1]):
                raise TreeError(f"has nothing in its bracket ({(open_labels or [''])[-1] or ''}")
            closed = open_labels.pop()
            symbols += [] if closed is None else [f"){closed}"]
        elif not place and label in _OUTERMOST:
            open_labels.append(None)
        elif not label:
            raise TreeError("has a bracket without a label inside")
        else:
            symbols.append(f"({label}")
            open_labels.append(label)
    if open_labels:
        raise TreeError(f"does not close its bracket ({open_labels[-1] or ''}")
    if not words:
        raise TreeError("has no words")
    return Tree(tuple(symbols), tuple(words))
