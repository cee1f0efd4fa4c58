"""Sequential operations and path lengths of a model as its sentences grow: Table 1 of Vaswani et al. 2017, measured.

    sequential steps   the longest chain of dependent operations in one pass over a known source and target
    source path        from the first source token to the scores after the last target token
    target path        from the first target token to the same scores

All three are counted by `path_lengths.py` on the model itself, with sentences of several lengths n, and described by a
straight line. The counts depend on how a model is connected, hardly on its width, so a narrow copy is measured.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from saccade.attention.recording import recording
from saccade.comparison.path_lengths import PathTracker
from saccade.models.contract import Transducer
from saccade.sequences import Sequences

LENGTHS = (6, 12, 24)
VOCABULARY = 40
_FIRST_TOKEN = 4  # after padding, end, unknown and start
_FLAT = 0.05


@dataclass(frozen=True)
class Growth:
    """A count at several sentence lengths; None where what is counted does not exist."""

    lengths: tuple[int, ...]
    counts: tuple[int | None, ...]

    @property
    def slope(self) -> float | None:
        """Operations for each further token, over the longer half of what was looked at."""
        (shorter, low), (longer, high) = zip(self.lengths[-2:], self.counts[-2:], strict=True)
        return None if low is None or high is None else (high - low) / (longer - shorter)

    @property
    def constant(self) -> bool:
        """Whether sentences of any length take the same."""
        return self.slope is not None and abs(self.slope) < _FLAT

    @property
    def end(self) -> int | None:
        """The shortest length without a count, where there is one."""
        without = [length for length, count in zip(self.lengths, self.counts, strict=True) if count is None]
        return min(without, default=None)

    @property
    def words(self) -> str:
        """As a table says it."""
        if self.counts[-1] is None:
            return f"none from {self.end} tokens on" if self._known else "none"
        if self.slope is None or self.constant:
            return str(self.counts[-1])
        start = round(self.counts[-1] - self.slope * self.lengths[-1])
        if any(count != round(start + self.slope * length) for length, count in self._known):
            return f"{self._known[0][1]} to {self.counts[-1]}"  # no straight line: a window, or a field of view
        beyond = f" {'+' if start > 0 else '−'} {abs(start)}" if start else ""
        return f"{'' if self.slope == 1 else f'{self.slope:g} '}n{beyond}"

    @property
    def _known(self) -> list[tuple[int, int]]:
        pairs = zip(self.lengths, self.counts, strict=True)
        return [(length, count) for length, count in pairs if count is not None]


@dataclass(frozen=True)
class Complexity:
    """How a model's computation grows with its sentences."""

    sequential_steps: Growth
    source_path: Growth
    target_path: Growth


def measure_complexity(
    build: Callable[[int, int], Transducer[Any, Any]], lengths: tuple[int, ...] = LENGTHS
) -> Complexity:
    """Measures a model made by `build(source_vocabulary, target_vocabulary)`."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        model = build(VOCABULARY, VOCABULARY).double().eval()
    steps, source, target = zip(*(_counts(model, length) for length in lengths), strict=True)
    return Complexity(Growth(lengths, steps), Growth(lengths, source), Growth(lengths, target))


def _counts(model: Transducer[Any, Any], length: int) -> tuple[int, int | None, int | None]:
    steps, source = _lengths(model, length, from_source=True)
    _, target = _lengths(model, length, from_source=False)
    return steps, source, target


def _lengths(model: Transducer[Any, Any], length: int, from_source: bool) -> tuple[int, int | None]:
    """The longest chain, and the distance of the last scores from the first token of one side."""
    generator = torch.Generator().manual_seed(length)
    drawn = torch.randint(_FIRST_TOKEN, VOCABULARY, (2, length), generator=generator)
    source, reads = (Sequences.of([row]) for row in drawn.tolist())
    # Recording makes attention take its explicit path, one operation at a time.
    with torch.no_grad(), recording(model), PathTracker() as tracker:
        tracker.mark((source if from_source else reads).tokens, 0, 0)
        logits = model.decode(reads, model.encode(source))
        last = logits[:, -1]
    return tracker.chain(logits), tracker.path_length(last)
