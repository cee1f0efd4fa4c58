"""How often protected spans are missing after the first search, what mends that, and what it takes.

    python -m bench.span_searches en-es newstest2012

translates a test set of $SACCADE_DATA/real-en-es/test with everything on, and counts its sentences by the step of
`serving/kept_spans.py` after which nothing was missing. Times are those of the processor, of all threads: the share of
the steps after the first search in the whole, and how much longer the search with required terms takes than the first
search of the same sentences by the fast engine.
"""

import argparse
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import saccade
from saccade.serving.kept_spans import Find, Outcome, SpanKeeper
from saccade.serving.source_lines import Line
from saccade.serving.translator import Translator


@dataclass
class Tally:
    """What was counted, in sentences, and the time of the steps, in seconds."""

    sentences: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class CountingKeeper(SpanKeeper):
    """A keeper of spans that counts what it does."""

    tally: Tally = field(default_factory=Tally)

    def keep(
        self, lines: Sequence[Line], outcomes: Sequence[Outcome], patterns: tuple[str, ...], find: Find
    ) -> tuple[list[Line], list[Outcome]]:
        """What it does, counted by the last search that a sentence was part of."""
        searches: list[list[Line]] = []

        def timed(some: list[Line]) -> list[Outcome]:
            searches.append(some)
            begun = time.process_time()
            found = find(some)
            self.tally.seconds["required" if some[0].input.terms else "stand-ins"] += time.process_time() - begun
            return found

        begun = time.process_time()
        kept, found = super().keep(lines, outcomes, patterns, timed)
        self.tally.seconds["all steps"] += time.process_time() - begun
        spans = [self.spans_of(line.source, patterns) for line in lines]
        missing = [bool(self._missing(*one)) for one in zip(lines, outcomes, spans, strict=True)]
        by_number = [{(line.number, line.source) for line in some} for some in searches if some[0].input.terms]
        required = set[tuple[int, str]]().union(*by_number)
        for place, lacks in enumerate(missing):
            whole = any(one.whole for one in kept[place].restored)
            self.tally.sentences["searched"] += 1
            self.tally.sentences["with spans"] += bool(spans[place])
            if lacks and not whole:
                self.tally.sentences[self._mended_by(lines[place], outcomes[place], found[place], required)] += 1
        again = [line for line in lines if (line.number, line.source) in required]
        if again:
            begun = time.process_time()
            find(again)
            self.tally.seconds["the same without terms"] += time.process_time() - begun
        return kept, found

    def _mended_by(self, line: Line, first: Outcome, last: Outcome, required: set[tuple[int, str]]) -> str:
        if (line.number, line.source) in required:
            return "searched with required terms"
        return "in another form" if first is last else "with stand-ins"


def counted(translator: Translator, sources: Sequence[str]) -> Tally:
    """Translates the sources; `everything` is the time of all of it."""
    lines, tally = translator._pipeline.lines, Tally()
    plain = lines._spans
    lines.__dict__["_spans"] = CountingKeeper(
        plain.source_tokenizer, plain.target_tokenizer, plain.forms, plain.maximum_length, plain.languages, tally
    )
    begun = time.process_time()
    translator.translate(sources, on_error="copy")
    tally.seconds["everything"] = time.process_time() - begun - tally.seconds["the same without terms"]
    lines.__dict__["_spans"] = plain
    return tally


def main() -> None:
    """Translates the set and prints the counts."""
    parser = argparse.ArgumentParser(description="Searches for protected spans.")
    parser.add_argument("model", help="a model folder, or the name of a shipped model")
    parser.add_argument("set", help="a test set of real-en-es")
    parser.add_argument("--lines", type=int, help="only the first ones")
    asked = parser.parse_args()
    path = Path(os.environ.get("SACCADE_DATA", ".")) / "real-en-es" / "test" / f"{asked.set}.en"
    sources = path.read_text(encoding="utf-8").split("\n")[: asked.lines]
    tally = counted(saccade.load(asked.model, engine="auto"), [source for source in sources if source])
    for what, count in tally.sentences.items():
        print(f"{what}: {count}")
    everything, steps = tally.seconds["everything"], tally.seconds["all steps"]
    print(f"CPU seconds: {everything:.1f}, of these after the first search {steps:.1f} ({steps / everything:.1%})")
    if required := tally.seconds["required"]:
        print(f"required terms: {required:.1f}, the same without: {tally.seconds['the same without terms']:.1f}")


if __name__ == "__main__":
    main()
