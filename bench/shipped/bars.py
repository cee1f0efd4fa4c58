"""What is asked of shipped models, and figures beside it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

MEGABYTE = 1_000_000
LARGEST = 20 * MEGABYTE

BLEU_BARS: Mapping[tuple[str, str], Mapping[str, float]] = {
    ("en", "es"): {"newstest2012": 32.0, "tatoeba-test": 51.0},
    ("de", "en"): {"newstest2013": 22.0},
}
"""The least BLEU of a test set; others are reported."""
MOST_LOST_TO_CASE = 3.0
LEAST_KEPT = 99.0
LEAST_WORDS_PER_SECOND = 1_500.0


@dataclass(frozen=True)
class Figure:
    """One measured number; `at_least` or `at_most` is its bar, if it has one. `part` says that it is not of all."""

    measure: str
    name: str
    value: float
    unit: str = ""
    at_least: float | None = None
    at_most: float | None = None
    part: str = ""

    @property
    def bar(self) -> str:
        """The bar in words."""
        if self.at_least is not None:
            return f"at least {_shown(self.at_least)}"
        return "" if self.at_most is None else f"at most {_shown(self.at_most)}"

    @property
    def verdict(self) -> str:
        """Held or missed; a number that is none has missed its bar."""
        if self.at_least is not None:
            return "held" if self.value >= self.at_least else "missed"
        if self.at_most is not None:
            return "held" if self.value <= self.at_most else "missed"
        return "reported"

    @property
    def row(self) -> str:
        """A row of the table."""
        cells = (self.measure, self.name, f"{_shown(self.value)} {self.unit}", self.bar, self.verdict, self.part)
        return f"| {' | '.join(cells)} |"


HEADER = "| measure | of | figure | bar | verdict | part |\n|---|---|---|---|---|---|"


def _shown(value: float) -> str:
    return "none" if math.isnan(value) else f"{value:,.1f}".removesuffix(".0")
