"""What waits is computed together, by tokens; no result depends on the company; who leaves takes nothing along."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.cancellation import Cancelled
from saccade.server.admission import Departure
from saccade.server.request_batching import RequestBatcher, _Submission


def squares(numbers: list[int]) -> list[int]:
    return [number * number for number in numbers]


class Gate:
    """A computation that waits until it may go on, and remembers what it was given."""

    def __init__(self) -> None:
        self.begun, self.open, self.batches = threading.Event(), threading.Event(), []

    def __call__(self, numbers: list[int]) -> list[int]:
        self.batches.append(numbers)
        self.begun.set()
        assert self.open.wait(30)
        return squares(numbers)


def waiting_for(batcher: RequestBatcher, items: int) -> None:
    while batcher.waiting != items:
        threading.Event().wait(0.001)


@pytest.fixture
def busy():
    """A batcher whose worker is at the gate with the number 0, a gate, and threads to submit from."""
    gate, batcher = Gate(), RequestBatcher(tokens=10)
    with ThreadPoolExecutor(8) as threads:
        first = threads.submit(batcher.submit, [0], [1], "gate", gate, Departure())
        assert gate.begun.wait(30)
        yield batcher, gate, threads
        gate.open.set()
        assert first.result() == [0]
    batcher.close()


@given(
    requests=st.lists(st.lists(st.tuples(st.integers(0, 99), st.integers(1, 7)), max_size=9), min_size=1, max_size=6),
    tokens=st.integers(1, 12),
)
def test_every_request_gets_its_own_results_in_order(requests, tokens):
    batcher = RequestBatcher(tokens)
    with ThreadPoolExecutor(len(requests)) as threads:
        found = [
            threads.submit(
                batcher.submit, [one for one, _ in own], [cost for _, cost in own], index % 2, squares, Departure()
            )
            for index, own in enumerate(requests)
        ]
        assert [one.result(30) for one in found] == [squares([number for number, _ in own]) for own in requests]
    batcher.close()


def test_a_batch_is_one_item_of_each_in_turn_up_to_the_tokens(busy):
    batcher, gate, threads = busy
    long = threads.submit(batcher.submit, [1, 2, 3, 4], [3, 3, 3, 3], "gate", gate, Departure())
    waiting_for(batcher, 4)
    short = threads.submit(batcher.submit, [5], [3], "gate", gate, Departure())
    waiting_for(batcher, 5)
    gate.open.set()
    assert (long.result(), short.result()) == ([1, 4, 9, 16], [25])
    assert gate.batches == [[0], [1, 5, 2], [3, 4]]


def test_what_costs_more_than_a_batch_may_is_computed_alone(busy):
    batcher, gate, threads = busy
    large = threads.submit(batcher.submit, [1, 2], [99, 99], "gate", gate, Departure())
    waiting_for(batcher, 2)
    gate.open.set()
    assert large.result() == [1, 4]
    assert gate.batches == [[0], [1], [2]]


def test_kinds_are_not_mixed_and_take_turns(busy):
    batcher, gate, threads = busy
    seen: list[list[int]] = []

    def other(numbers: list[int]) -> list[int]:
        seen.append(numbers)
        return squares(numbers)

    many = threads.submit(batcher.submit, [1, 2, 3], [9, 9, 9], "gate", gate, Departure())
    waiting_for(batcher, 3)
    single = threads.submit(batcher.submit, [7], [1], "other", other, Departure())
    waiting_for(batcher, 4)
    gate.open.set()
    assert (single.result(), many.result()) == ([49], [1, 4, 9])
    assert seen == [[7]]
    assert gate.batches == [[0], [1], [2], [3]]


def test_a_client_that_leaves_frees_its_place_and_nothing_is_computed_for_it(busy):
    batcher, gate, threads = busy
    departure = Departure()
    gone = threads.submit(batcher.submit, [1], [1], "gate", gate, departure)
    stays = threads.submit(batcher.submit, [2], [1], "gate", gate, Departure())
    waiting_for(batcher, 2)
    departure.happen()
    with pytest.raises(Cancelled):
        gone.result(30)
    assert batcher.waiting == 1
    gate.open.set()
    assert stays.result() == [4]
    assert gate.batches == [[0], [2]]
    with pytest.raises(Cancelled):  # what it asks for afterwards
        batcher.submit([3], [1], "gate", gate, departure)


def test_one_that_fails_costs_no_other_anything(busy):
    batcher, gate, threads = busy

    def reciprocals(numbers: list[int]) -> list[float]:
        gate.open.wait(30)
        return [1 / number for number in numbers]

    bad = threads.submit(batcher.submit, [5, 0, 5], [1, 1, 9], "reciprocal", reciprocals, Departure())
    good = threads.submit(batcher.submit, [2, 4], [1, 1], "reciprocal", reciprocals, Departure())
    waiting_for(batcher, 5)
    gate.open.set()
    assert good.result(30) == [0.5, 0.25]
    with pytest.raises(ZeroDivisionError):
        bad.result(30)
    assert batcher.waiting == 0


def test_the_worker_ends_when_it_is_closed_and_everything_is_done():
    batcher = RequestBatcher(3)
    assert batcher.submit([], [], "nothing", squares, Departure()) == []
    assert batcher.submit([3], [1], "one", squares, Departure()) == [9]
    batcher.close()
    batcher.join()
    assert not batcher.alive


def test_who_joins_waits_for_the_batch_of_a_client_that_has_left():
    gate, batcher, departure = Gate(), RequestBatcher(3), Departure()
    with ThreadPoolExecutor(2) as threads:
        left = threads.submit(batcher.submit, [2], [1], "gate", gate, departure)
        assert gate.begun.wait(30)
        departure.happen()
        with pytest.raises(Cancelled):
            left.result(30)
        batcher.close()
        joined = threads.submit(batcher.join)
        assert batcher.alive
        assert not joined.done()
        gate.open.set()
        joined.result(30)
    assert not batcher.alive


class LeftAtTheLastMoment(Future):
    """Its client leaves when the worker has looked whether it is there, and before the answer is."""

    def set_result(self, result):
        self.set_exception(Cancelled())
        super().set_result(result)


def test_a_client_that_leaves_while_it_is_answered_does_not_stop_the_worker():
    batcher = RequestBatcher(3)
    submission = _Submission("one", squares, [3], [1], future=LeftAtTheLastMoment())
    batcher._compute([(submission, 0)])
    with pytest.raises(Cancelled):
        submission.future.result(30)
    batcher.close()
