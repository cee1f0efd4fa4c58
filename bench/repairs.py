"""Whether repairs help: the same lines with and without them, against references.

    python -m bench.repairs en-es --lines 1000 newstest2009 newstest2010 tatoeba-test --out repairs.json

The lines are the first of test sets below $SACCADE_DATA (real-en-es/test, and tatoeba-en-es/test as `tatoeba-test`).
All are translated without repairs; those in which a fault is seen, again with them. A line that was not flagged comes
out the same, so only the others are compared: the difference of sentence chrF, with repair less without, line by line.
A line of which the model was unsure, and no more, comes out the same too: nothing is searched again for that.

The rule, fixed before the first run. A kind of fault is repaired by default only if the lines that changed because of
it gained chrF, on average by more than three standard errors of that average; there must be at least 20 of them. A kind
that lost, or for which this is undecided, is told and not repaired. And the searches for repairs may take at most 5 %
of the time of translating all lines; where they take more, they are made on request only.
"""

import argparse
import json
import math
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

import saccade
from saccade.quality.faults import SEEN
from saccade.serving.translation import Translation
from saccade.serving.translation_options import Repair
from saccade.serving.translator import Translator

FEWEST = 20


@dataclass(frozen=True)
class Changed:
    """A line that came out differently: which kinds of faults were repaired, and chrF without and with repair."""

    kinds: tuple[str, ...]
    first: float
    repaired: float
    source: str
    outputs: tuple[str, str]

    @property
    def gain(self) -> float:
        return self.repaired - self.first


@dataclass(frozen=True)
class Seconds:
    """Of translating all lines, and of the flagged ones again, without repairs and with them."""

    all: float
    flagged: float
    repaired: float

    @property
    def share(self) -> float:
        """What repairs add to the whole."""
        return (self.repaired - self.flagged) / self.all


def read_pairs(name: str, lines: int) -> list[tuple[str, str]]:
    """The first lines of a test set."""
    data = Path(os.environ.get("SACCADE_DATA", "."))
    stem = data / "tatoeba-en-es" / "test" if name == "tatoeba-test" else data / "real-en-es" / "test" / name
    sides = [Path(f"{stem}.{side}").read_text(encoding="utf-8").split("\n")[:lines] for side in ("en", "es")]
    return [pair for pair in zip(*sides, strict=True) if all(pair)]


def compare(translator: Translator, pairs: Sequence[tuple[str, str]]) -> tuple[list[Changed], Seconds, str]:
    """The lines that changed, the time it took, and a line of text about the whole."""
    sources, references = [source for source, _ in pairs], [reference for _, reference in pairs]
    plain, all_seconds = _timed(translator, sources, repair=False)
    places = [place for place, one in enumerate(plain) if any(fault.kind in SEEN for fault in one.faults or ())]
    flagged = [sources[place] for place in places]
    _, flagged_seconds = _timed(translator, flagged, repair=False)
    mended, repaired_seconds = _timed(translator, flagged, repair="all")
    chrf = CHRF()
    changed, outputs = [], [one.text for one in plain]
    for place, one in zip(places, mended, strict=True):
        if one.repaired:
            before, after = (
                chrf.sentence_score(text, [references[place]]).score for text in (plain[place].text, one.text)
            )
            kinds = tuple(sorted({fault.kind for fault in one.repaired}))
            changed.append(Changed(kinds, before, after, sources[place], (plain[place].text, one.text)))
            outputs[place] = one.text
    scores = [
        (BLEU().corpus_score(texts, [references]).score, chrf.corpus_score(texts, [references]).score)
        for texts in ([one.text for one in plain], outputs)
    ]
    (bleu, near), (bleu_after, near_after) = scores
    text = (
        f"{len(pairs)} lines, {len(places)} flagged, {len(changed)} repaired; "
        f"BLEU {bleu:.2f} -> {bleu_after:.2f}, chrF {near:.2f} -> {near_after:.2f}"
    )
    return changed, Seconds(all_seconds, flagged_seconds, repaired_seconds), text


def _timed(translator: Translator, sources: Sequence[str], *, repair: Repair) -> tuple[list[Translation], float]:
    begun = time.process_time()  # of all threads: others use this machine too
    found = translator.translate_batch(sources, repair=repair, on_error="copy")
    return found, time.process_time() - begun


def verdict(gains: Sequence[float]) -> str:
    """The mean gain with its standard error, and what the rule says of it."""
    count = len(gains)
    if count < 2:
        return f"{count} lines: undecided"
    mean = math.fsum(gains) / count
    error = math.sqrt(math.fsum((gain - mean) ** 2 for gain in gains) / (count - 1) / count)
    direction = "helps" if mean > 0 else "harms"
    result = "undecided" if count < FEWEST or abs(mean) <= 3 * error else direction
    return f"{count} lines: chrF {mean:+.2f}, standard error {error:.2f}: {result}"


def main() -> None:
    """Translates the sets and prints what the rule says of each kind of fault."""
    parser = argparse.ArgumentParser(description="Repairs of outputs, against references.")
    parser.add_argument("model", help="a model folder, or the name of a shipped model")
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    translator = saccade.load(asked.model, engine=asked.engine)
    changed: list[Changed] = []
    for name in asked.sets:
        found, seconds, text = compare(translator, read_pairs(name, asked.lines))
        changed += found
        print(f"{name}: {text}; CPU seconds {seconds.all:.0f}, repairs add {seconds.share:.1%}", flush=True)
        if asked.out:
            asked.out.write_text(json.dumps([asdict(one) for one in changed], ensure_ascii=False), encoding="utf-8")
    print(f"all: {verdict([one.gain for one in changed])}")
    for kind in SEEN:
        print(f"{kind}: {verdict([one.gain for one in changed if kind in one.kinds])}")
        print(f"{kind} alone: {verdict([one.gain for one in changed if one.kinds == (kind,)])}")


if __name__ == "__main__":
    main()
