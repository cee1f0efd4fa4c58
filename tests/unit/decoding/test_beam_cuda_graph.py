"""Recordings of steps: what must hold when one cannot be made."""

import pytest
import torch

from saccade.decoding.beam_cuda_graph import UnrecordableError, _rehearse

LONG = 200_000_000
"""Cycles of a GPU's clock: a tenth of a second."""


def test_what_a_failed_rehearsal_began_is_over_before_anything_else_begins(gpu):
    """Else it would write into memory that was given to others in the meantime."""
    memory = torch.zeros(1009, device=gpu)

    def play() -> None:
        torch.cuda._sleep(LONG)
        memory.fill_(7.0)
        raise UnrecordableError

    with pytest.raises(UnrecordableError):
        _rehearse(play)
    assert (memory == 7.0).all()
