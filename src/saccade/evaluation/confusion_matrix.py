"""The confusion matrix of a classifier, with recall and precision per label."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

MOST_COLUMNS = 12
"""With more labels than this the table leaves out the counts per pair of labels, to fit a page."""


@dataclass(frozen=True)
class ConfusionMatrix:
    """`counts[i][j]` texts of label i were predicted to have label j."""

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, outputs: Sequence[str], references: Sequence[str]) -> "ConfusionMatrix":
        """Counts pairs of reference and predicted label; labels in alphabetical order."""
        labels = tuple(sorted({*outputs, *references}))
        pairs = Counter(zip(references, outputs, strict=True))
        return cls(labels, tuple(tuple(pairs[reference, output] for output in labels) for reference in labels))

    def recall(self, label: int) -> float:
        """The share of the texts of a label that were predicted to have it, in percent; 100 if there are none."""
        texts = sum(self.counts[label])
        return 100 * self.counts[label][label] / texts if texts else 100.0

    def precision(self, label: int) -> float:
        """The share of the texts predicted to have a label that do, in percent; 100 if it was never predicted."""
        predicted = sum(row[label] for row in self.counts)
        return 100 * self.counts[label][label] / predicted if predicted else 100.0

    def rows(self) -> list[list[str]]:
        """A table: a row for each reference label, a column for each predicted one, then recall and precision."""
        shown = range(len(self.labels)) if len(self.labels) <= MOST_COLUMNS else range(0)
        table = [["label", *(f"as {self.labels[column]}" for column in shown), "of", "recall", "precision"]]
        for row, label in enumerate(self.labels):
            counts = [str(self.counts[row][column]) for column in shown]
            rates = [f"{self.recall(row):.2f}", f"{self.precision(row):.2f}"]
            table.append([label, *counts, str(sum(self.counts[row])), *rates])
        return table
