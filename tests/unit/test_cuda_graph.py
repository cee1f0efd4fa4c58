import pytest
import torch

from saccade.cuda_graph import CaptureError, capture, warm_up

LONG = 200_000_000
"""Cycles of a GPU's clock: a tenth of a second."""


def test_kernels_of_a_failed_warm_up_finish_before_the_current_stream_continues(gpu):
    """Otherwise they would write into memory that has been given to others in the meantime."""
    memory = torch.zeros(1009, device=gpu)

    def fail():
        torch.cuda._sleep(LONG)
        memory.fill_(7.0)
        raise CaptureError

    with pytest.raises(CaptureError):
        warm_up(fail)
    assert (memory == 7.0).all()


def test_work_that_synchronizes_is_refused_where_that_is_forbidden(gpu):
    memory = torch.ones(1009, device=gpu)
    with pytest.raises(CaptureError):
        warm_up(lambda: memory.sum().item(), forbid_synchronization=True)
    warm_up(lambda: memory.sum().item())


def test_a_replay_reads_what_is_in_the_captured_memory_now(gpu):
    memory = torch.ones(1009, device=gpu)
    warm_up(lambda: memory * 2)
    graph, doubled = capture(lambda: memory * 2)
    memory.fill_(3.0)
    graph.replay()
    assert (doubled == 6.0).all()
