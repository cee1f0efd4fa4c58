import pytest
import torch
from beartype import beartype
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import jaxtyped

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

from saccade.kernels import cross_entropy as module
from saccade.training.label_smoothing import smoothed_cross_entropy, uniform_share

checked = jaxtyped(typechecker=beartype)
linear_cross_entropy, mean_row = (checked(function) for function in (module.linear_cross_entropy, module.mean_row))


class Case:
    def __init__(self, device, rows, vocabulary, width=7, smoothing=0.1, real=None):
        generator = torch.Generator().manual_seed(3)
        self.states = torch.randn(rows, width, generator=generator).to(device)
        self.weight = torch.randn(vocabulary, width, generator=generator).to(device)
        self.gold = torch.randint(0, vocabulary, (rows,), generator=generator).to(device)
        some = torch.rand(rows, generator=generator) < 0.7
        self.real = (some if real is None else torch.tensor(real)).to(device)
        self.smoothing = smoothing

    def expected(self, scale=1.0):
        return self._results(self._reference, self.states.double(), self.weight.double(), scale)

    def found(self, scale=1.0, dtype=torch.float32):
        return self._results(self.computed, self.states.to(dtype), self.weight, scale)

    def computed(self, states, weight):
        return linear_cross_entropy(states, weight, self.gold, self.real, uniform_share(self.smoothing, len(weight)))

    def _reference(self, states, weight):
        return smoothed_cross_entropy(states @ weight.T, self.gold, self.real, self.smoothing)

    def _results(self, function, states, weight, scale):
        leaves = [states.clone().requires_grad_(), weight.clone().requires_grad_()]
        sums = function(*leaves)
        (sums.smoothed * scale).backward()
        return [*(total.detach() for total in sums), *(leaf.grad for leaf in leaves)]


# Less than a block, one block and a little, and two; multiples of eight and not.
@pytest.mark.parametrize("vocabulary", [2, 31, 64, 4096, 4099, 8192, 8201])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_sums_and_gradients_are_those_of_the_equation(device, assert_near, vocabulary, smoothing):
    case = Case(device, 5, vocabulary, smoothing=smoothing)
    assert_near(case.found(), case.expected(), 5e-6)


@given(
    rows=st.integers(1, 13),
    vocabulary=st.integers(2, 5000),
    width=st.integers(1, 40),
    smoothing=st.sampled_from([0.0, 0.1, 0.4]),
)
@settings(max_examples=10, deadline=None)
def test_they_are_at_any_shape(device, assert_near, rows, vocabulary, width, smoothing):
    case = Case(device, rows, vocabulary, width, smoothing)
    assert_near(case.found(), case.expected(), 1e-5)


def test_rows_that_do_not_count_add_nothing_and_learn_nothing(device):
    case = Case(device, 5, 31, real=[True, False, True, False, True])
    before = case.found()
    case.states[[1, 3]] += 5
    case.gold[1] = 0
    after = case.found()
    assert all(torch.equal(one, other) for one, other in zip(before, after, strict=True))
    assert not before[3][[1, 3]].any()
    assert before[3][[0, 2, 4]].any(1).all()


def test_where_no_row_counts_everything_is_zero(device):
    case = Case(device, 3, 31, real=[False] * 3)
    assert not any(tensor.any() for tensor in case.found())


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # the interpreter says so, a GPU does not
@pytest.mark.parametrize("vocabulary", [31, 4099])
def test_large_logits_do_not_overflow(device, assert_near, vocabulary):
    """The right token may be thousands below the best one, or above all others."""
    case = Case(device, 5, vocabulary, real=[True] * 5)
    case.states *= 500
    case.gold[:2] = (case.states @ case.weight.T).argmax(1)[:2]
    logits = case.states.double() @ case.weight.double().T
    assert (logits.amax(1) - logits.gather(1, case.gold.unsqueeze(1)).squeeze(1)).max() > 500
    assert_near(case.found(), case.expected(), 1e-4)  # of logits near a thousand, float32 knows the fourth digit


@pytest.mark.parametrize("place", [0, 30, 4095, 4096, 4098])
def test_the_right_token_may_be_anywhere(device, assert_near, place):
    case = Case(device, 3, 4099, real=[True] * 3)
    case.gold.fill_(place)
    assert_near(case.found(), case.expected(), 5e-6)


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # the interpreter says so, a GPU does not
def test_a_token_as_probable_as_the_best_is_right(device):
    case = Case(device, 3, 31, real=[True] * 3)
    case.weight[[13, 17]] = case.weight[13] * 10  # longer than any other, so that nothing is nearer to itself
    case.states = case.weight[13].repeat(3, 1)
    case.gold = torch.tensor([13, 17, 5], device=device)
    assert case.found()[2].item() == 2


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("spoilt", [torch.nan, torch.inf])
def test_a_logit_that_is_not_finite_spoils_the_loss(device, spoilt):
    case = Case(device, 3, 31, real=[True] * 3)
    case.weight[11, 2] = spoilt
    assert not case.found()[0].isfinite()


def test_what_the_loss_is_multiplied_by_reaches_every_gradient(device, assert_near):
    case = Case(device, 5, 31)
    assert_near(case.found(scale=1 / 1024)[3:], [gradient / 1024 for gradient in case.found()[3:]], 1e-9)


def test_only_the_smoothed_loss_carries_a_gradient(device):
    case = Case(device, 5, 31)
    sums = case.computed(case.states.requires_grad_(), case.weight)
    assert (sums.smoothed.requires_grad, sums.plain.requires_grad, sums.correct.requires_grad) == (True, False, False)


def test_bfloat16_states_are_near_and_the_weight_learns_in_float32(device, assert_near):
    case = Case(device, 5, 41)
    case.states, case.weight = case.states.bfloat16().float(), case.weight.bfloat16().float()
    found, expected = case.found(dtype=torch.bfloat16), case.expected()
    assert [tensor.dtype for tensor in found] == [torch.float32] * 3 + [torch.bfloat16, torch.float32]
    # Logits of a few units are rounded to a hundredth, and a gradient is a difference of probabilities.
    assert_near(found[:2] + found[3:], expected[:2] + expected[3:], 2**-5)


def test_the_mean_row_is_the_mean_of_the_rows(device, assert_near):
    matrix = torch.randn(31, 7, device=device)
    assert_near([mean_row(matrix)], [matrix.double().mean(0)], 1e-6)
    assert mean_row(matrix.bfloat16()).dtype == torch.float32
