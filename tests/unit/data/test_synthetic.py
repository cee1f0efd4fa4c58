import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.data.catalogue import find
from saccade.data.synthetic import Lexicon, sentence
from saccade.data.text_lines import read_lines


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


seeds = st.integers(0, 2**32)


def made(seed):
    chance = random.Random(seed)
    lexicon = Lexicon.invent(chance)
    return lexicon, sentence(lexicon, chance)


@given(seeds)
def test_every_target_word_is_a_translation_of_the_word_it_is_linked_to(seed):
    lexicon, one = made(seed)
    for source, target in one.links:
        assert one.target[target] in lexicon.translations[one.source[source]]


@given(seeds)
def test_every_word_of_both_sides_is_linked_and_a_target_word_once(seed):
    _, one = made(seed)
    assert sorted(target for _, target in one.links) == list(range(len(one.target)))
    assert {source for source, _ in one.links} == set(range(len(one.source)))


@given(seeds)
def test_a_word_of_two_words_keeps_them_together_and_in_order(seed):
    lexicon, one = made(seed)
    for place, word in enumerate(one.source):
        linked = [target for source, target in one.links if source == place]
        assert tuple(one.target[target] for target in linked) == lexicon.translations[word]
        assert linked == list(range(linked[0], linked[0] + len(linked)))


@given(seeds)
def test_no_word_has_two_meanings_or_two_languages(seed):
    lexicon, _ = made(seed)
    targets = [word for words in lexicon.translations.values() for word in words]
    assert len(targets) == len(set(targets))
    assert not set(targets) & set(lexicon.translations)


def test_the_verb_moves_behind_the_subject_and_adjectives_behind_their_noun():
    lexicon = Lexicon(
        {"determiner": ("d",), "adjective": ("a",), "noun": ("n",), "adverb": ("x",), "verb": ("v",)}
        | {"and": ("&",), "because": ("b",)},
        {word: (word.upper(),) for word in "danxv&b"},
    )
    drawn = [sentence(lexicon, random.Random(seed)) for seed in range(400)]
    orders = {" ".join(one.source): " ".join(one.target) for one in drawn}
    assert orders["d a n d n v"] == "D N A V D N"
    assert orders["d n x v"] == "D N V X"
    halves = {source: source.split(" b ") for source in orders if source.count("b") == 1 and "&" not in source}
    known = [source for source, clauses in halves.items() if all(clause in orders for clause in clauses)]
    assert known
    for source in known:
        first, second = halves[source]
        assert orders[source] == f"B {orders[second]} {orders[first]}"


@pytest.mark.slow
def test_the_corpus_has_links_for_every_pair_and_no_source_twice(cache):
    files = find("reordering")
    sources = [line for split in files.splits.values() for line in read_lines(split.source)]
    assert len(sources) == len(set(sources)) == 21_000
    assert sum(1 for _ in read_lines(files.links["test"])) == 500


@pytest.mark.slow
def test_links_are_those_of_the_corpus_s_own_direction_alone(cache):
    assert find("reordering", "translated", "invented").links == {}
