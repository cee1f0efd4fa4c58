"""Which label was taken for which."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

MOST = 12
"""So many labels fit beside each other on a page."""


@dataclass(frozen=True)
class Confusion:
    """How often each label was given to texts of each label: `counts[i][j]` texts of label i were called label j."""

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, outputs: Sequence[str], references: Sequence[str]) -> "Confusion":
        """Counts outputs beside references; labels in alphabetical order."""
        labels = tuple(sorted({*outputs, *references}))
        pairs = Counter(zip(references, outputs, strict=True))
        return cls(labels, tuple(tuple(pairs[right, given] for given in labels) for right in labels))

    def recall(self, label: int) -> float:
        """The share of its texts that a label was given, in percent; nothing was missed where there is none."""
        texts = sum(self.counts[label])
        return 100 * self.counts[label][label] / texts if texts else 100.0

    def precision(self, label: int) -> float:
        """The share of the texts given a label that have it, in percent; nothing was wrong where it was never given."""
        given = sum(row[label] for row in self.counts)
        return 100 * self.counts[label][label] / given if given else 100.0

    def rows(self) -> list[list[str]]:
        """A table: a row for each right label, a column for each given one, then recall and precision."""
        shown = range(len(self.labels)) if len(self.labels) <= MOST else range(0)
        table = [["label", *(f"as {self.labels[column]}" for column in shown), "of", "recall", "precision"]]
        for row, label in enumerate(self.labels):
            counts = [str(self.counts[row][column]) for column in shown]
            rates = [f"{self.recall(row):.2f}", f"{self.precision(row):.2f}"]
            table.append([label, *counts, str(sum(self.counts[row])), *rates])
        return table
