import torch

from saccade.kernels.copies import coarse, copies_at_hand


def test_a_copy_at_hand_stands_for_its_parameter():
    parameter, other = torch.randn(3, 5), torch.randn(3, 5)
    copy = parameter.bfloat16()
    with copies_at_hand([parameter], [copy]):
        assert coarse(parameter, torch.bfloat16) is copy
        assert coarse(parameter, torch.float32) is parameter
        assert torch.equal(coarse(other, torch.bfloat16), other.bfloat16())


def test_outside_the_block_a_copy_is_made_anew():
    parameter = torch.randn(3, 5)
    copy = parameter.bfloat16()
    with copies_at_hand([parameter], [copy]):
        pass
    parameter += 1
    assert torch.equal(coarse(parameter, torch.bfloat16), parameter.bfloat16())
