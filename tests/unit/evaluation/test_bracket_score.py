"""Labelled brackets counted as EVALB counts them."""

import pytest

from saccade.errors import InputError
from saccade.evaluation.bracket_score import (
    BracketCounts,
    bracket_counts,
    bracket_f1,
    bracket_precision,
    bracket_recall,
    complete_match,
    well_formed,
)
from saccade.evaluation.examples import Example
from saccade.evaluation.metric_score import MetricOptions

GOLD = "(TOP (S (NP (DT the) (NN cell)) (VP (VBZ divides) (NP (NP (PRP itself)))) (. .)))"


def example(output: str, reference: str = GOLD) -> Example:
    return Example("", output, (reference,))


@pytest.mark.parametrize(
    ("output", "matched", "written"),
    [
        (GOLD, 5, 5),
        # Without the outermost bracket, and with other tags: neither is counted.
        ("(S (NP (XX the) (XX cell)) (VP (XX divides) (NP (NP (XX itself)))) (XX .))", 5, 5),
        # The full stop inside VP: punctuation belongs to no bracket.
        ("(TOP (S (NP (DT the) (NN cell)) (VP (VBZ divides) (NP (NP (PRP itself))) (. .))))", 5, 5),
        # One NP of the unary chain of two: it matches one of them.
        ("(TOP (S (NP (DT the) (NN cell)) (VP (VBZ divides) (NP (PRP itself))) (. .)))", 4, 4),
        # Three of them: two match.
        ("(TOP (S (NP (DT the) (NN cell)) (VP (VBZ divides) (NP (NP (NP (PRP itself))))) (. .)))", 5, 6),
        # A bracket around punctuation alone is none.
        ("(TOP (S (NP (DT the) (NN cell)) (VP (VBZ divides) (NP (NP (PRP itself)))) (NP (. .))))", 5, 5),
        # Another label, and another span.
        ("(TOP (S (NP (DT the)) (VP (NN cell) (VBZ divides) (PP (NP (PRP itself)))) (. .)))", 2, 5),
        # Function tags are cut off.
        ("(TOP (S (NP-SBJ (DT the) (NN cell)) (VP=2 (VBZ divides) (NP (NP (PRP itself)))) (. .)))", 5, 5),
        ("(TOP (X (DT the)) (NN cell) (VBZ divides) (PRP itself) (. .))", 0, 1),
    ],
)
def test_brackets_are_counted_as_a_multiset_without_punctuation(output, matched, written):
    assert bracket_counts(output, GOLD) == BracketCounts(matched, 5, written, well_formed=True)


def test_a_particle_counts_as_an_adverb():
    assert bracket_counts("(VP (VB go) (ADVP (RP up)))", "(VP (VB go) (PRT (RP up)))").matched == 2


@pytest.mark.parametrize(
    "output",
    ["", "(S (NP DT NN )NP", "(TOP (S (NP (DT the) (NN cells)) (VP (VBZ divides))))", "(TOP (NP (NN cell)))"],
)
def test_an_output_that_is_no_tree_over_the_words_has_no_brackets_and_is_not_skipped(output):
    assert bracket_counts(output, GOLD) == BracketCounts(0, 5, 0, well_formed=False)


def test_an_empty_line_has_an_empty_tree():
    assert bracket_counts("", "") == BracketCounts(0, 0, 0, well_formed=True)


def test_a_reference_that_is_no_tree_is_refused():
    with pytest.raises(InputError, match="a reference must be a bracketed tree, but has 'no'"):
        bracket_counts(GOLD, "no tree")


def test_scores_are_of_all_brackets_together_not_of_sentences():
    short = "(TOP (NP (NN cell)))"
    examples = [example(GOLD), example("(TOP (NP (NP (NN cell))))", short), example("", short)]
    options = MetricOptions(resamples=50)
    values = [metric(examples, options) for metric in (bracket_precision, bracket_recall, bracket_f1)]
    assert [score.value for score in values] == pytest.approx([100 * 6 / 7, 100 * 6 / 7, 100 * 12 / 14])
    assert all(score.interval.low <= score.value <= score.interval.high for score in values)
    assert complete_match(examples, options).value == pytest.approx(100 / 3)
    assert well_formed(examples, options).value == pytest.approx(200 / 3)


def test_when_nothing_was_written_precision_is_zero_and_no_error():
    assert bracket_precision([example("")], MetricOptions()).value == 0
    assert bracket_f1([example("")], MetricOptions()).value == 0
