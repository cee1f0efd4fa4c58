"""The search over all positions at once against attention and unit, one position after another."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.attention.alignment import Soft
from saccade.attention.scores import Additive
from saccade.attention.single_query import Attention
from saccade.layers.attentive_cell_fast import AttentiveCellWeights, attentive_states_fast
from saccade.layers.cells import BahdanauGRU, ChoGRU, ResetBeforeGRU

INPUT, VALUES = 3, 4


@settings(max_examples=25, deadline=None)
@given(
    kind=st.sampled_from([ChoGRU, BahdanauGRU]),
    lengths=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    target=st.integers(1, 6),
    width=st.integers(1, 5),
    inner=st.integers(1, 7),
)
def test_states_contexts_and_gradients_are_those_of_the_parts(kind, lengths, target, width, inner):
    torch.manual_seed(sum(lengths) + target)
    cell, attention = kind(INPUT, width, VALUES).double(), Attention(Additive(width, VALUES, inner), Soft()).double()
    with torch.no_grad():
        for parameter in [*cell.parameters(), *attention.parameters()]:
            parameter.normal_()
    real = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)
    annotations = torch.randn(len(lengths), max(lengths), VALUES, dtype=torch.float64, requires_grad=True)
    inputs = torch.randn(len(lengths), target, INPUT, dtype=torch.float64, requires_grad=True)
    opening = torch.randn(len(lengths), width, dtype=torch.float64, requires_grad=True)
    leaves = [annotations, inputs, opening, *cell.parameters(), *attention.parameters()]
    shares = [torch.randn(len(lengths), target, size, dtype=torch.float64) for size in (width, VALUES)]

    def outcome(search) -> list[torch.Tensor]:
        found = search(cell.project(inputs), attention.prepare(annotations, annotations, real))
        total = sum((part * share).sum() for part, share in zip(found, shares, strict=True))
        return [*found, *torch.autograd.grad(total, leaves)]

    def plain(projected, source):
        state, states, contexts = opening, [], []
        for position in range(target):
            context = attention(state.unsqueeze(1), source, torch.tensor([[position]]))[:, 0]
            state = cell.step(projected[:, position], state, cell.project_context(context))
            states.append(state)
            contexts.append(context)
        return torch.stack(states, dim=1), torch.stack(contexts, dim=1)

    def quick(projected, source):
        matrices = AttentiveCellWeights(
            attention.score.query.weight, attention.score.vector, cell.context.weight, cell.recurrent
        )
        keeps = isinstance(cell, ChoGRU)
        return attentive_states_fast(projected, opening, source.keys, source.values, source.real, matrices, keeps)

    for ours, theirs in zip(outcome(quick), outcome(plain), strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("keeps", [False, True])
def test_the_gradient_worked_out_by_hand_is_the_one_that_differences_give(keeps):
    torch.manual_seed(11)
    batch, length, key, width, inner = 2, 3, 4, 2, 3
    shapes = [(batch, length, 3 * width), (batch, width), (batch, key, inner), (batch, key, VALUES)]
    shapes += [(inner, width), (inner,), (3 * width, VALUES), (3 * width, width)]
    tensors = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]
    real = torch.tensor([[True, True, True, False], [True, False, False, False]])

    def search(*given):
        return attentive_states_fast(*given[:4], real, AttentiveCellWeights(*given[4:]), keeps)

    assert torch.autograd.gradcheck(search, tensors)


def test_without_gradients_nothing_is_kept_for_them_and_nothing_changes():
    torch.manual_seed(11)
    shapes = [(2, 7, 15), (2, 5), (2, 3, 11), (2, 3, 4), (11, 5), (11,), (15, 4), (15, 5)]
    tensors = [torch.randn(shape, requires_grad=True) for shape in shapes]
    real = torch.tensor([[True, True, True], [True, True, False]])

    def search():
        return attentive_states_fast(*tensors[:4], real, AttentiveCellWeights(*tensors[4:]), True)

    kept = search()
    with torch.no_grad():
        for ours, theirs in zip(search(), kept, strict=True):
            assert torch.equal(ours, theirs)


def test_units_that_reset_before_the_product_are_the_two_the_search_knows():
    assert set(ResetBeforeGRU.__subclasses__()) == {ChoGRU, BahdanauGRU}
