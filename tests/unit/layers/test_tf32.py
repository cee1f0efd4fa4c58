"""The switch for all digits, which the whole process shares."""

import threading

import pytest
import torch

from saccade.layers.tf32 import without_tf32


@pytest.mark.parametrize("before", [True, False])
def test_it_is_as_it_was_afterwards(before, monkeypatch):
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", before)
    with without_tf32():
        assert not torch.backends.cudnn.allow_tf32
        with without_tf32():
            assert not torch.backends.cudnn.allow_tf32
        assert not torch.backends.cudnn.allow_tf32
    assert torch.backends.cudnn.allow_tf32 == before


def test_it_is_as_it_was_after_an_error(monkeypatch):
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)
    with pytest.raises(ZeroDivisionError), without_tf32():
        raise ZeroDivisionError
    assert torch.backends.cudnn.allow_tf32


def test_a_thread_that_leaves_first_takes_nothing_from_one_that_is_still_inside(monkeypatch):
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)
    inside, left = threading.Event(), threading.Event()
    seen = []

    def stays() -> None:
        with without_tf32():
            inside.set()
            left.wait(10)
            seen.append(torch.backends.cudnn.allow_tf32)

    with without_tf32():
        other = threading.Thread(target=stays)
        other.start()
        assert inside.wait(10)
    left.set()
    other.join()
    assert seen == [False]
    assert torch.backends.cudnn.allow_tf32
