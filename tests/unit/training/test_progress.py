from math import nan

from saccade.training.progress import Standing


def test_a_validation_that_finds_no_lower_loss_is_a_plateau():
    standing = Standing()
    for loss, plateaus in ((3.0, 0), (2.0, 0), (2.5, 1), (2.0, 2), (nan, 3), (1.5, 3)):
        standing = standing.judged(score=-1.0, loss=loss)
        assert standing.plateaus == plateaus
    assert standing.lowest_loss == 1.5


def test_the_score_and_the_loss_are_judged_apart():
    standing = Standing(step=3).judged(score=5.0, loss=2.0).judged(score=6.0, loss=2.5)
    assert (standing.best.score, standing.validations_since_best, standing.plateaus) == (6.0, 0, 1)


def test_a_standing_comes_back_from_json():
    standing = Standing(step=3).judged(score=5.0, loss=2.0).judged(score=4.0, loss=2.5)
    assert Standing.from_json(standing.as_json()) == standing


def test_a_standing_from_before_plateaus_were_counted_has_none():
    content = Standing(step=3).as_json()
    del content["plateaus"], content["lowest_loss"]
    assert Standing.from_json(content) == Standing(step=3)
