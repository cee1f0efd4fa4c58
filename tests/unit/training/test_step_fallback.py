"""Steps that one way of taking them cannot take are taken in another, from then on."""

import pytest
import torch

from saccade.cuda_graph import CaptureError
from saccade.training.step import FinishedStep, StepLoss
from saccade.training.step_fallback import StepFallback


class Counted:
    """Takes steps as long as there are few tokens, and says how many there were."""

    def __init__(self, most, ahead, error=torch.OutOfMemoryError):
        self.most, self.ahead, self.error = most, ahead, error

    def take(self, _batches, tokens, _step, rate):
        if tokens > self.most:
            raise self.error("too many")
        return FinishedStep(StepLoss(float(tokens), float(self.most), 0.0, rate))


def fallback(withdrawn, error=torch.OutOfMemoryError):
    first, second = Counted(most=7, ahead=1, error=error), Counted(most=11, ahead=0)
    return StepFallback(first, second, lambda: withdrawn.append(1))


def test_the_first_takes_steps_while_they_fit():
    withdrawn = []
    stepper = fallback(withdrawn)
    assert stepper.take([], 7, 1, 0.5).loss().plain == 7
    assert (stepper.ahead, withdrawn) == (1, [])


@pytest.mark.parametrize("error", [torch.OutOfMemoryError, CaptureError])
def test_a_step_that_fails_and_all_after_it_are_the_second_ones(error):
    withdrawn = []
    stepper = fallback(withdrawn, error)
    assert [stepper.take([], tokens, 1, 0.5).loss().plain for tokens in (3, 8, 3)] == [7, 11, 11]
    assert (stepper.ahead, withdrawn) == (0, [1])


def test_what_does_not_fit_the_second_either_is_an_error():
    stepper = fallback([])
    stepper.take([], 8, 1, 0.5)
    with pytest.raises(torch.OutOfMemoryError):
        stepper.take([], 12, 2, 0.5)
