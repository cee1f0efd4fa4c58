"""Bracketed trees, their linearisation, and what is no tree."""

import lzma
import random
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.synthetic_treebank import WORDS, derive
from saccade.data.trees import Tree, linearise, output_text, read_tree
from saccade.errors import TreeError

CELL = "(TOP (S (NP (DT The) (NN cell)) (VP (VBZ divides)) (. .)))"

words = st.sampled_from(["cell", "Ménière", "细胞", "-LRB-", "*", ",", "\U0001f9ec", "0.5"])
leaves = st.tuples(st.sampled_from(["NN", "DT", "-LRB-", ",", "``"]), words)
brackets = st.recursive(leaves, lambda inside: st.tuples(st.sampled_from(["S", "NP"]), st.lists(inside, min_size=1)))


def bracketed(node) -> str:
    label, inside = node
    return f"({label} {inside if isinstance(inside, str) else ' '.join(map(bracketed, inside))})"


@settings(max_examples=25, deadline=None)
@given(st.lists(brackets, min_size=1, max_size=3), st.sampled_from(["TOP", "ROOT", ""]))
def test_reading_a_tree_and_writing_it_gives_it_back_whatever_its_outermost_label(children, outermost):
    inside = " ".join(map(bracketed, children))
    tree = Tree.read(f"({outermost} {inside})")
    assert str(tree) == f"(TOP {inside})"
    assert Tree.of(tree.linearised("tags"), tree.words) == tree
    assert output_text(tree.linearised("tags"), tree.words, "tags") == str(tree)


def test_trees_that_nobody_here_wrote_come_back_as_they_were(corpora):
    with lzma.open(corpora / "craft-treebank" / "dev.clean.ptb.xz", "rt", encoding="utf-8") as file:
        for line in islice(file, 500):
            assert str(Tree.read(line)) == line.strip()


@pytest.mark.parametrize(
    ("kind", "symbols"),
    [
        ("tags", "(S (NP DT NN )NP (VP VBZ )VP . )S"),
        ("placeholder", "(S (NP XX XX )NP (VP XX )VP XX )S"),
        ("words", "(S (NP The cell )NP (VP divides )VP . )S"),
    ],
)
def test_a_leaf_is_a_tag_a_placeholder_or_the_word(kind, symbols):
    assert linearise(CELL, kind) == symbols
    tags = ["DT", "NN", "VBZ", "."] if kind == "tags" else ["XX"] * 4
    assert Tree.read(output_text(symbols.split(), Tree.read(CELL).words, kind)).tags == tags


def test_constituents_are_labels_and_places():
    assert sorted(Tree.read(CELL).constituents()) == [("NP", 0, 2), ("S", 0, 4), ("VP", 2, 3)]


def test_a_tree_without_an_outermost_bracket_gets_one():
    assert str(Tree.read("(NP (NN cell))")) == "(TOP (NP (NN cell)))"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "has no words"),
        ("(S (NN cell)", r"does not close its bracket \(S"),
        ("(S (NN cell)))", r"has '\)' where"),
        ("(S (NN cell)) (S (NN cell))", "has '\\('"),
        ("(S (NP) (NN cell))", r"has nothing in its bracket \(NP"),
        ("(TOP)", "has nothing"),
        (")", "has nothing"),
        ("(NN big cell)", "has 'big'"),
        ("cell", "has 'cell'"),
        ("(S ((NN cell)))", "without a label"),
        ("(S (NP (-NONE- *T*)) (NN cell))", "trace"),
    ],
)
def test_what_is_no_tree_is_refused_with_its_line(text, problem):
    with pytest.raises(TreeError, match=f"`a.trees:7` must be a bracketed tree, but .*{problem}"):
        read_tree(text, None, "a.trees:7")


@pytest.mark.parametrize(
    ("symbols", "problem"),
    [
        ("(S XX", "not closed"),
        ("(S XX )NP", "not open"),
        ("XX )S", "not open"),
        ("(S )S XX", "nothing in it"),
        ("(S XX XX )S", "2 leaves for 1"),
    ],
)
def test_symbols_that_write_no_tree_are_shown_as_they_are(symbols, problem):
    with pytest.raises(TreeError, match=problem):
        Tree.of(symbols.split(), ["cell"])
    assert output_text(symbols.split(), ["cell"], "placeholder") == symbols


@pytest.mark.parametrize(
    ("sentence", "difference"),
    [("The cells divides .", "its word 2 is 'cell' and not 'cells'"), ("The cell divides", "has 4 words for 3")],
)
def test_a_tree_over_other_words_is_refused(sentence, difference):
    with pytest.raises(TreeError, match=f"`a:3` must be a tree over the words of its source, but {difference}"):
        read_tree(CELL, sentence, "a:3")


def test_brackets_among_the_words_are_escaped_as_in_treebanks():
    assert read_tree("(NP (-LRB- -LRB-) (NN f-LRB-x-RRB-))", "( f(x)", "a:1")[0] == "-LRB- f-LRB-x-RRB-"


def test_in_the_made_up_grammar_only_the_words_tell_where_a_phrase_belongs():
    chance = random.Random(3)
    trees = [derive(chance) for _ in range(400)]
    by_verb_and_noun = {"instrument": set[str](), "part": set[str]()}
    for tree in trees:
        for kind, found in by_verb_and_noun.items():
            nouns = WORDS["NN:instrument" if kind == "instrument" else "NNS:part"].split()
            found |= {_parent(tree, place) for place, word in enumerate(tree.words) if word in nouns}
    assert by_verb_and_noun == {"instrument": {"VP"}, "part": {"NP"}}


def _parent(tree: Tree, place: int) -> str:
    """The label of the bracket around the prepositional phrase that this word is in."""
    spans = [(label, end - start) for label, start, end in tree.constituents() if start <= place < end]
    around = [label for label, _ in sorted(spans, key=lambda span: span[1])]
    return around[around.index("PP") + 1]
