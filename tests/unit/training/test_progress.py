from math import nan

from saccade.json_files import from_json
from saccade.training.progress import TrainingProgress


def test_a_validation_that_finds_no_lower_loss_is_a_plateau():
    progress = TrainingProgress()
    for loss, plateaus in ((3.0, 0), (2.0, 0), (2.5, 1), (2.0, 2), (nan, 3), (1.5, 3)):
        progress = progress.after_validation(score=-1.0, loss=loss)
        assert progress.plateaus == plateaus
    assert progress.lowest_loss == 1.5


def test_the_score_and_the_loss_are_judged_apart():
    progress = TrainingProgress(step=3).after_validation(score=5.0, loss=2.0).after_validation(score=6.0, loss=2.5)
    assert (progress.best.score, progress.validations_since_best, progress.plateaus) == (6.0, 0, 1)


def test_a_progress_comes_back_from_json():
    progress = TrainingProgress(step=3).after_validation(score=5.0, loss=2.0).after_validation(score=4.0, loss=2.5)
    assert from_json(TrainingProgress, progress.as_json()) == progress


def test_a_progress_from_before_plateaus_were_counted_has_none():
    content = TrainingProgress(step=3).as_json()
    del content["plateaus"], content["lowest_loss"]
    assert from_json(TrainingProgress, content) == TrainingProgress(step=3)
