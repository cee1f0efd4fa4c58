"""What another parser is given, and how its trees are scored."""

import pytest
from bench.parsing_peer import score, trees, without_brackets

from saccade.data.trees import Tree

WORDS = "The cell divides ."
REFERENCE = "(TOP (S (NP (DT The) (NN cell)) (VP (VBZ divides)) (. .)))"


def test_a_sentence_is_given_without_tags_and_brackets():
    given = Tree.read(without_brackets(WORDS))
    assert (given.words, set(given.tags), list(given.constituents())) == (tuple(WORDS.split()), {"XX"}, [])


def test_trees_are_scored_without_their_tags():
    # As a parser without tags writes them: S and NP are right, VP is missing.
    output = "(TOP (S (NP (XX The) (XX cell)) (XX divides) (XX .)))"
    f1, complete, formed = score([WORDS], [output], [REFERENCE])
    assert (f1.value, complete.value, formed.value) == (pytest.approx(80.0), 0.0, 100.0)


def test_every_part_of_the_corpus_that_ships_is_read():
    (words, tree), *_ = trees("toy-treebank", "test")
    assert " ".join(Tree.read(tree).words) == words
