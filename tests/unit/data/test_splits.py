"""The cuts: what is held out was never trained on, and everybody gets the same cut."""

import string
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.splits import (
    bucket,
    letters,
    lines_of,
    pronouncing_dictionary,
    published_pronunciations,
    reversed_letters,
    sentence_languages,
    tatoeba,
)

CREDIT = "CC-BY 2.0 (France) Attribution: tatoeba.org #2877272 (CM) & #4986655 (cueyayotl)"


def test_case_and_punctuation_make_no_other_sentence():
    assert letters("¡Salta, Tom!") == letters("salta tom.") == "salta tom"


def test_the_bucket_of_a_sentence_never_changes():
    assert bucket("Go!") == 0x1EC558A6 % 1000  # printf go | sha1sum


def test_lines_end_at_line_feeds_only():
    assert lines_of("a\u2028b\nc\x85d\n") == ["a\u2028b", "c\x85d"]


def test_the_last_line_counts_without_a_line_feed():
    assert lines_of("a\nb") == ["a", "b"]


words = st.text(string.ascii_letters, min_size=1, max_size=5)
sentences = st.lists(words, min_size=1, max_size=3).map(" ".join)


@settings(deadline=None)
@given(st.lists(st.tuples(sentences, sentences), max_size=200))
def test_no_held_out_sentence_is_trained_on_from_either_side(pairs):
    portions = tatoeba(["".join(f"{english}\t{other}\t{CREDIT}\n" for english, other in pairs)]).pairs
    held_out = portions["valid"] + portions["test"]
    for side in (0, 1):
        assert not {letters(pair[side]) for pair in portions["train"]} & {letters(pair[side]) for pair in held_out}


@settings(deadline=None)
@given(st.lists(st.tuples(sentences, sentences), max_size=50))
def test_held_out_pairs_are_all_kept_in_order(pairs):
    portions = tatoeba(["".join(f"{english}\t{other}\t{CREDIT}\n" for english, other in pairs)]).pairs
    assert portions["test"] == [pair for pair in pairs if bucket(pair[0]) < 15]
    assert portions["valid"] == [pair for pair in pairs if 15 <= bucket(pair[0]) < 30]


def test_authors_are_credited_once_each():
    text = f"Go.\tVe.\t{CREDIT}\nGo.\tVete.\t{CREDIT.replace('CM', 'Ana')}\n"
    assert tatoeba([text]).authors == ("Ana", "CM", "cueyayotl")


def everything(portions):
    return [pair for pairs in portions.pairs.values() for pair in pairs]


def test_stress_and_comments_are_dropped():
    assert everything(pronouncing_dictionary(["aalborg AO1 L B AO0 R G # place, danish\n"])) == [
        ("aalborg", "AO L B AO R G")
    ]


def test_variants_are_further_pronunciations_of_the_word():
    text = "record R AH0 K AO1 R D\nrecord(2) R EH1 K ER0 D\n"
    assert everything(pronouncing_dictionary([text])) == [("record", "R AH K AO R D"), ("record", "R EH K ER D")]


def test_pronunciations_that_differ_only_in_stress_are_one():
    assert everything(pronouncing_dictionary(["import IH0 M P\nimport(2) IH1 M P\n"])) == [("import", "IH M P")]


@settings(deadline=None)
@given(st.lists(words, min_size=1, max_size=60))
def test_pronunciations_of_a_word_stay_together(spellings):
    text = "".join(f"{word} AH0 B{number % 3}\n" for number, word in enumerate(spellings))
    portions = pronouncing_dictionary([text]).pairs
    held = [{word for word, _ in pairs} for pairs in portions.values()]
    assert sum(len(group) for group in held) == len(set().union(*held))


def test_the_published_test_set_stays_whole_and_valid_comes_from_train():
    train = "".join(f"WORD{number}\tW ER D\n" for number in range(500))
    test = "WORD500\tW ER D\nWORD500\tW AO D\n"
    portions = published_pronunciations([train, test]).pairs
    assert portions["test"] == [("WORD500", "W ER D"), ("WORD500", "W AO D")]
    assert 0 < len(portions["valid"]) < 50
    assert len(portions["train"]) + len(portions["valid"]) == 500


def test_the_toy_task_reverses():
    assert all(target.split() == source.split()[::-1] for source, target in everything(reversed_letters()))


def test_the_toy_task_repeats_no_sequence():
    pairs = everything(reversed_letters())
    assert len({source for source, _ in pairs}) == len(pairs) == 5400


labelled = st.lists(sentences, min_size=20, max_size=60)


@settings(deadline=None)
@given(labelled, labelled, labelled)
def test_labels_are_equally_many_in_every_split_and_no_sentence_has_two(one, two, three):
    texts = ["".join(f"{line}\n" for line in lines) for lines in (one, two, three)]
    portions = sentence_languages(texts).pairs
    belongs = {letters(line): set() for lines in (one, two, three) for line in lines}
    for label, lines in zip(("de", "en", "es"), (one, two, three), strict=True):
        for line in lines:
            belongs[letters(line)].add(label)
    for pairs in portions.values():
        assert len({label for _, label in pairs}) in (0, 3)
        assert len(set(Counter(label for _, label in pairs).values())) <= 1
        assert all(belongs[letters(line)] == {label} for line, label in pairs)
    everything = [letters(line) for pairs in portions.values() for line, _ in pairs]
    assert len(everything) == len(set(everything))


def test_the_order_of_lines_does_not_change_a_labelled_corpus():
    texts = [[f"{word} {number}" for number in range(41)] for word in ("das", "the", "el")]
    forwards = sentence_languages(["\n".join(lines) for lines in texts])
    assert sentence_languages(["\n".join(lines[::-1]) for lines in texts]) == forwards
    assert {split: len(pairs) for split, pairs in forwards.pairs.items()} == {"train": 111, "valid": 6, "test": 6}
    assert len({label for _, label in forwards.pairs["train"][:9]}) > 1
