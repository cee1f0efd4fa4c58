"""What was kept of each line, and how near the outputs are to the references, by phenomenon."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sacrebleu.metrics import CHRF


@dataclass(frozen=True)
class HardLine:
    """A source, what must come out of it unchanged, and one good translation."""

    phenomenon: str
    source: str
    keep: tuple[str, ...]
    reference: str


@dataclass(frozen=True)
class PhenomenonScore:
    """All lines of one phenomenon: how many there are, how many are whole, and chrF."""

    phenomenon: str
    lines: int
    whole: int
    chrf: float


def hard_lines() -> list[HardLine]:
    """All of them, in the order of the file."""
    text = (Path(__file__).parent / "en-es.jsonl").read_text(encoding="utf-8")
    return [HardLine(**{**json.loads(line), "keep": tuple(json.loads(line)["keep"])}) for line in text.splitlines()]


def lost(line: HardLine, output: str) -> list[str]:
    """What should have been kept and was not: named parts, line breaks, capitals, sentences."""
    found = [part for part in line.keep if output.count(part) < line.keep.count(part)]
    if output.count("\n") != line.source.count("\n"):
        found.append("line breaks")
    if line.source.isupper() and not output.isupper():
        found.append("capitals")
    if line.phenomenon == "paragraphs" and _ends(output) < _ends(line.reference):
        found.append("sentences")
    return found


def scores(lines: Sequence[HardLine], outputs: Sequence[str]) -> list[PhenomenonScore]:
    """A row for each phenomenon, and one for all."""
    pairs = list(zip(lines, outputs, strict=True))
    rows = [_row(name, [pair for pair in pairs if pair[0].phenomenon == name]) for name in _names(lines)]
    return [*rows, _row("all", pairs)]


def _row(name: str, pairs: Sequence[tuple[HardLine, str]]) -> PhenomenonScore:
    near = CHRF().corpus_score([output for _, output in pairs], [[line.reference for line, _ in pairs]]).score
    return PhenomenonScore(name, len(pairs), sum(not lost(*pair) for pair in pairs), near)


def _names(lines: Sequence[HardLine]) -> list[str]:
    return list(dict.fromkeys(line.phenomenon for line in lines))


def _ends(text: str) -> int:
    """How many sentences end in it, nearly: marks that end one, not those inside numbers and abbreviations."""
    words = text.split()
    return sum(word.rstrip("\"'»”)").endswith((".", "!", "?")) and len(word) > 3 for word in words)
