import torch
from hypothesis import given
from hypothesis import strategies as st

from saccade.decoding.ranking import MARGIN, STEPS_PER_NAT, best_first, shortlist

STEP = 1 / STEPS_PER_NAT


def test_of_equal_candidates_the_first_comes_first():
    scores = torch.tensor([[-2.0, -1.0, -3.0, -1.0, -1.0]])
    assert best_first(scores, 4).tolist() == [[1, 3, 4, 0]]


def test_noise_below_the_grid_changes_nothing():
    scores = torch.tensor([[-1.0, -1.0 + STEP / 5, -1.0 - STEP / 5]], dtype=torch.float64)
    assert best_first(scores, 3).tolist() == [[0, 1, 2]]


def test_a_difference_of_a_grid_step_decides():
    scores = torch.tensor([[-1.0 - STEP, -1.0]], dtype=torch.float64)
    assert best_first(scores, 2).tolist() == [[1, 0]]


def best_by_sorting_everything(log_probabilities, total, count):
    keys = [round((total + value) * STEPS_PER_NAT) for value in log_probabilities.double().tolist()]
    return sorted(range(len(keys)), key=lambda token: (-keys[token], token))[:count]


@given(st.integers(0, 10_000), st.integers(1, 7), st.sampled_from([1, 2, 5, 1000]))
def test_shortlist_holds_the_best_of_the_whole_vocabulary_however_many_are_equal(seed, count, distinct):
    generator = torch.Generator().manual_seed(seed)
    vocabulary = 211
    levels = torch.randint(distinct, (3, vocabulary), generator=generator)
    log_probabilities = (levels / distinct - 1.5) + STEP / 10 * torch.rand(3, vocabulary, generator=generator)
    totals = torch.tensor([0.0, -3.7, -11.3], dtype=torch.float64)
    tokens, added = shortlist(log_probabilities, totals, count)
    order = best_first(totals.unsqueeze(1) + added, count)
    for row, total in enumerate(totals.tolist()):
        expected = best_by_sorting_everything(log_probabilities[row], total, count)
        assert tokens[row][order[row]].tolist() == expected


def test_shortlist_is_short_when_nothing_is_equal():
    log_probabilities = -torch.arange(97.0).unsqueeze(0)
    tokens, _ = shortlist(log_probabilities, torch.zeros(1, dtype=torch.float64), 3)
    assert tokens.shape == (1, 3 + MARGIN)


def test_what_is_not_a_number_is_impossible():
    log_probabilities = torch.full((1, 5), torch.nan)
    _, added = shortlist(log_probabilities, torch.zeros(1, dtype=torch.float64), 2)
    assert added.isneginf().all()
