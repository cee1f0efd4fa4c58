"""Bracket counts against PYEVALB, an implementation nobody here wrote (`pip install PYEVALB`), on the trees of CRAFT.

PYEVALB departs from EVALB in four ways: it counts brackets as sets, so that of a unary chain of equal labels one
counts; it leaves out no punctuation; it counts the outermost bracket; and ADVP and PRT differ. So both count trees
without punctuation and without repeated brackets here, and the outermost bracket is taken off.
"""

import lzma
import random
from itertools import islice

import pytest

from saccade.data.trees import Tree, is_bracket
from saccade.evaluation.bracket_score import DELETED, brackets

pyevalb = pytest.importorskip("PYEVALB.scorer", reason="PYEVALB is not installed")
parser = pytest.importorskip("PYEVALB.parser", reason="PYEVALB is not installed")
pytestmark = pytest.mark.slow


def simplified(tree: Tree) -> Tree | None:
    """Without punctuation, without brackets that become empty or stand twice, and with ADVP for PRT."""
    kept = [tag not in DELETED for tag in tree.tags]
    seen: set[tuple[str, int, int]] = set()
    drop: set[int] = set()
    begins: list[tuple[int, int]] = []
    place = count = 0
    symbols = [symbol.replace("PRT", "ADVP") if is_bracket(symbol) else symbol for symbol in tree.symbols]
    for index, symbol in enumerate(symbols):
        if symbol.startswith("("):
            begins.append((index, count))
        elif symbol.startswith(")"):
            opened, start = begins.pop()
            bracket = (symbol[1:], start, count)
            if start == count or bracket in seen:
                drop |= {opened, index}
            seen.add(bracket)
        else:
            drop |= set() if kept[place] else {index}
            count += kept[place]
            place += 1
    if not count:
        return None
    words = [word for word, keep in zip(tree.words, kept, strict=True) if keep]
    return Tree.of([symbol for index, symbol in enumerate(symbols) if index not in drop], words)


def damaged(tree: Tree, chance: random.Random) -> Tree:
    """The same words with some brackets gone and some of another label."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for index, symbol in enumerate(tree.symbols):
        if symbol.startswith("("):
            opened.append(index)
        elif symbol.startswith(")"):
            partners[opened.pop()] = index
    symbols: list[str | None] = list(tree.symbols)
    for begin, end in partners.items():
        choice = chance.random()
        if choice < 0.15:
            symbols[begin] = symbols[end] = None
        elif choice < 0.3:
            symbols[begin], symbols[end] = "(X", ")X"
    return Tree.of([symbol for symbol in symbols if symbol is not None], tree.words)


def test_matched_and_counted_brackets_are_those_of_pyevalb(corpora):
    scorer, chance = pyevalb.Scorer(), random.Random(1)
    compared = 0
    with lzma.open(corpora / "craft-treebank" / "dev.clean.ptb.xz", "rt", encoding="utf-8") as file:
        for line in islice(file, 2_780):
            reference = simplified(Tree.read(line))
            output = None if reference is None else simplified(damaged(reference, chance))
            # PYEVALB reads no bracket characters in words, and needs a bracket that is no tag.
            if reference is None or output is None or len(reference.words) < 2:
                continue
            nothing = [False] * len(reference.words)
            ours = brackets(reference, nothing), brackets(output, nothing)
            theirs = scorer.score_trees(*(parser.create_from_bracket_string(str(tree)) for tree in (reference, output)))
            found = (ours[0] & ours[1]).total(), ours[0].total(), ours[1].total()
            # The outermost bracket, which PYEVALB counts.
            expected = theirs.matched_brackets - 1, theirs.gold_brackets - 1, theirs.test_brackets - 1
            assert found == expected, line
            compared += 1
    assert compared > 2_500
