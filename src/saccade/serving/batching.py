"""Which inputs are searched together: batches of similar length, so that little is padded."""

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import torch

from saccade.cancellation import Cancellation
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.ngram_blocking import Blocking
from saccade.decoding.terms import Term
from saccade.memory import ran_out_of_memory
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

USUAL_LENGTH = 20
"""Tokens that a language model writes before it ends a line; only the size of batches depends on it."""

BatchSearch = Callable[[list[int], Sequences, Sequences | None], list[list[Hypothesis]]]
"""From the indices of a batch, its sources and its prefixes to the hypotheses of each."""


@dataclass(frozen=True)
class SearchInput:
    """A source without EOS, and the tokens its output must begin with. Equal inputs have equal outputs.

    `language` comes before the prefix: the language of the output, where a model is told it. Where the output must be a
    tree, `leaves` are those of `TreeOutputs.leaf_tokens`. `terms` are what it must contain, `blocking` is what it must
    not; there are never both.
    """

    tokens: tuple[int, ...]
    prefix: tuple[int, ...] = ()
    leaves: tuple[int, ...] = ()
    terms: tuple[Term, ...] = ()
    blocking: Blocking = Blocking()
    language: tuple[int, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether any engine can search it: without terms and blocking."""
        return not self.terms and not self.blocking

    @property
    def cost(self) -> int:
        """The positions it takes: those of its source, or without one as many as are likely to be written."""
        return len(self.tokens) + 1 if self.tokens else len(self.prefix) + USUAL_LENGTH


class BatchedSearch:
    """Searches any number of inputs on a device, in padded batches of similar length.

    Where a batch does not fit into memory, it and all that follow are made half as large, for good: on a GPU each such
    failure costs the captured graphs. What is found for an input does not depend on the others.
    """

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self._fits = sys.maxsize

    def __call__(
        self, inputs: Sequence[SearchInput], search: BatchSearch, batch_tokens: int | None = None, at_once: int = 1
    ) -> list[list[Hypothesis]]:
        """What `search` finds for each input, in their order.

        It is called with one batch after another, or by as many threads as there may be `at_once`.
        """
        found: list[list[Hypothesis]] = [[] for _ in inputs]
        waiting = list(range(len(inputs)))
        while waiting:
            full = None
            costs = [inputs[index].cost for index in waiting]
            budget = min(batch_tokens or default_batch_tokens(self.device), self._fits)
            if at_once > 1:  # every thread gets a share, however few inputs there are
                budget = min(budget, max(*costs, -(-sum(costs) // at_once)))
            planned = [[waiting[place] for place in places] for places in batches(costs, budget)]
            for batch, results in zip(planned, self._results(inputs, planned, search, at_once), strict=False):
                if results is None:
                    full = batch
                    break
                for index, hypotheses in zip(batch, results, strict=True):
                    found[index] = hypotheses
            if full is None:
                break
            self._fits = max(len(full) // 2, 1) * max(inputs[index].cost for index in full)
            at_once = 1  # what does not fit beside others may fit alone
            first = inputs[full[0]].cost, full[0]
            waiting = [index for index in waiting if (inputs[index].cost, index) >= first]
            if self.device.type == "cuda":
                torch.cuda.empty_cache()
        return found

    def _results(
        self, inputs: Sequence[SearchInput], planned: list[list[int]], search: BatchSearch, at_once: int
    ) -> Iterator[list[list[Hypothesis]] | None]:
        """What is found for each batch, or None where it does not fit into memory, until nobody asks any more."""
        alone, cancellation = at_once == 1 or len(planned) == 1, Cancellation()

        def one(batch: list[int]) -> list[list[Hypothesis]] | None:
            with cancellation.of_searches():
                return _search_batch(inputs, batch, search, self.device, hopeless=alone and len(batch) == 1)

        if alone:
            yield from map(one, planned)
            return
        pool = ThreadPoolExecutor(at_once)
        try:  # Ctrl-C may come while batches are still being handed out
            waiting = [pool.submit(one, batch) for batch in reversed(planned)]  # the longest first: none is left alone
            for future in reversed(waiting):
                yield future.result()
        finally:
            cancellation.request()
            pool.shutdown(wait=True, cancel_futures=True)


def _search_batch(
    inputs: Sequence[SearchInput], batch: list[int], search: BatchSearch, device: torch.device, *, hopeless: bool
) -> list[list[Hypothesis]] | None:
    """What is found for these inputs; None where they do not fit into memory, unless to ask for less is `hopeless`."""
    try:
        source = Sequences.of([[*inputs[index].tokens, EOS] for index in batch], device=device)
        prefixes = [(*inputs[index].language, *inputs[index].prefix) for index in batch]
        return search(batch, source, Sequences.of(prefixes, device=device) if any(prefixes) else None)
    except (MemoryError, RuntimeError) as error:
        if hopeless or not ran_out_of_memory(error):
            raise
    return None


def default_batch_tokens(device: torch.device) -> int:
    """Padded source tokens of a batch: few keep a CPU busy; a GPU needs many, or launching kernels takes longest."""
    return 16_384 if device.type == "cuda" else 2048


def default_window(device: torch.device) -> int:
    """Lines read ahead: several batches of short sentences, or the last one of each window is hardly filled."""
    return 16_384 if device.type == "cuda" else 1024


def batches(costs: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Indices in batches of similar cost: rows times the largest cost stay within the budget, unless it is one row."""
    batch: list[int] = []
    for index in sorted(range(len(costs)), key=costs.__getitem__):
        if batch and (len(batch) + 1) * costs[index] > budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
