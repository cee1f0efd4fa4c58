import pytest

from saccade.data.tasks import TASKS
from saccade.errors import ConfigError
from saccade.evaluation.metric_score import MetricOptions
from saccade.evaluation.metrics import LIKELIHOOD_METRICS, METRICS, find_metric

BASELINES = ("lead_chrf", "seasonal_scaled_error")
BRACKETS = ("bracket_f1", "bracket_precision", "bracket_recall", "complete_match", "well_formed")


def lines_for(name: str) -> tuple[str, str, str]:
    """A source, a right output and a wrong one that a metric can read."""
    if name in BRACKETS:
        return "a b", "(S (NP (N a)) (VP (V b)))", "(S (N a) (V"
    return "1 2", "3 4 5 6 7", "9"


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_says_which_way_is_better_as_its_scores_do(name):
    source, right, _ = lines_for(name)
    score = METRICS[name].score([source], [right], [right], MetricOptions())
    assert score.metric == name
    assert score.higher_is_better == METRICS[name].higher_is_better


@pytest.mark.parametrize("name", sorted(set(METRICS) - set(BASELINES)))
def test_a_right_output_has_more_merit_than_a_wrong_one(name):
    source, right, wrong = lines_for(name)
    first, second = (METRICS[name].score([source], [output], [right], MetricOptions()) for output in (right, wrong))
    assert first.merit > second.merit


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_does_not_look_at_the_outputs(name):
    source, reference = "1 2 3 1 2 3", "1 2"
    scores = [METRICS[name].score([source], [output], [reference], MetricOptions()).value for output in ("1 2", "9")]
    assert scores[0] == scores[1]


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.name)
def test_every_task_names_known_metrics_and_their_direction(task):
    known = METRICS if task.has_sources else LIKELIHOOD_METRICS
    assert set(task.metrics) <= set(known)
    assert task.main_metric in task.metrics
    assert known[task.main_metric].higher_is_better == task.higher_is_better


def test_an_unknown_metric_gets_the_nearest_name():
    with pytest.raises(ConfigError, match="Did you mean 'phoneme_error_rate'"):
        find_metric("phonem_error_rate")
