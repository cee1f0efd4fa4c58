"""What searches: the same sentences to the same hypotheses, by torch or by a program made for nothing else.

An engine says what it cannot do, and a translator asks the first of its engines that can. Engines get all sentences of
a window at once, because each knows best how many of them to search together, and on how many cores.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import torch

from saccade.decoding.beam import BeamConfig
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.searcher import Searcher
from saccade.models.contract import Transducer
from saccade.sequences import EOS, Sequences

USUAL_LENGTH = 20
"""Tokens a language model writes before it ends a line; only how many lines go together depends on it."""
ENGINES = ("auto", "torch", "ctranslate2")


@dataclass(frozen=True)
class Sentence:
    """A source without EOS, and the tokens its output must begin with. Equal ones have equal outputs."""

    tokens: tuple[int, ...]
    prefix: tuple[int, ...] = ()


@runtime_checkable
class Engine(Protocol):
    """Something that searches a model's outputs."""

    @property
    def description(self) -> str:
        """What it is and how it runs, in few words."""
        ...

    def obstacle(self, config: BeamConfig, prefixed: bool) -> str | None:
        """Why it cannot search like this, as an error says it; None where it can."""
        ...

    def search(
        self, sentences: Sequence[Sentence], config: BeamConfig, batch_tokens: int | None = None
    ) -> list[list[Hypothesis]]:
        """The best outputs of each sentence, in the order of the sentences; inside, the best first."""
        ...


@dataclass(frozen=True)
class TorchEngine:
    """Our own search on our own model: it can do everything, on every device."""

    model: Transducer[Any, Any]
    device: torch.device

    @cached_property
    def _searcher(self) -> Searcher:
        # Made when it is first needed: it holds a copy of the weights, laid out for searching.
        return Searcher(self.model)

    @property
    def description(self) -> str:
        """What it is and how it runs, in few words."""
        count = torch.get_num_threads()
        threads = f", {count} {'thread' if count == 1 else 'threads'}" if self.device.type == "cpu" else ""
        weights = next(self.model.parameters(), None)  # a model that counts has none
        precision = str(torch.float32 if weights is None else weights.dtype).removeprefix("torch.")
        return f"torch {torch.__version__} on {self.device}, {precision}{threads}"

    def obstacle(self, config: BeamConfig, prefixed: bool) -> str | None:  # noqa: ARG002
        """There is nothing that it cannot do."""
        return None

    def search(
        self, sentences: Sequence[Sentence], config: BeamConfig, batch_tokens: int | None = None
    ) -> list[list[Hypothesis]]:
        """The best outputs of each sentence, in the order of the sentences; inside, the best first."""
        found: list[list[Hypothesis]] = [[] for _ in sentences]
        costs = [cost(sentence.tokens, sentence.prefix) for sentence in sentences]
        for batch in batches(costs, batch_tokens or busy_tokens(self.device)):
            source = Sequences.of([[*sentences[index].tokens, EOS] for index in batch], device=self.device)
            prefixes = [sentences[index].prefix for index in batch]
            prefix = Sequences.of(prefixes, device=self.device) if any(prefixes) else None
            for index, hypotheses in zip(batch, self._searcher(source, config, prefix), strict=True):
                found[index] = hypotheses
        return found


def cost(tokens: Sequence[int], prefix: Sequence[int]) -> int:
    """How many positions a sentence takes: as many as its source, or without one as many as may well be written."""
    return len(tokens) + 1 if tokens else len(prefix) + USUAL_LENGTH


def busy_tokens(device: torch.device) -> int:
    """Padded source tokens of a batch: a processor is busy with few, a GPU waits for its kernels unless with many."""
    return 16_384 if device.type == "cuda" else 2048


def batches(costs: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Indices in batches of similar cost: rows times the largest cost stays within the budget, a row goes alone."""
    batch: list[int] = []
    for index in sorted(range(len(costs)), key=costs.__getitem__):
        if batch and (len(batch) + 1) * costs[index] > budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
