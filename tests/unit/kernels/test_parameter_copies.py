import pytest
import torch

from saccade.kernels.parameter_copies import ParameterCopies, cast_to, stacked_as


def parameters_of(*shapes):
    generator = torch.Generator().manual_seed(5)
    return [torch.nn.Parameter(torch.randn(*shape, generator=generator)) for shape in shapes]


def test_a_copy_at_hand_is_taken_instead_of_made(device):
    one, other = (parameter.to(device) for parameter in parameters_of((3, 5), (7,)))
    copies = ParameterCopies([one, other], torch.bfloat16)
    copies.refresh()
    with copies.active():
        found = cast_to(one, torch.bfloat16)
        assert found.data_ptr() == copies.copies[0].data_ptr()
        assert torch.equal(found, one.to(torch.bfloat16))
        assert torch.equal(cast_to(other, torch.bfloat16), other.to(torch.bfloat16))
        assert cast_to(one, torch.float16).dtype == torch.float16
    assert cast_to(one, torch.bfloat16).data_ptr() != copies.copies[0].data_ptr()


def test_copies_follow_their_parameters_when_refreshed():
    (parameter,) = parameters_of((3, 5))
    copies = ParameterCopies([parameter], torch.bfloat16)
    copies.refresh()
    with torch.no_grad():
        parameter.mul_(2)
    copies.refresh()
    assert torch.equal(copies.copies[0], parameter.detach().to(torch.bfloat16))
    assert not copies.copies[0].requires_grad


@pytest.mark.parametrize(("rows", "moved"), [((4, 8, 4), False), ((3, 8, 5), True)])
def test_matrices_that_lie_together_are_one(rows, moved):
    parameters = parameters_of(*((number, 6) for number in rows))
    copies = ParameterCopies(parameters, torch.bfloat16)
    copies.refresh()
    expected = torch.cat(parameters).to(torch.bfloat16)
    assert torch.equal(stacked_as(parameters, torch.bfloat16), expected)
    with copies.active():
        found = stacked_as(parameters, torch.bfloat16)
    assert torch.equal(found, expected)
    assert (found.data_ptr() != copies.copies[0].data_ptr()) == moved


def test_matrices_in_another_order_are_brought_together():
    one, other = parameters_of((4, 6), (8, 6))
    copies = ParameterCopies([one, other], torch.bfloat16)
    copies.refresh()
    with copies.active():
        found = stacked_as([other, one], torch.bfloat16)
    assert torch.equal(found, torch.cat([other, one]).to(torch.bfloat16))
