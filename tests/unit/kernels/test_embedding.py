import pytest
import torch
from beartype import beartype
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import jaxtyped

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

from saccade.kernels import embedding as module
from saccade.kernels.random_bits import draw_seed

checked = jaxtyped(typechecker=beartype)
embed, reference = checked(module.embed), checked(module.reference)

ENTRIES, PLACES, SEED = 29, 43, 11


class Case:
    def __init__(self, device, length, width, dropout=0.0, batch=1):
        generator = torch.Generator().manual_seed(3)
        self.weight = torch.randn(ENTRIES, width, generator=generator).to(device)
        self.places = torch.randn(PLACES, width, generator=generator).to(device)
        self.tokens = torch.randint(0, ENTRIES, (batch, length), generator=generator).to(device)
        self.positions = torch.randint(0, PLACES, (1, length), generator=generator).to(device)
        self.gradient = torch.randn(batch, length, width, generator=generator).to(device)
        self.scale, self.dropout = width**0.5, dropout

    def expected(self):
        torch.manual_seed(SEED)
        seed = draw_seed(self.weight.device)
        weight = self.weight.double().requires_grad_()
        states = reference(weight, self.tokens, self.places.double(), self.positions, self.scale, self.dropout, seed)
        states.backward(self.gradient.double())
        return [states.detach(), weight.grad]

    def found(self, seed=SEED):
        weight = self.weight.clone().requires_grad_()
        torch.manual_seed(seed)
        states = embed(weight, self.tokens, self.places, self.positions, self.scale, self.dropout)
        states.backward(self.gradient.to(states.dtype))
        return [states.detach(), weight.grad]


@pytest.mark.usefixtures("poison")
@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_values_and_gradients_are_those_of_the_equation(device, assert_near, dropout):
    case = Case(device, 61, 37, dropout)  # a little more than a block of elements
    assert_near(case.found(), case.expected(), 2e-6)


@given(
    batch=st.integers(1, 3),
    length=st.integers(1, 23),
    width=st.integers(1, 70),
    dropout=st.sampled_from([0.0, 0.1, 0.5]),
)
@settings(max_examples=10, deadline=None)
def test_they_are_at_any_shape(device, assert_near, batch, length, width, dropout):
    case = Case(device, length, width, dropout, batch)
    assert_near(case.found(), case.expected(), 2e-6)


def test_a_token_that_occurs_often_gets_all_its_gradients(device, assert_near):
    case = Case(device, 41, 7)
    case.tokens = torch.full_like(case.tokens, 13)
    found, gradient = case.found()
    assert_near([found, gradient], case.expected(), 2e-6)
    assert gradient.any(1).nonzero().flatten().tolist() == [13]


def test_the_first_token_learns_like_any_other(device):
    """Padding is not told apart here: whoever reads it must give it no gradient."""
    case = Case(device, 5, 7)
    case.tokens = torch.zeros_like(case.tokens)
    assert case.found()[1][0].all()


def test_another_seed_drops_others(device):
    case = Case(device, 7, 13, 0.4)
    one, same, other = (case.found(seed)[0] for seed in (1, 1, 2))
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


def test_under_autocast_states_are_stored_for_the_products_to_come(device, assert_near):
    case = Case(device, 17, 37, 0.3)
    with torch.autocast(device.type, dtype=torch.bfloat16):
        states, gradient = case.found()
    assert (states.dtype, gradient.dtype) == (torch.bfloat16, torch.float32)
    assert_near([states, gradient], case.expected(), 2**-6)
