from pathlib import Path

import pytest

from saccade.data.parallel_text import PairFiles
from saccade.data.tasks import TASKS, find_task
from saccade.errors import ConfigError


@pytest.mark.parametrize("name", TASKS)
def test_a_task_is_found_by_its_name_and_judged_by_one_of_its_metrics(name):
    task = find_task(name)
    assert task.name == name
    assert task.main_metric in task.metrics
    assert not task.joint or task.source_pieces == task.target_pieces


def test_an_unknown_task_is_refused_with_the_nearest():
    with pytest.raises(ConfigError, match="Did you mean 'translation'"):
        find_task("translatoin")


def test_a_corpus_of_pairs_gives_its_target_side_where_text_alone_is_wanted():
    split = PairFiles(Path("train.de"), Path("train.en"))
    assert find_task("language-modelling").part(split) == PairFiles(Path("train.en"), None, "text")
    assert find_task("translation").part(split) == split
    assert find_task("classification").part(split).content == "labelled"
