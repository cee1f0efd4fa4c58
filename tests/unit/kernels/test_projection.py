import pytest
import torch
from beartype import beartype
from jaxtyping import jaxtyped
from torch.nn import functional

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

from saccade.kernels import projection as module

checked = jaxtyped(typechecker=beartype)
projections, joined_columns = checked(module.projections), checked(module.joined_columns)

ROWS, WIDTH, SIZES = 17, 11, (5, 7, 13)


@pytest.fixture
def given(device):
    generator = torch.Generator().manual_seed(3)
    shapes = [(1, ROWS, WIDTH), *((size, WIDTH) for size in SIZES)]
    return [torch.randn(shape, generator=generator).to(device) for shape in shapes]


def results(function, given, use=(0, 1, 2), precise=False):
    leaves = [(tensor.double() if precise else tensor.clone()).requires_grad_() for tensor in given]
    outputs = function(*leaves)
    sum((outputs[which] * (which + 2)).square().sum() for which in use).backward()
    return [*(output.detach() for output in outputs), *(leaf.grad for leaf in leaves)]


def one_by_one(states, *weights):
    return [functional.linear(states, weight) for weight in weights]


def test_values_and_gradients_are_those_of_the_single_products(given, assert_near):
    assert_near(results(projections, given), results(one_by_one, given, precise=True), 2e-6)


def test_a_product_nobody_used_gets_no_gradient(given, assert_near):
    found = results(projections, given, use=(2,))
    assert not found[4].any()
    assert not found[5].any()
    states, _, _, last = (tensor.double().requires_grad_() for tensor in given)
    (functional.linear(states, last) * 4).square().sum().backward()
    assert_near([found[3], found[6]], [states.grad, last.grad], 2e-6)


def test_under_autocast_gradients_come_back_in_the_type_of_the_weights(device, given, assert_near):
    with torch.autocast(device.type, dtype=torch.bfloat16):
        found = results(projections, given)
    assert {output.dtype for output in found[:3]} == {torch.bfloat16}
    assert {gradient.dtype for gradient in found[3:]} == {torch.float32}
    # 8 bits of mantissa; the gradient is made of results that are rounded already.
    assert_near(found, results(one_by_one, given, precise=True), 2**-5)


def test_results_are_views_of_one_matrix(given):
    outputs = projections(*given)
    assert len({output.untyped_storage().data_ptr() for output in outputs}) == 1


def test_matrices_side_by_side_are_taken_as_one_without_a_copy(device):
    joined = torch.randn(ROWS, sum(SIZES), device=device)
    whole = joined_columns(list(joined.split(SIZES, dim=1)))
    assert whole.data_ptr() == joined.data_ptr()
    assert torch.equal(whole, joined)


def test_they_may_begin_in_the_middle_of_their_memory(device):
    memory = torch.randn(ROWS + 3, sum(SIZES), device=device)
    whole = joined_columns(list(memory[3:].split(SIZES, dim=1)))
    assert whole.data_ptr() == memory[3:].data_ptr()
    assert torch.equal(whole, memory[3:])


@pytest.mark.parametrize("order", [(1, 0, 2), (0, 2, 1), (0, 0, 0), (1, 2, 0)])
def test_matrices_in_another_order_are_copied_together(device, order):
    pieces = torch.randn(ROWS, 21, device=device).split(7, dim=1)
    parts = [pieces[place] for place in order]
    whole = joined_columns(parts)
    assert whole.data_ptr() != pieces[0].data_ptr()
    assert torch.equal(whole, torch.cat(parts, dim=1))


def test_matrices_from_different_memory_are_copied_together(device):
    parts = [torch.randn(ROWS, size, device=device) for size in SIZES]
    assert torch.equal(joined_columns(parts), torch.cat(parts, dim=1))


def test_some_columns_of_a_wider_matrix_are_copied_together(device):
    parts = list(torch.randn(ROWS, sum(SIZES) + 2, device=device)[:, :-2].split(SIZES, dim=1))
    assert torch.equal(joined_columns(parts), torch.cat(parts, dim=1))
