"""How sure one may be of words and sentences: a model's own probabilities, made true by held-out text.

A model that gives a word the probability 0.9 is right less often than nine times in ten, and how much less depends on
its text. So its probabilities are mapped to how often it was right, by the best function that never falls (isotonic
regression, Zadrozny and Elkan 2002):

    word        p = geometric mean over its pieces        right: the word is in the reference, as often as it is written
    sentence    p = geometric mean over all its tokens    right: chrF against the reference is at least 50

The map is fitted on the first, third, fifth ... pair and tested on the others. The expected calibration error is the
mean distance between confidence and share of right ones, in ten bins, weighted by their sizes.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from saccade.quality.certainty import UNSURE, CertaintyBound

GOOD = 50.0
"""The chrF from which a sentence counts as right."""
BINS = 10
MOST_POINTS = 40

Judged = tuple[float, bool]
"""A probability, and whether what had it was right."""


@dataclass(frozen=True)
class MonotoneMap:
    """A function that never falls: straight lines between points, and level outside of them."""

    points: tuple[tuple[float, float], ...]

    @classmethod
    def fitted(cls, judged: Iterable[Judged]) -> "MonotoneMap":
        """The function with the smallest squared error, by pooling neighbours that are in the wrong order.

        Where nothing was judged, as of a model that wrote only punctuation, probabilities stay as they are.
        """
        pools: list[tuple[float, float, int]] = []  # sums of probabilities and of right ones, and their number
        for probability, equals in groupby(sorted(judged), key=lambda one: one[0]):
            rights = [right for _, right in equals]
            pools.append((probability * len(rights), float(sum(rights)), len(rights)))
            while len(pools) > 1 and pools[-2][1] * pools[-1][2] >= pools[-1][1] * pools[-2][2]:
                last, before = pools.pop(), pools.pop()
                pools.append((before[0] + last[0], before[1] + last[1], before[2] + last[2]))
        if not pools:
            return AS_IT_IS
        step = max(len(pools) // MOST_POINTS, 1)
        kept = [*pools[:-1:step], *pools[-1:]]
        return cls(tuple((inputs / count, outputs / count) for inputs, outputs, count in kept))

    def __call__(self, probability: float) -> float:
        """The confidence for a probability."""
        inputs = [point[0] for point in self.points]
        place = bisect_right(inputs, probability)
        if place == 0 or place == len(inputs):
            return self.points[max(place - 1, 0)][1]
        (left, low), (right, high) = self.points[place - 1 : place + 1]
        return low + (high - low) * (probability - left) / (right - left)


AS_IT_IS = MonotoneMap(((0.0, 0.0), (1.0, 1.0)))
"""Leaves probabilities alone."""


@dataclass(frozen=True)
class Bin:
    """Things of similar confidence: how many, how sure on average, and what share of them was right."""

    count: int
    confidence: float
    right: float


@dataclass(frozen=True)
class Reliability:
    """Confidences against what was right, on text that the map has not seen; `error_before` is without any map."""

    bins: tuple[Bin, ...]
    error: float
    error_before: float

    @classmethod
    def of(cls, judged: Sequence[Judged], mapped: MonotoneMap) -> "Reliability":
        """Of these probabilities and of their confidences."""
        bins = _bins([(mapped(probability), right) for probability, right in judged])
        return cls(tuple(bins), _error(bins), _error(_bins(judged)))

    def to_markdown(self, what: str) -> str:
        """The reliability curve as a table."""
        rows = [f"| confidence of a {what} | {what}s | right |", "|---|---|---|"]
        rows += [f"| {one.confidence:.2f} | {one.count:,} | {one.right:.2f} |" for one in self.bins]
        return "\n".join(rows)


@dataclass(frozen=True)
class Calibration:
    """The maps of words and of sentences, how good they are, and how certain the model must be of an output."""

    word: MonotoneMap
    sentence: MonotoneMap
    words: Reliability | None = None
    sentences: Reliability | None = None
    certainty: CertaintyBound | None = None

    @classmethod
    def fitted(
        cls,
        words: Sequence[Sequence[Judged]],
        sentences: Sequence[Judged],
        outputs: Sequence[tuple[float, int]] = (),
    ) -> "Calibration":
        """From the words of each sentence and the sentences: every second one fits, the others test.

        `outputs` are the log-probabilities of all sentences and how many tokens they have.
        """
        word = MonotoneMap.fitted(one for own in words[::2] for one in own)
        sentence = MonotoneMap.fitted(sentences[::2])
        tested = [one for own in words[1::2] for one in own]
        return cls(
            word,
            sentence,
            Reliability.of(tested, word),
            Reliability.of(sentences[1::2], sentence),
            CertaintyBound.learned(outputs),
        )

    def to_markdown(self) -> str:
        """The section of a model card."""
        assert self.words is not None
        assert self.sentences is not None
        parts = ["## Confidence"]
        parts.append(
            "What `--json` calls confidence, on half of the held-out text, by a map fitted on the other half. A word "
            f"is right if it is in the reference, a sentence if its chrF is at least {GOOD:.0f}."
        )
        for what, one in (("word", self.words), ("sentence", self.sentences)):
            parts.append(one.to_markdown(what))
            parts.append(f"Expected calibration error: {one.error:.3f}, before {one.error_before:.3f}.")
        if self.certainty is not None:
            parts.append(
                f"Flagged as unsure is an output whose log-probability, divided by the square root of its tokens, is "
                f"below {self.certainty.lowest:.2f}, as it is for {UNSURE:.0%} of the held-out text."
            )
        return "\n\n".join(parts)


UNCALIBRATED = Calibration(AS_IT_IS, AS_IT_IS)


def _bins(judged: Sequence[Judged]) -> list[Bin]:
    groups: list[list[Judged]] = [[] for _ in range(BINS)]
    for confidence, right in judged:
        groups[min(int(confidence * BINS), BINS - 1)].append((confidence, right))
    return [
        Bin(len(own), sum(one for one, _ in own) / len(own), sum(right for _, right in own) / len(own))
        for own in groups
        if own
    ]


def _error(bins: Sequence[Bin]) -> float:
    count = sum(one.count for one in bins)
    return sum(one.count * abs(one.confidence - one.right) for one in bins) / max(count, 1)
