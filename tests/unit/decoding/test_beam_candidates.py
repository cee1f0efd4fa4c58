import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.decoding.beam_candidates import best_candidates
from saccade.decoding.ranking import best_first
from saccade.special_tokens import BOS, PAD


def by_sorting(logits, totals, count):
    """All candidates of all hypotheses of a sentence, sorted by the rule."""
    sentences, size = totals.shape
    each = logits.double().log_softmax(dim=1)
    each[:, [PAD, BOS]] = -torch.inf
    all_of_them = (each.view(sentences, size, -1) + totals.unsqueeze(2)).flatten(1)
    best = best_first(all_of_them, count)
    return best, all_of_them.gather(1, best)


@settings(max_examples=40, deadline=None)
@given(
    sentences=st.integers(1, 3),
    size=st.integers(1, 5),
    vocabulary=st.sampled_from([5, 31, 64, 65, 128, 500]),
    rounded=st.booleans(),
    seed=st.integers(0, 2**31),
)
def test_where_the_margin_is_wide_it_is_what_sorting_everything_gives(sentences, size, vocabulary, rounded, seed):
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(sentences * size, vocabulary, generator=generator, dtype=torch.float64)
    logits = (4 * logits).round() if rounded else logits
    totals = -torch.rand(sentences, size, generator=generator, dtype=torch.float64)
    ids, scores = by_sorting(logits, totals, 2 * size)
    found = best_candidates(logits, totals, 2 * size)
    clear = ~(found.margin <= 1)
    possible = ~scores.isneginf()
    assert torch.equal(found.ids[clear][possible[clear]], ids[clear][possible[clear]])
    torch.testing.assert_close(found.scores[clear], scores[clear], rtol=0, atol=1e-12)


def test_a_tie_that_reaches_beyond_what_was_looked_at_is_noticed():
    logits = torch.zeros(2, 100)
    assert best_candidates(logits, torch.zeros(2, 1, dtype=torch.float64), 2).margin.tolist() == [0.0, 0.0]


def test_where_everything_is_looked_at_no_tie_reaches_beyond():
    logits = torch.zeros(1, 7)
    found = best_candidates(logits, torch.zeros(1, 1, dtype=torch.float64), 2)
    assert found.margin.item() > 1
    assert found.ids.tolist() == [[1, 2]]


def test_a_hypothesis_that_is_an_empty_place_has_no_continuation():
    generator = torch.Generator().manual_seed(3)
    logits = torch.randn(3, 67, generator=generator, dtype=torch.float64)
    totals = torch.tensor([[-1.0, -torch.inf, -torch.inf]], dtype=torch.float64)
    assert (best_candidates(logits, totals, 6).ids < 67).all()


def test_scores_of_half_precision_are_added_up_in_double():
    generator = torch.Generator().manual_seed(4)
    logits = torch.randn(2, 131, generator=generator).bfloat16()
    totals = torch.tensor([[-1000.0, -1000.25]], dtype=torch.float64)
    _, scores = by_sorting(logits, totals, 4)
    torch.testing.assert_close(best_candidates(logits, totals, 4).scores, scores, rtol=0, atol=1e-5)
