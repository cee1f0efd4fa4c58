from dataclasses import replace

import pytest

from saccade.data.token_store import TokenStore
from saccade.recipes.fine_tuning import FineTuning
from saccade.runs.usual_length import LEAST, usual_length


@pytest.fixture
def store(tmp_path):
    def make(lengths):
        return TokenStore.build(tmp_path / "store", [([5] * length, [5]) for length in lengths])

    return make


def test_one_source_in_a_thousand_is_longer(store):
    assert usual_length([store([20] * 1998 + [40, 90])], None) == 41
    assert usual_length([store([20] * 1999 + [90])], None) == 21


def test_short_sentences_do_not_make_it_shorter_than_a_clause(store):
    assert usual_length([store([1, 2, 3])], None) == LEAST


@pytest.mark.parametrize(("before", "after"), [(30, 30), (17, 21), (None, None)])
def test_a_model_still_reads_what_it_read_before(bundle, store, tmp_path, before, after):
    replace(bundle("transformer"), usual_length=before).save(tmp_path / "old", "# old\n")
    tuning = FineTuning(str(tmp_path / "old"), digest="0" * 64)
    assert usual_length([store([20] * 10)], tuning) == after


def test_a_run_whose_model_is_gone_goes_on(store, tmp_path):
    assert usual_length([store([20])], FineTuning(str(tmp_path / "gone"), digest="0" * 64)) is None
