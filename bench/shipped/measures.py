"""From a model to figures, measure by measure."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sacrebleu.metrics.bleu import BLEU

from bench.hard_lines.scoring import hard_lines, scores
from bench.machine import description
from bench.noise.variants import variants
from bench.shipped.bars import (
    BLEU_BARS,
    LARGEST,
    LEAST_KEPT,
    LEAST_WORDS_PER_SECOND,
    MOST_LOST_TO_CASE,
    Figure,
)
from bench.shipped.kept_things import KINDS, carried, lost_things, made_lines
from bench.shipped.paragraphs import lost_lines, paragraphs
from bench.shipped.speed import words_per_second
from bench.shipped.test_sets import Pairs, read_set, stems
from saccade.quality.lengths import LengthBounds
from saccade.serving.translator import Translator

CASE_LINES, MADE_LINES, PARAGRAPHS, SPEED_LINES = 1_000, 1_000, 500, 500


@dataclass(frozen=True)
class Measured:
    """A model that is measured: its folder, its translator, the corpora, and how many lines at most."""

    folder: Path
    translator: Translator
    data: Path
    lines: int | None = None

    @property
    def languages(self) -> tuple[str, str]:
        """What it reads and writes."""
        bundle = self.translator.bundle
        assert bundle.source_language is not None
        assert bundle.target_language is not None
        return bundle.source_language, bundle.target_language

    def pairs(self, name: str, lines: int | None = None) -> Pairs:
        """The lines of a set that are asked for."""
        limits = [limit for limit in (lines, self.lines) if limit is not None]
        return read_set(self.data, name, self.languages, min(limits, default=None))

    def translated(self, sources: list[str]) -> list[str]:
        """Through the path of a text; what cannot be translated is copied."""
        return self.translator.translate(sources, on_error="copy")

    def part(self, count: int, whole: int | None = None) -> str:
        """What to say where not everything was measured."""
        cut = self.lines is not None and (whole is None or count < whole)
        return f"the first {count:,}" if cut else ""

    def bleu(self) -> Iterator[Figure]:
        """Of every test set."""
        bars = BLEU_BARS.get(self.languages, {})
        for name in stems(self.languages):
            pairs = self.pairs(name)
            score = _bleu(self.translated([source for source, _ in pairs]), [reference for _, reference in pairs])
            yield Figure("bleu", name, score, "BLEU", at_least=bars.get(name), part=self.part(len(pairs)))

    def case(self) -> Iterator[Figure]:
        """What capitals and lower case cost, in news and in everyday sentences."""
        names = list(stems(self.languages))
        for name in (names[0], "tatoeba-test"):
            pairs = self.pairs(name, CASE_LINES)
            dressed = {one.name: one for one in variants(pairs) if one.name in ("clean", "capitals", "lower case")}
            outputs = {kind: self.translated(one.sources) for kind, one in dressed.items()}
            found = {kind: _bleu(outputs[kind], one.references) for kind, one in dressed.items()}
            part = f"the first {len(pairs):,}"
            for kind in ("capitals", "lower case"):
                cost = found["clean"] - found[kind]
                yield Figure("case", f"{name}, {kind}", cost, "BLEU lost", at_most=MOST_LOST_TO_CASE, part=part)
            without = [
                BLEU(lowercase=True).corpus_score(outputs[kind], [dressed[kind].references]).score
                for kind in ("clean", "lower case")
            ]
            yield Figure(
                "case", f"{name}, lower case read without case", without[0] - without[1], "BLEU lost", part=part
            )

    def kept(self) -> Iterator[Figure]:
        """Of lines that carry something, the share that keeps all of it; all kinds together, and each."""
        lines = made_lines(min(MADE_LINES, self.lines or MADE_LINES), language=self.languages[0])
        lost = [lost_things(*pair) for pair in zip(lines, self.translated(lines), strict=True)]
        part = self.part(len(lines), MADE_LINES)
        whole = 100 * sum(not one for one in lost) / len(lines)
        yield Figure("kept", "lines with all they carry", whole, "%", at_least=LEAST_KEPT, part=part)
        for kind in KINDS:
            own = [kind not in one for line, one in zip(lines, lost, strict=True) if kind in carried(line)]
            if own:
                share = 100 * sum(own) / len(own)
                yield Figure("kept", f"{kind}, {len(own)} lines", share, "%", at_least=LEAST_KEPT, part=part)

    def paragraphs(self) -> Iterator[Figure]:
        """Sentences lost, in paragraphs of news and of everyday sentences."""
        count = min(PARAGRAPHS, self.lines or PARAGRAPHS)
        names = list(stems(self.languages))
        made = [
            one
            for name in (names[0], "tatoeba-test")
            for one in paragraphs([source for source, _ in read_set(self.data, name, self.languages, None)], count // 2)
        ]
        found = self.translator.translate_batch([" ".join(lines) for lines in made], on_error="copy")
        lost = [lost_lines(lines, one, LengthBounds()) for lines, one in zip(made, found, strict=True)]
        for lines, one, own in zip(made, found, lost, strict=True):
            for line in own:
                print(f"lost: {line}\n  in: {' '.join(lines)}\n  of: {one.text}", file=sys.stderr)
        name = f"sentences of {len(made)} paragraphs"
        yield Figure("paragraphs", name, sum(map(len, lost)), "lost", at_most=0, part=self.part(len(made), PARAGRAPHS))

    def hard(self) -> Iterator[Figure]:
        """The hard lines, which are English with Spanish references."""
        if self.languages != ("en", "es"):
            return
        lines = hard_lines()
        for row in scores(lines, self.translated([line.source for line in lines])):
            yield Figure("hard", f"{row.phenomenon}, {row.whole} of {row.lines} whole", row.chrf, "chrF")

    def speed(self) -> Iterator[Figure]:
        """One core, the engine auto, the first set."""
        name = next(iter(stems(self.languages)))
        count = min(SPEED_LINES, self.lines or SPEED_LINES)
        stem = self.data / stems(self.languages)[name]
        found = words_per_second(str(self.folder), stem.with_name(f"{stem.name}.{self.languages[0]}"), count)
        where = f"{found['engine']}; {description()}; {float(found['clock']):,.0f} by the clock"
        value = float(found["cpu"])
        yield Figure("speed", name, value, "words/s", at_least=LEAST_WORDS_PER_SECOND, part=where)
        yield Figure("speed", f"{name}, no span protected, nothing repaired", float(found["search alone"]), "words/s")

    def size(self) -> Iterator[Figure]:
        """All files of the folder."""
        total = sum(path.stat().st_size for path in self.folder.iterdir() if path.is_file())
        yield Figure("size", "the folder", total, "bytes", at_most=LARGEST)


MEASURES = ("size", "speed", "kept", "paragraphs", "hard", "case", "bleu")


def _bleu(outputs: list[str], references: list[str]) -> float:
    return float(BLEU().corpus_score(outputs, [references]).score)
