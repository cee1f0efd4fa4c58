"""The rule and the arithmetic of trying other searches."""

import pytest
from bench.search_settings import Setting, row, settings, spread_out, verdict

from saccade.claims.transformer.t41_other_waves import statistics
from saccade.comparison.search_settings import ALPHAS, BEAMS

REFERENCES = ["the cat sat on the mat today", "a dog ran over the green hill", "we saw three birds in a tree"]


@pytest.mark.parametrize(
    ("difference", "error", "said"),
    [
        (0.5, 0.1, "better"),
        (-0.5, 0.1, "worse"),
        (0.5, 0.2, "undecided"),  # within three standard errors
        (0.29, 0.01, "undecided"),  # clear, but small; and not clearly small
        (0.1, 0.05, "level"),
        (0.0, 0.2, "undecided"),
    ],
)
def test_the_rule_on_both_sides_of_its_margins(difference, error, said):
    assert verdict(difference, error) == said


def test_the_papers_search_comes_first_and_one_thing_changes_at_a_time():
    tried = list(settings())
    assert tried[0] == Setting(4, 0.6)
    assert {one.beam for one in tried if one.alpha == 0.6} == set(BEAMS)
    assert {one.alpha for one in tried if one.beam == 4} == set(ALPHAS)
    assert len(tried) == len(set(tried)) == len(BEAMS) + len(ALPHAS) - 1


def test_a_row_has_bleu_its_difference_and_the_length_of_the_outputs():
    papers = statistics(REFERENCES, REFERENCES)
    assert row(Setting(), papers, papers) == "| beam 4, alpha 0.6 | 100.00 | 1.000 | | |"
    shorter = statistics([one.rsplit(" ", 1)[0] for one in REFERENCES], REFERENCES)
    assert row(Setting(beam=1), shorter, papers).startswith("| beam 1, alpha 0.6 | 84.65 | 0.857 | -15.35 ± ")
    assert row(Setting(beam=8), papers, papers).endswith("| +0.00 ± 0.00 | level |")


def test_lines_come_from_all_over_a_set():
    pairs = [(str(place), "") for place in range(10)]
    assert [int(source) for source, _ in spread_out(pairs, 4)] == [0, 2, 5, 7]
    assert spread_out(pairs, 99) == pairs
