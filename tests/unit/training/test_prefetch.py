import threading
import time
from itertools import count, islice

import pytest

from saccade.training.prefetch import prefetched


def waiting_for(condition, seconds=10.0):
    """Whether something comes to pass in another thread; it may take a moment."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


def makers():
    return [thread for thread in threading.enumerate() if thread.name == "batches"]


class Source:
    """Counts, and knows how far it was asked to."""

    def __init__(self, end=None):
        self.made = 0
        self.end = end

    def __iter__(self):
        for number in count() if self.end is None else range(self.end):
            self.made += 1
            yield number


@pytest.mark.parametrize("depth", [1, 2, 7])
@pytest.mark.parametrize("length", [0, 1, 53])
def test_items_come_in_order_and_end_where_they_end(depth, length):
    assert list(prefetched(iter(range(length)), depth)) == list(range(length))


def test_items_are_made_in_another_thread():
    thread = next(prefetched(threading.current_thread() for _ in range(1)))
    assert thread is not threading.current_thread()


def test_items_are_made_before_they_are_asked_for():
    source = Source()
    items = prefetched(iter(source), depth=3)
    assert next(items) == 0
    assert waiting_for(lambda: source.made >= 4)
    items.close()


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_no_more_are_made_than_there_is_room_for_and_one_that_waits_for_it(depth):
    source = Source()
    items = prefetched(iter(source), depth)
    for taken in range(1, 6):
        next(items)
        assert waiting_for(lambda taken=taken: source.made >= taken + depth)
        time.sleep(0.02)
        assert source.made <= taken + depth + 1
    items.close()


def test_nothing_is_made_before_the_first_is_asked_for():
    source = Source()
    prefetched(iter(source))
    assert source.made == 0


def test_what_goes_wrong_is_raised_in_its_place():
    def items():
        yield 1
        yield 2
        raise OSError("no such batch")

    ready = prefetched(items())
    assert list(islice(ready, 2)) == [1, 2]
    with pytest.raises(OSError, match="no such batch"):
        next(ready)


def test_the_thread_ends_with_the_items():
    list(prefetched(iter(range(5))))
    assert makers() == []


def test_the_thread_ends_when_nobody_wants_more():
    items = prefetched(iter(Source()))
    next(items)
    assert len(makers()) == 1
    items.close()
    assert makers() == []


def test_the_thread_ends_with_an_error_of_whoever_reads():
    def read():
        for number in prefetched(iter(Source())):
            if number == 3:
                raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        read()
    assert waiting_for(lambda: makers() == [])


def test_the_thread_ends_with_an_error_of_its_own():
    def items():
        yield 1
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011
        list(prefetched(items()))
    assert makers() == []
