"""One test set in several dresses; nothing here is shared with the noise that is trained on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

Pairs = Sequence[tuple[str, str]]

# Real in form, and of other words than those that noise in training is made of.
KEPT = (
    "https://example.org/docs/intro.html",
    "www.weather-report.ca/today?city=Quito",
    "press.office@example.com",
    "4,715.80",
    "$1,299.99",
    "37%",
    "2031-11-07",
    "16:45",
    "{user_name}",
    "%d",
    "${total}",
    "@museum_prado",
    "🎈",
    "北京",
    "Москва",
)
_WORD = re.compile(r"[a-z]{5,}")


@dataclass(frozen=True)
class Variant:
    """Sources and references; where `kept` is given, what must stand in each output."""

    name: str
    sources: list[str]
    references: list[str]
    kept: list[str] | None = None


def variants(pairs: Pairs) -> list[Variant]:
    """All of them, from clean pairs."""
    return [
        _of("clean", pairs),
        _of("capitals", [(source.upper(), target.upper()) for source, target in pairs]),
        _of("lower case", [(source.lower(), target) for source, target in pairs]),
        _of("typing errors", [(_with_typo(source), target) for source, target in pairs]),
        _of("no full stop", [_without_full_stop(*pair) for pair in pairs]),
        _of("three in a row", _in_threes(pairs)),
        _with_things(pairs),
    ]


def _of(name: str, pairs: Pairs) -> Variant:
    return Variant(name, [source for source, _ in pairs], [target for _, target in pairs])


def _with_typo(source: str) -> str:
    """Two letters in the middle of the longest word that is no name are swapped."""
    words = [found.span() for found in _WORD.finditer(source)]
    if not words:
        return source
    start, end = max(words, key=lambda span: span[1] - span[0])
    middle = (start + end) // 2
    return source[: middle - 1] + source[middle] + source[middle - 1] + source[middle + 1 :]


def _without_full_stop(source: str, target: str) -> tuple[str, str]:
    if source.endswith(".") and target.endswith(".") and not source.endswith(".."):
        return source[:-1], target[:-1]
    return source, target


def _in_threes(pairs: Pairs) -> Pairs:
    rows = [pairs[start : start + 3] for start in range(0, len(pairs), 3)]
    return [(" ".join(source for source, _ in row), " ".join(target for _, target in row)) for row in rows]


def _with_things(pairs: Pairs) -> Variant:
    """Something to keep at the end of each sentence, before its full stop where it has one."""
    kept = [KEPT[number % len(KEPT)] for number in range(len(pairs))]
    placed = [tuple(_with_thing(side, thing) for side in pair) for pair, thing in zip(pairs, kept, strict=True)]
    return Variant("with something to keep", [pair[0] for pair in placed], [pair[1] for pair in placed], kept)


def _with_thing(text: str, thing: str) -> str:
    return f"{text[:-1]} ({thing})." if text.endswith(".") else f"{text} ({thing})"
