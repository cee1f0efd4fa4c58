"""The tree that a parser wrote, as the explorer draws it: each bracket with the steps that wrote it and its words."""

from collections.abc import Sequence
from typing import Any

from saccade.data.tree_symbols import symbols_of
from saccade.data.trees import Tree, closes, opens
from saccade.errors import TreeError


def constituents(pieces: Sequence[str], words: Sequence[str]) -> dict[str, Any] | None:
    """The brackets in the order in which they open, and the leaves; None where the pieces, EOS last, write no tree.

    `open` and `close` are steps: rows of what was written. `start` and `end` are words, the end not included.
    """
    symbols = symbols_of(pieces[:-1])
    try:
        Tree.of(symbols, words)
    except TreeError:
        return None
    brackets: list[dict[str, Any]] = []
    leaves: list[dict[str, Any]] = []
    unclosed: list[dict[str, Any]] = []
    for step, symbol in enumerate(symbols):
        if opens(symbol):
            unclosed.append(
                {"label": symbol[1:], "open": step, "close": step, "start": len(leaves), "end": len(leaves)}
            )
            brackets.append(unclosed[-1])
        elif closes(symbol):
            unclosed.pop().update(close=step, end=len(leaves))
        else:
            leaves.append({"tag": symbol, "step": step})
    return {"words": list(words), "brackets": brackets, "leaves": leaves}
