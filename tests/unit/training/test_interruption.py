import signal

import pytest

from saccade.errors import RunError
from saccade.training.interruption import StopTraining, stop_on_signal


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_is_a_request(number):
    before = signal.getsignal(number)
    with stop_on_signal() as request:
        assert not request.requested
        signal.raise_signal(number)
        assert request.requested
        assert signal.getsignal(number) is before


def end_after_ctrl_c(error):
    with stop_on_signal():
        signal.raise_signal(signal.SIGINT)
        raise error


def test_a_listener_that_ends_the_block_does_not_swallow_the_request():
    with pytest.raises(KeyboardInterrupt) as caught:
        end_after_ctrl_c(StopTraining())
    assert isinstance(caught.value.__cause__, StopTraining)


def test_without_a_request_it_is_itself():
    with pytest.raises(StopTraining), stop_on_signal():
        raise StopTraining


@pytest.mark.parametrize("error", [RunError("the disk is full"), MemoryError("no room"), AssertionError("a mistake")])
def test_whatever_else_goes_wrong_is_told_in_any_case(error):
    with pytest.raises(type(error), match=str(error)):
        end_after_ctrl_c(error)
