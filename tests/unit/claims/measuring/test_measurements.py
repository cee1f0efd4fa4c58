"""The instruments the claims measure with, on cases whose answer is known by hand."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from saccade.claims.measuring.curve_fitting import exponent, line, rank_correlation
from saccade.claims.measuring.gradients import influence, layers_between, surviving_gradient
from saccade.claims.measuring.operation_counts import fewest_products, longest_chain, multiply_adds, products
from saccade.claims.measuring.toy_networks import attend_by
from saccade.claims.measuring.toy_training import accuracy, cross_entropy, learn, share


def test_a_line_is_found_with_all_it_explains():
    fitted = line([1.0, 2.0, 5.0], [5.0, 7.0, 13.0])
    assert fitted == pytest.approx((2.0, 3.0, 1.0))


def test_a_line_explains_nothing_of_a_symmetric_hill():
    assert line([-1.0, 0.0, 1.0], [0.0, 1.0, 0.0]).explained == pytest.approx(0.0)


def test_a_line_explains_all_of_a_constant():
    assert line([1.0, 2.0], [3.0, 3.0]) == (0.0, 3.0, 1.0)


@settings(max_examples=30, deadline=None)
@given(st.floats(-3, 3), st.floats(0.1, 10))
def test_the_exponent_of_a_power_is_found(power, factor):
    sizes = [3.0, 5.0, 11.0]
    assert exponent(sizes, [factor * size**power for size in sizes]) == pytest.approx(power, abs=1e-9)


def test_rank_correlation_by_hand():
    assert rank_correlation([1.0, 2.0, 9.0], [10.0, 20.0, 21.0]) == pytest.approx(1.0)
    assert rank_correlation([1.0, 2.0, 9.0], [3.0, 2.0, 1.0]) == pytest.approx(-1.0)
    assert rank_correlation([1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 4.0, 3.0]) == pytest.approx(0.6)
    assert rank_correlation([1.0, 2.0, 3.0], [5.0, 5.0, 5.0]) == 0.0


def test_multiply_adds_of_a_product():
    assert multiply_adds(lambda: torch.ones(3, 5) @ torch.ones(5, 7)) == 3 * 5 * 7


def test_products_with_weights_and_of_computed_things_are_counted_apart():
    counts = products(lambda: (torch.ones(2, 3) @ torch.ones(3, 5), torch.ones(7, 2, 3) @ torch.ones(7, 3, 5)))
    assert counts == {"mm": 30, "bmm": 210}


def test_the_longest_chain_counts_what_must_wait():
    x = torch.ones(1, requires_grad=True)
    long = ((x + 1) * 2).exp()
    # The leaf, three operations, and the sum with a way that is shorter.
    assert longest_chain(long + x) == 5


def test_the_longest_chain_of_a_recurrent_network_grows_by_as_much_with_every_step():
    cell, x = nn.RNNCell(2, 2), torch.ones(1, 2)
    chains, hidden = [], torch.zeros(1, 2)
    for _ in range(4):
        hidden = cell(x, hidden)
        chains.append(longest_chain(hidden))
    steps = {after - before for before, after in zip(chains, chains[1:], strict=False)}
    assert len(steps) == 1
    assert steps.pop() > 0


def test_fewest_products_takes_the_short_way():
    x, weight = torch.ones(1, 3, requires_grad=True), torch.ones(3, 3, requires_grad=True)
    far = x @ weight @ weight
    assert fewest_products(far, x) == 2
    assert fewest_products(far + x.tanh(), x) == 0


def test_influence_is_zero_exactly_where_nothing_connects():
    def network(x):
        return torch.cat([x[:, :1], x[:, 1:] + 3 * x[:, :-1]], dim=1)

    found = influence(network, torch.randn(1, 3, 1))
    assert found.tolist() == [[1, 0, 0], [3, 1, 0], [0, 3, 1]]


def test_layers_between_follows_the_connections():
    adjacency = torch.eye(5) + torch.diag(torch.ones(4), -1)
    assert layers_between(adjacency, 0, 4) == 4
    assert layers_between(torch.ones(5, 5), 0, 4) == 1
    with pytest.raises(AssertionError):
        layers_between(adjacency, 4, 0)


def test_the_surviving_gradient_is_the_product_of_the_jacobians(generator):
    weight = torch.randn(3, 3, generator=generator, dtype=torch.float64)
    start = torch.randn(1, 3, generator=generator, dtype=torch.float64)
    inputs = torch.randn(4, 1, 3, generator=generator, dtype=torch.float64)
    found = surviving_gradient(lambda x, h: (h @ weight.T + x).tanh(), start, inputs, torch.Generator().manual_seed(2))

    states = [start[0].detach()]
    for x in inputs[:, 0]:
        states.append((weight @ states[-1] + x).tanh())
    direction = torch.randn(1, 3, generator=torch.Generator().manual_seed(2), dtype=torch.float64)[0]
    row, expected = direction, []
    for after in reversed(states[1:]):
        row = row @ (torch.diag(1 - after.square()) @ weight)
        expected.append((row.norm() / direction.norm()).item())
    assert found == pytest.approx(expected)


def test_given_scores_meet_the_softmax_as_they_are(generator):
    scores, values = torch.randn(3, 5, generator=generator), torch.randn(5, 2, generator=generator)
    weights, context = attend_by(scores, values)
    assert torch.allclose(weights, scores.softmax(dim=1))
    assert torch.allclose(context, scores.softmax(dim=1) @ values)


def test_learning_lowers_a_loss_and_stops_when_it_is_enough():
    torch.manual_seed(7)
    network, target = nn.Linear(3, 1), torch.tensor([[1.0, -2.0, 0.5]])
    inputs = torch.randn(50, 3)

    def loss():
        return (network(inputs) - inputs @ target.T).square().mean()

    losses = learn(network, loss, 200, lambda _: None, rate=0.05)
    assert len(losses) == 200
    assert losses[-1] < losses[0] / 100
    assert not network.training
    assert len(learn(network, loss, 200, lambda _: None, enough=lambda step, _: step == 3)) == 4


def test_cross_entropy_and_accuracy_over_any_rows():
    scores = torch.tensor([[[2.0, 0.0], [0.0, 1.0]]])
    wanted = torch.tensor([[0, 0]])
    assert accuracy(scores, wanted) == 0.5
    by_hand = -(torch.tensor(2.0).sigmoid().log() + torch.tensor(-1.0).sigmoid().log()) / 2
    assert cross_entropy(scores, wanted).item() == pytest.approx(by_hand.item())


def test_a_part_reports_its_share_of_the_whole():
    heard = []
    share(heard.append, 1, 4)(0.5)
    assert heard == [0.375]
