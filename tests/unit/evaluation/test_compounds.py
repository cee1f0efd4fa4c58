import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.evaluation.bleu import bleu
from saccade.evaluation.compounds import LABEL, compound_split_bleu, split_compounds
from saccade.evaluation.examples import Example
from saccade.evaluation.score import Conditions


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("rich-text format", "rich ##AT##-##AT## text format"),
        ("state-of-the-art", "state ##AT##-##AT## of ##AT##-##AT## the ##AT##-##AT## art"),
        ("a - b", "a - b"),
        ("-5 bis-", "-5 bis-"),
        ("a-b-c", "a ##AT##-##AT## b-c"),
    ],
)
def test_hyphens_inside_words_become_tokens(text, split):
    assert split_compounds(text) == split


def test_value_of_a_hand_made_example():
    # After splitting, 7 tokens each: EU ##AT##-##AT## Rat tagt heute in X; one word of the output is wrong, the last.
    example = Example("-", "EU-Rat tagt heute in Bonn", ("EU-Rat tagt heute in Rom",))
    precisions = [6 / 7, 5 / 6, 4 / 5, 3 / 4]
    expected = 100 * math.exp(sum(map(math.log, precisions)) / 4)
    assert compound_split_bleu([example], Conditions()).value == pytest.approx(expected)
    assert bleu([example], Conditions()).value < expected


@given(
    st.lists(st.lists(st.sampled_from(["der", "Hund", "rennt,", "schnell.", "3,5", "weg!"]), min_size=5), min_size=1)
)
def test_without_hyphens_it_is_plain_bleu(sentences):
    # Each output begins as its reference does, so that no n-gram count is zero and smoothing has no say.
    examples = [
        Example(
            "-", " ".join(["Das", "war", "ein", "Test", *words]), (" ".join(["Das", "war", "ein", "Test", "aber"]),)
        )
        for words in sentences
    ]
    assert compound_split_bleu(examples, Conditions()).value == pytest.approx(bleu(examples, Conditions()).value)


def test_the_label_warns():
    score = compound_split_bleu([Example("-", "ein Wort", ("ein Wort",))], Conditions())
    assert score.label == LABEL
    assert "not comparable with sacreBLEU" in score.label
    assert "tok:13a+compound-split" in score.signature
    assert "smooth:none" in score.signature
