"""Lines of several requests searched together: one thread for each model, batches by tokens, nobody waits for company.

    request threads -> submissions -> the worker takes lines, oldest first, up to a budget of tokens -> their results

While a batch is searched, requests gather; the next batch is whatever has gathered. An idle worker starts at once. Of a
submission that is larger than a batch only a share is taken at a time, one line of each submission in turn, so that a
document does not hold up a sentence. What is computed together must be of one `kind`, the options of a search for
instance; kinds take turns. Which lines share a batch changes no result, because no translation depends on its
neighbours; the tests compare with translations made without a server.
"""

import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from saccade.cancellation import Cancelled
from saccade.server.admission import Departure

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(eq=False)
class _Submission:
    """What one request wants to have computed: `taken` of its items are on their way or done."""

    kind: Hashable
    run: Callable[[list[Any]], Sequence[Any]]
    items: Sequence[Any]
    costs: Sequence[int]
    taken: int = 0
    results: list[Any] = field(default_factory=list)
    future: Future[list[Any]] = field(default_factory=Future)

    @property
    def remaining(self) -> int:
        return len(self.items) - self.taken

    def finish(self, error: BaseException | None = None) -> None:
        # The client may leave while the worker is about to answer: the first of the two counts.
        with suppress(InvalidStateError):
            if error is None:
                self.future.set_result(self.results)
            else:
                self.future.set_exception(error)


class RequestBatcher:
    """The worker of one model, and what waits for it.

    `watch` is told the items and tokens of every batch. Workers that must not compute at the same time share
    `computing`, a lock.
    """

    def __init__(
        self,
        tokens: int,
        watch: Callable[[int, int], None] | None = None,
        computing: AbstractContextManager[object] | None = None,
    ) -> None:
        self.tokens = tokens
        self._computing = computing or nullcontext()
        self._watch = watch
        self._waiting: list[_Submission] = []
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="saccade-search", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the worker works."""
        return self._thread.is_alive()

    @property
    def waiting(self) -> int:
        """Items that nobody has begun with."""
        with self._changed:
            return sum(one.remaining for one in self._waiting)

    def submit(
        self,
        items: Sequence[Item],
        costs: Sequence[int],
        kind: Hashable,
        run: Callable[[list[Item]], Sequence[Result]],
        departure: Departure,
    ) -> list[Result]:
        """What `run` makes of each item, in order; it may be given items of other submissions of this kind beside them.

        Waits for it. `Cancelled` when the client departs first.
        """
        if not items:
            return []
        submission = _Submission(kind, run, items, costs)
        with self._changed:
            assert not self._closed, "a batcher is closed when nobody uses it any more"
            self._waiting.append(submission)
            self._changed.notify()
        with departure.calling(lambda: self._withdraw(submission, Cancelled())):
            return submission.future.result()

    def close(self) -> None:
        """Lets the worker end when everything that waits is done."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def join(self) -> None:
        """Waits until the worker has ended."""
        self._thread.join()

    def _withdraw(self, submission: _Submission, reason: Exception) -> None:
        with self._changed:
            if submission in self._waiting:
                self._waiting.remove(submission)
        submission.finish(reason)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                batch = self._take()
            self._compute(batch)

    def _take(self) -> list[tuple[_Submission, int]]:
        """Items of the kind that has waited longest, one of each submission in turn, as long as the budget lasts."""
        kind = self._waiting[0].kind
        same = [one for one in self._waiting if one.kind == kind]
        batch: list[tuple[_Submission, int]] = []
        left = self.tokens
        while same and (left > 0 or not batch):
            for one in list(same):
                cost = one.costs[one.taken]
                if batch and cost > left:
                    left = 0
                    break
                batch.append((one, one.taken))
                one.taken += 1
                left -= cost
                if not one.remaining:
                    same.remove(one)
        # What is not wholly taken lines up behind the others.
        self._waiting = [one for one in self._waiting if one.kind != kind] + [
            one for one in self._waiting if one.kind == kind and one.remaining
        ]
        return batch

    def _compute(self, batch: list[tuple[_Submission, int]]) -> None:
        if self._watch is not None:
            self._watch(len(batch), sum(one.costs[place] for one, place in batch))
        owners = list(dict.fromkeys(one for one, _ in batch))
        try:
            self._settle(batch)
        except Exception as error:
            if len(owners) == 1:
                self._withdraw(owners[0], error)
            else:  # one of them spoilt it for all: each is asked alone
                for owner in owners:
                    self._compute([(one, place) for one, place in batch if one is owner])
            return
        for owner in owners:
            if len(owner.results) == len(owner.items):
                owner.finish()

    def _settle(self, batch: list[tuple[_Submission, int]]) -> None:
        with self._computing:
            found = list(batch[0][0].run([one.items[place] for one, place in batch]))
        assert len(found) == len(batch), "one result for each item"
        for (one, place), result in zip(batch, found, strict=True):
            assert place == len(one.results), "items of a submission are taken in order"
            one.results.append(result)
