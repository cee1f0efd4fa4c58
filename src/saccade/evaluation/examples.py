"""An output with its references: the unit that metrics score."""

from collections.abc import Sequence
from dataclasses import dataclass

from saccade.errors import InputError


@dataclass(frozen=True)
class Example:
    """One source, the output for it, and one or more references."""

    source: str
    hypothesis: str
    references: tuple[str, ...]


def line_by_line(sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str]) -> list[Example]:
    """One example per line, with one reference: how translations are scored."""
    _check(sources, hypotheses, references)
    return [
        Example(source, hypothesis, (reference,))
        for source, hypothesis, reference in zip(sources, hypotheses, references, strict=True)
    ]


def source_by_source(sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str]) -> list[Example]:
    """One example per distinct source; lines that repeat a source add references to it.

    This is how pronunciations are scored: a word with three accepted pronunciations is on three lines and counts
    once. The output is that of the source's first line.
    """
    _check(sources, hypotheses, references)
    outputs: dict[str, str] = {}
    accepted: dict[str, dict[str, None]] = {}
    for source, hypothesis, reference in zip(sources, hypotheses, references, strict=True):
        outputs.setdefault(source, hypothesis)
        accepted.setdefault(source, {})[reference] = None
    return [Example(source, outputs[source], tuple(accepted[source])) for source in outputs]


def _check(sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str]) -> None:
    if not len(sources) == len(hypotheses) == len(references):
        raise InputError(
            f"sources, outputs and references must have the same number of lines, but have {len(sources)}, "
            f"{len(hypotheses)} and {len(references)}. Line n of each must belong to the same example."
        )
    if not sources:
        raise InputError("the text to score must have at least one line, but is empty. Give a file with text in it.")
