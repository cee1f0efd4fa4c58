"""Outputs that keep to the rules are well-formed trees over the given words; the fast rules are the readable ones."""

import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.trees import Tree
from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.beam_fast import fast_search
from saccade.decoding.sampling import SamplingConfig, sample
from saccade.decoding.sampling_fast import fast_sample
from saccade.decoding.tree_constraint import DEEPEST, END, LONGEST_RUN, allowed_symbols
from saccade.decoding.tree_constraint_fast import ANY, TreeConstraint, TreeVocabulary
from saccade.sequences import Sequences
from saccade.special_tokens import EOS, UNK

SYMBOLS = ["", "", "<unk>", "", "(S", "(NP", ")NP", ")S", "XX", "NN", "▁".strip("▁")]
"""By token; the last is a piece of nothing."""
LEAVES = (8, 9)
KNOWN = [symbol for symbol in SYMBOLS if symbol and symbol != "<unk>"]


def names(allowed) -> set[str]:
    return {END if token == EOS else SYMBOLS[token] for token in allowed.nonzero().flatten().tolist()}


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([ANY, *LEAVES]), min_size=1, max_size=6), min_size=1, max_size=3),
    st.integers(0, 12),
    st.integers(0, 2**31),
)
def test_every_walk_by_the_fast_rules_is_one_by_the_readable_ones_and_ends_in_a_tree(leaves, extra, seed):
    chance = random.Random(seed)
    rules = TreeConstraint.of(TreeVocabulary.of(SYMBOLS), leaves).branch(2)
    limits = [len(row) + 1 + extra for row in leaves]
    written: list[list[list[int]]] = [[[], []] for _ in leaves]
    for length in range(max(limits)):
        allowed = rules.allowed(torch.tensor(limits) - length)
        parents, tokens = torch.zeros(len(leaves), 2, dtype=torch.int64), torch.full((len(leaves), 2), EOS)
        before, written = written, [[[], []] for _ in leaves]
        for row, needed in enumerate(leaves):
            wanted = [None if leaf == ANY else SYMBOLS[leaf] for leaf in needed]
            for place in range(2):
                parent = chance.randrange(2)
                parents[row, place], symbols = parent, before[row][parent]
                written[row][place] = symbols
                if EOS in symbols:
                    continue
                expected = allowed_symbols(KNOWN, [SYMBOLS[one] for one in symbols], wanted, limits[row])
                assert names(allowed[row, parent]) == expected
                tokens[row, place] = chance.choice(allowed[row, parent].nonzero().flatten().tolist())
                written[row][place] = [*symbols, int(tokens[row, place])]
        rules = rules.follow(parents, tokens)
    for row, needed in enumerate(leaves):
        for output in written[row]:
            assert output[-1] == EOS
            assert len(output) <= limits[row]
            tree = Tree.of([SYMBOLS[token] for token in output[:-1]], [f"word{n}" for n in range(len(needed))])
            assert all(leaf in (ANY, SYMBOLS.index(tag)) for leaf, tag in zip(needed, tree.tags, strict=True))


def test_brackets_in_a_row_and_brackets_inside_each_other_are_bounded():
    limit = 10 * DEEPEST
    assert "(S" not in allowed_symbols(KNOWN, ["(S"] * LONGEST_RUN, [None] * 500, limit)
    assert "(S" in allowed_symbols(KNOWN, ["(S"] * (LONGEST_RUN - 1), [None] * 500, limit)
    deep = ["(S", "XX"] * DEEPEST
    assert "(S" not in allowed_symbols(KNOWN, deep, [None] * 500, limit)
    assert "(S" in allowed_symbols(KNOWN, deep[2:], [None] * 500, limit)


def test_an_unknown_word_is_written_as_unknown_where_leaves_are_words():
    rules = TreeConstraint.of(TreeVocabulary.of(SYMBOLS), [[UNK, 8]])
    assert set(rules.allowed(torch.tensor([9]))[0, 0].nonzero().flatten().tolist()) == {4, 5, UNK}


LENGTHS = (3, 1, 5)


def constrained(model):
    """Sources of three lengths, and the rules for trees over as many words."""
    sources = Sequences.of([[*range(4, 4 + length), EOS] for length in LENGTHS])
    assert model.target_vocabulary == len(SYMBOLS)
    return sources, TreeConstraint.of(TreeVocabulary.of(SYMBOLS), [[ANY] * length for length in LENGTHS])


def tree_of(tokens, length) -> Tree:
    assert tokens[-1] == EOS
    return Tree.of([SYMBOLS[token] for token in tokens[:-1]], [f"word{n}" for n in range(length)])


@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 1000), size=st.integers(1, 5), alpha=st.sampled_from([0.0, 0.6]), extra=st.integers(0, 9))
def test_both_searches_find_the_same_trees(tiny, seed, size, alpha, extra):
    model = tiny(seed)
    source, rules = constrained(model)
    config = BeamConfig(size=size, nbest=size, alpha=alpha, extra_length=extra)
    fast, readable = (search(model, source, config, rules=rules) for search in (fast_search, beam_search))
    for ours, theirs, length in zip(fast, readable, LENGTHS, strict=True):
        assert [one.tokens for one in ours] == [one.tokens for one in theirs]
        assert [one.score for one in ours] == pytest.approx([one.score for one in theirs], abs=1e-9)
        for hypothesis in ours:
            tree_of(hypothesis.tokens, length)


def test_without_room_for_a_bracket_the_words_stand_alone(tiny):
    source, rules = constrained(tiny(3))
    for found, length in zip(
        fast_search(tiny(3), source, BeamConfig(extra_length=0), rules=rules), LENGTHS, strict=True
    ):
        assert not list(tree_of(found[0].tokens, length).constituents())


def test_a_beam_as_wide_as_all_trees_finds_the_most_probable_one(tiny):
    """By exhaustion: every tree over two words within the limit, scored one by one."""
    model, limit = tiny(5), 5
    found: list[list[int]] = []

    def grow(tokens):
        for symbol in allowed_symbols(KNOWN, [SYMBOLS[token] for token in tokens], [None, None], limit):
            if symbol == END:
                found.append([*tokens, EOS])
            else:
                grow([*tokens, SYMBOLS.index(symbol)])

    grow([])
    source = Sequences.of([[4, 5, EOS]])
    rules = TreeConstraint.of(TreeVocabulary.of(SYMBOLS), [[ANY, ANY]])
    [hypotheses] = beam_search(model, source, BeamConfig(size=100, alpha=0.0, extra_length=2), rules=rules)
    target = Sequences.of(found)
    with torch.no_grad():
        memory = model.encode(source).select(torch.zeros(len(found), dtype=torch.int64))
        scores = model.decode(target.reads, memory).log_softmax(2).gather(2, target.tokens.unsqueeze(2)).squeeze(2)
    totals = (scores * target.mask).sum(1)
    assert list(hypotheses[0].tokens) == found[int(totals.argmax())]
    assert hypotheses[0].log_probability == pytest.approx(float(totals.max()))


@pytest.mark.parametrize("seed", range(4))
def test_samples_keep_to_the_rules_too(tiny, seed):
    model = tiny(7)
    source, rules = constrained(model)

    def drawn(draw):
        generators = [torch.Generator().manual_seed(seed + number) for number in range(len(LENGTHS))]
        return [best.tokens for [best] in draw(model, source, SamplingConfig(), generators, rules=rules)]

    found = drawn(fast_sample)
    assert found == drawn(sample)
    for tokens, length in zip(found, LENGTHS, strict=True):
        tree_of(tokens, length)
