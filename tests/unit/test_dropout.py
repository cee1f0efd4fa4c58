import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.dropout import dropout, dropout_mask, plus_dropout


def seeded(seed: int = 5):
    torch.manual_seed(seed)


def test_nothing_is_dropped_outside_training():
    states = torch.randn(3, 5)
    assert dropout(states, 0.4, training=False) is states


def test_nothing_is_drawn_for_probability_zero():
    seeded()
    before = torch.get_rng_state()
    states = torch.randn(7, generator=torch.Generator().manual_seed(1))
    assert dropout(states, 0.0, training=True) is states
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("probability", [0.01, 0.1, 0.3, 0.9])
def test_the_share_of_dropped_elements_is_the_probability(probability):
    seeded()
    count = 1_000_003
    mask, _ = dropout_mask(torch.empty(count), probability)
    deviation = (probability * (1 - probability) / count) ** 0.5
    assert abs(1 - float(mask.mean(dtype=torch.float64)) - probability) < 5 * deviation


@settings(max_examples=30, deadline=None)
@given(probability=st.floats(0.001, 0.999))
def test_the_factor_makes_up_for_what_is_dropped(probability):
    _, factor = dropout_mask(torch.empty(3), probability)
    assert factor == pytest.approx(1 / (1 - probability), rel=2**-16 / (1 - probability))


def test_no_decision_depends_on_its_neighbours():
    """Pairs at any small distance, in particular those from one 64-bit number, are both dropped p * p of the time."""
    seeded()
    probability, count = 0.3, 1_000_003
    gone = 1 - dropout_mask(torch.empty(count), probability)[0].double()
    for distance in range(1, 9):
        both = float((gone[distance:] * gone[:-distance]).mean())
        assert abs(both - probability**2) < 6 * probability / count**0.5


def test_each_of_the_four_decisions_in_a_number_has_the_same_chance():
    seeded()
    mask, _ = dropout_mask(torch.empty(400_000, 4), 0.1)
    assert torch.allclose(mask.mean(0), torch.full((4,), 0.9), atol=5 * (0.09 / 400_000) ** 0.5)


def test_the_same_seed_drops_the_same_elements_and_another_seed_others():
    states = torch.ones(11, 13)
    found = []
    for seed in (3, 3, 4):
        seeded(seed)
        found.append(dropout(states, 0.5, training=True))
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


def test_two_draws_in_a_row_differ():
    seeded()
    states = torch.ones(11, 13)
    assert not torch.equal(dropout(states, 0.5, training=True), dropout(states, 0.5, training=True))


@settings(max_examples=30, deadline=None)
@given(shape=st.lists(st.integers(1, 7), min_size=1, max_size=3), probability=st.floats(0.01, 0.95))
def test_what_stays_is_scaled_and_its_gradient_with_it(shape, probability):
    states = torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(2)).requires_grad_()
    seeded()
    mask, factor = dropout_mask(states, probability)
    seeded()
    dropped = dropout(states, probability, training=True)
    assert torch.allclose(dropped, states * mask * factor)
    (gradient,) = torch.autograd.grad(dropped.square().sum(), states)
    assert torch.allclose(gradient, 2 * dropped.detach() * mask * factor)


def test_gradcheck():
    states, update = (torch.randn(3, 5, dtype=torch.float64).requires_grad_() for _ in range(2))

    def same_each_time(states, update):
        seeded()
        return plus_dropout(states, update, 0.3, training=True)

    assert torch.autograd.gradcheck(same_each_time, (states, update))


def test_sum_with_dropout_is_the_sum_of_both():
    states, update = torch.randn(5, 7), torch.randn(5, 7)
    seeded()
    expected = states + dropout(update, 0.4, training=True)
    seeded()
    assert torch.allclose(plus_dropout(states, update, 0.4, training=True), expected)


def test_sum_outside_training_is_the_plain_sum():
    states, update = torch.randn(5, 7), torch.randn(5, 7)
    assert torch.equal(plus_dropout(states, update, 0.4, training=False), states + update)
