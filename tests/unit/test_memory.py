import numpy as np
import pytest
import torch

from saccade.errors import MemoryFullError
from saccade.memory import memory_is_enough, ran_out_of_memory

FAR_TOO_MUCH = 1 << 58


def of_torch():
    torch.empty(FAR_TOO_MUCH, dtype=torch.uint8)


def of_torch_beyond_counting():
    torch.empty(FAR_TOO_MUCH, FAR_TOO_MUCH)


def of_numpy():
    np.empty(FAR_TOO_MUCH, np.uint8)


def of_python():
    bytearray(FAR_TOO_MUCH)


def of_a_gpu():
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")


@pytest.mark.parametrize("allocate", [of_torch, of_torch_beyond_counting, of_numpy, of_python, of_a_gpu])
def test_whoever_runs_out_of_memory_the_error_is_ours_and_says_what_to_do(allocate):
    with pytest.raises(MemoryFullError, match=r"^the batch must fit .*, but the memory is full\. Use smaller"):  # noqa: SIM117
        with memory_is_enough("the batch"):
            allocate()


def test_what_no_smaller_batch_can_help_has_advice_of_its_own():
    with pytest.raises(MemoryFullError, match=r"the memory is full\. Choose a smaller model\.$"):  # noqa: SIM117
        with memory_is_enough("the model", "Choose a smaller model."):
            of_torch()


def test_another_error_stays_what_it_is():
    with pytest.raises(RuntimeError, match="shapes"), memory_is_enough("the batch"):
        raise RuntimeError("shapes differ")
    assert not ran_out_of_memory(ValueError("out of memory"))
