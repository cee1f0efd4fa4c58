"""The labels of a corpus for classification: few, repeated, and all of them known before the first step."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from saccade.data.normalisation import normalise
from saccade.data.tokenizer import Tokenizer
from saccade.errors import InputError

# So many different labels say nothing yet; beyond, each must on average stand on two lines at least.
FEW = 20
SHOWN = 8


class Labels:
    """Counts the labels of pairs that pass by.

    Pieces are otherwise learned from a sample, which may miss a rare label; a label that is no piece of its own could
    never be given.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def watching(self, pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """The same pairs."""
        for pair in pairs:
            self.counts[normalise(pair[1])] += 1
            yield pair

    def check(self, path: Path) -> None:
        """Refuses labels that no classifier could be trained on."""
        if len(self.counts) == 1:
            raise InputError(
                f"`{path}` must have at least two different labels, but every line has {next(iter(self.counts))!r}. "
                "Add texts of another label."
            )
        if len(self.counts) > max(FEW, self.counts.total() / 2):
            raise InputError(
                f"`{path}` must repeat its labels, but has {len(self.counts):,} different ones for "
                f"{self.counts.total():,} texts. Are sources and targets swapped?"
            )

    def check_known(self, pairs: Iterable[tuple[int, str, str]], path: Path) -> None:
        """Refuses numbered pairs whose label never occurred: whoever cannot give it is always wrong."""
        for number, _, target in pairs:
            if normalise(target) not in self.counts:
                raise InputError(
                    f"`{path}:{number}` must have a label that occurs in training ({self}), but has {target!r}. "
                    "Correct it, or train with it."
                )

    def tokenizer(self) -> Tokenizer:
        """Every label as one piece, and nothing else."""
        labels = self.counts.elements()
        return Tokenizer.train(labels, pieces="word", sample_lines=self.counts.total(), closed=True)

    def __str__(self) -> str:
        names = [name for name, _ in self.counts.most_common(SHOWN)]
        return ", ".join(names) + (", ..." if len(self.counts) > SHOWN else "")
