"""The next batches, made in another thread while this one waits for the GPU."""

from collections.abc import Iterator
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import TypeVar

Item = TypeVar("Item")


def prefetched(items: Iterator[Item], depth: int = 2) -> Iterator[Item]:
    """The same items in the same order, up to `depth` of them ready before they are asked for.

    What goes wrong while an item is made is raised where the item would have been given. The thread ends with the
    iterator.
    """
    ready: Queue[tuple[Item | None, BaseException | None]] = Queue(maxsize=depth)
    over = Event()

    def offer(item: Item | None, failure: BaseException | None) -> None:
        while not over.is_set():
            try:
                ready.put((item, failure), timeout=0.1)
            except Full:
                continue
            return

    def make() -> None:
        try:
            for item in items:
                offer(item, None)
                if over.is_set():
                    return
            offer(None, StopIteration())
        except BaseException as failure:
            offer(None, failure)

    thread = Thread(target=make, name="batches", daemon=True)
    thread.start()
    try:
        while True:
            item, failure = ready.get()
            if isinstance(failure, StopIteration):
                return
            if failure is not None:
                raise failure
            yield item  # type: ignore[misc]
    finally:
        over.set()
        while thread.is_alive():
            try:
                ready.get_nowait()
            except Empty:
                thread.join(timeout=0.05)
