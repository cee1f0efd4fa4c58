"""The next batches, prepared in another thread while this one waits for the GPU."""

from collections.abc import Iterator
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Generic, TypeVar

Item = TypeVar("Item")


def prefetched(items: Iterator[Item], depth: int = 2) -> Iterator[Item]:
    """The same items in the same order, up to `depth` of them ready before they are asked for.

    An error while an item is made is raised where the item would have been given. The thread ends with the iterator.
    """
    producer = _Producer(items, depth)
    producer.start()
    try:
        while True:
            item, failure = producer.ready.get()
            if isinstance(failure, StopIteration):
                return
            if failure is not None:
                raise failure
            yield item  # type: ignore[misc]
    finally:
        producer.stop()


class _Producer(Generic[Item]):
    """A thread that puts items, or the error that ended them, into a queue."""

    def __init__(self, items: Iterator[Item], depth: int) -> None:
        self.ready: Queue[tuple[Item | None, BaseException | None]] = Queue(maxsize=depth)
        self._items = items
        self._stopped = Event()
        self._thread = Thread(target=self._produce, name="batches", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread, which may be waiting for room in the queue, and waits for it."""
        self._stopped.set()
        while self._thread.is_alive():
            try:
                self.ready.get_nowait()
            except Empty:
                self._thread.join(timeout=0.05)

    def _produce(self) -> None:
        try:
            for item in self._items:
                self._put(item, None)
                if self._stopped.is_set():
                    return
            self._put(None, StopIteration())
        except BaseException as failure:
            self._put(None, failure)

    def _put(self, item: Item | None, failure: BaseException | None) -> None:
        while not self._stopped.is_set():
            try:
                self.ready.put((item, failure), timeout=0.1)
            except Full:
                continue
            return
