import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from saccade.cancellation import Cancelled, check_search
from saccade.decoding.hypothesis import Hypothesis
from saccade.serving.batching import USUAL_LENGTH, BatchedSearch, SearchInput, batches
from saccade.special_tokens import EOS

tokens = st.lists(st.integers(5, 29), max_size=7)


@given(st.lists(st.integers(1, 50)), st.integers(1, 60))
def test_batches_hold_everything_once_and_stay_within_the_budget(costs, budget):
    made = list(batches(costs, budget))
    assert sorted(index for batch in made for index in batch) == list(range(len(costs)))
    for batch in made:
        assert len(batch) == 1 or len(batch) * max(costs[index] for index in batch) <= budget


@given(st.lists(st.tuples(tokens, tokens), max_size=11), st.integers(1, 60))
def test_results_come_back_in_the_order_of_the_inputs(rows, batch_tokens):
    asked = [SearchInput(tuple(source), tuple(prefix)) for source, prefix in rows]

    def echo(batch, source, prefix):
        found = []
        for row, index in enumerate(batch):
            tokens = source.tokens[row, : source.lengths[row]].tolist()
            begin = () if prefix is None else tuple(prefix.tokens[row, : prefix.lengths[row]].tolist())
            assert tokens == [*asked[index].tokens, EOS]
            assert begin == asked[index].prefix
            found.append([Hypothesis((*begin, *tokens), 0.0, 0.0, None, True)])
        return found

    found = BatchedSearch(torch.device("cpu"))(asked, echo, batch_tokens)
    assert [best.tokens for (best,) in found] == [(*one.prefix, *one.tokens, EOS) for one in asked]


@given(st.lists(tokens, min_size=1, max_size=30), st.integers(1, 9))
def test_batches_that_do_not_fit_into_memory_are_halved_and_nothing_is_searched_twice(rows, most):
    asked = [SearchInput(tuple(row)) for row in rows]
    searched = []

    def echo(batch, source, prefix):
        assert prefix is None
        if len(batch) > most:
            raise MemoryError
        searched.extend(batch)
        return [
            [Hypothesis(tuple(row[:length].tolist()), 0.0, 0.0, None, True)]
            for row, length in zip(source.tokens, source.lengths, strict=True)
        ]

    in_batches = BatchedSearch(torch.device("cpu"))
    found = in_batches(asked, echo, 10_000)
    assert [best.tokens for (best,) in found] == [(*one.tokens, EOS) for one in asked]
    assert sorted(searched) == list(range(len(asked)))


def test_what_fits_into_memory_is_remembered():
    failures = []

    def search(batch, _source, _prefix):
        if len(batch) > 3:
            failures.append(len(batch))
            raise MemoryError
        return [[Hypothesis((EOS,), 0.0, 0.0, None, True)] for _ in batch]

    in_batches = BatchedSearch(torch.device("cpu"))
    for _ in range(4):
        assert len(in_batches([SearchInput((7,))] * 16, search, 10_000)) == 16
    assert failures == [16, 8, 4]


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("CUDA out of memory")])
def test_one_input_that_does_not_fit_into_memory_is_an_error(error):
    def search(_batch, _source, _prefix):
        raise error

    with pytest.raises(type(error)):
        BatchedSearch(torch.device("cpu"))([SearchInput((7,)), SearchInput((8,))], search, 100)


def test_an_input_that_does_not_fit_beside_others_is_searched_alone():
    def search(batch, _source, _prefix):
        if threading.current_thread() is not threading.main_thread():
            raise MemoryError
        return [[Hypothesis((index, EOS), 0.0, 0.0, None, True)] for index in batch]

    found = BatchedSearch(torch.device("cpu"))([SearchInput((7,))] * 5, search, 2, at_once=3)
    assert [best.tokens for (best,) in found] == [(index, EOS) for index in range(5)]


def search_until_cancelled(batch, cancelled):
    """Some seconds of steps, between which a search asks whether anybody still waits for it."""
    try:
        for _ in range(9999):
            check_search()
            time.sleep(0.001)
    except Cancelled:
        cancelled.append(batch)
        raise


def test_searches_side_by_side_end_when_nobody_waits_for_them_any_more():
    """As after Ctrl-C, which reaches the main thread alone."""
    begun, cancelled = threading.Event(), []

    def search(batch, _source, _prefix):
        if batch == [1]:  # the longest, which is searched first and asked for last
            begun.set()
            search_until_cancelled(batch, cancelled)
        begun.wait()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        BatchedSearch(torch.device("cpu"))([SearchInput((7,)), SearchInput((7, 8, 9))], search, 100, at_once=2)
    assert cancelled == [[1]]


def test_searches_end_also_where_others_were_still_being_handed_out(monkeypatch):
    """Ctrl-C may come while threads are started, which is when they keep the main thread from running."""
    submit, begun, handed_out, cancelled = ThreadPoolExecutor.submit, threading.Event(), [], []

    def interrupted(pool, function, batch):
        if handed_out:
            begun.wait()
            raise KeyboardInterrupt
        handed_out.append(batch)
        return submit(pool, function, batch)

    def search(batch, _source, _prefix):
        begun.set()
        search_until_cancelled(batch, cancelled)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        BatchedSearch(torch.device("cpu"))([SearchInput((7,))] * 4, search, 4, at_once=2)
    assert len(handed_out) == 1
    assert cancelled == handed_out


def test_another_error_is_no_reason_to_search_again():
    asked = []

    def search(batch, _source, _prefix):
        asked.append(batch)
        raise RuntimeError("something else")

    with pytest.raises(RuntimeError, match="something else"):
        BatchedSearch(torch.device("cpu"))([SearchInput((7,)), SearchInput((8,))], search, 100)
    assert asked == [[0, 1]]


def test_an_input_without_a_source_costs_what_is_likely_to_be_written():
    assert SearchInput((7, 8)).cost == 3
    assert SearchInput((), (7, 8)).cost == 2 + USUAL_LENGTH
