import pytest

from saccade.data.tasks import TASKS
from saccade.errors import ConfigError
from saccade.evaluation.metric_score import MetricOptions
from saccade.evaluation.metrics import LIKELIHOOD_METRICS, METRICS, find_metric


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_says_which_way_is_better_as_its_scores_do(name):
    score = METRICS[name].score(["a"], ["B AH"], ["B AH"], MetricOptions())
    assert score.metric == name
    assert score.higher_is_better == METRICS[name].higher_is_better


@pytest.mark.parametrize("name", METRICS)
def test_a_right_output_has_more_merit_than_a_wrong_one(name):
    right = METRICS[name].score(["a"], ["B AH K T S"], ["B AH K T S"], MetricOptions())
    wrong = METRICS[name].score(["a"], ["D"], ["B AH K T S"], MetricOptions())
    assert right.merit > wrong.merit


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.name)
def test_every_task_names_known_metrics_and_their_direction(task):
    known = METRICS if task.has_sources else LIKELIHOOD_METRICS
    assert set(task.metrics) <= set(known)
    assert task.main_metric in task.metrics
    assert known[task.main_metric].higher_is_better == task.higher_is_better


def test_an_unknown_metric_gets_the_nearest_name():
    with pytest.raises(ConfigError, match="Did you mean 'phoneme_error_rate'"):
        find_metric("phonem_error_rate")
