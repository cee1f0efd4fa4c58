"""What is done to shards: the same in every worker, whatever starts it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from saccade.bulk.shards import Shard
from saccade.serving.problems import Problems

Say = Callable[[str], None]
"""Hears what a user is told while the work goes on."""
Watch = Callable[[int], None]
"""Hears of so many more lines that are done."""


@runtime_checkable
class Sink(Protocol):
    """Where bytes of output go."""

    def write(self, content: bytes, /) -> int:
        """Takes more of them."""
        ...


@runtime_checkable
class LoadedWork(Protocol):
    """The work with its model."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that the outputs depend on, apart from the inputs."""
        ...

    def process(self, shard: Shard, outputs: Sequence[Sink], watch: Watch) -> Problems:
        """Writes the outputs of a shard, as a part of the outputs of the whole."""
        ...


@runtime_checkable
class Work(Protocol):
    """The work as a command describes it: small, and sent to every worker."""

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The files whose lines are worked on."""
        ...

    @property
    def device(self) -> str | None:
        """Where the model runs; None: on a GPU if there is one."""
        ...

    def window_sizes(self) -> Iterator[int]:
        """How many lines one process over the whole input would read for each window in turn."""
        ...

    def load(self, say: Say) -> LoadedWork:
        """The same, ready for shards."""
        ...
