"""Faults found by hand in 500 outputs, against those that `quality/` finds and `serving/repair.py` repairs.

    python -m bench.hard_lines.faults en-es

One reader has read the outputs of the shipped model (beam 2, computed by torch in float32) for the 300 hard
lines and for 200 lines of test sets (not shipped: $SACCADE_DATA/real-en-es/test has them), before seeing what any check
says of them, and wrote down:

    loop              words, a phrase or syllables repeated, which the source does not repeat
    wrong_language    most of the output is no text of the target language
    number_dropped    a number in digits that is missing or altered
    number_invented   a number that the source does not have, or not as often
    name_dropped      a name that is missing, distorted or translated where it should not be
    name_invented     a name that the source does not have
    too_short         a clause, or three content words and more, left out
    too_long          the same, added
    copy              a word or more left in the source language
    casing            capitals lost, or where none should be
    meaning           anything else that says something else than the source, or nothing at all

Style, agreement and missing articles were not written down. No check looks for `casing` and `meaning`; an output that
the model was unsure of (`quality/certainty.py`) may have any fault, so it is compared with all of them.

The 200 lines were chosen by a rule before they were translated: of the lines with a digit and at least two names (by
`quality/names.py`) that had not been read for an earlier model, every n-th, so that 80 are of newstest2011 and 40 each
of newstest2009, ud-pud and MT-GenEval (which has every sentence for a woman and for a man).

An output that has changed since is not counted: another model needs another reading.

The rule, fixed before the first run. The checks are trusted (`saccade translate` searches again by default) if of the
lines with a fault by hand at least half are flagged or repaired, and of the lines without any at most one in ten is
flagged; each by more than three standard errors. A kind of fault by itself is only reported.
"""

import argparse
import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import saccade
from bench.hard_lines.scoring import hard_lines
from saccade.quality.certainty import certainty
from saccade.quality.faults import SEEN
from saccade.serving.translation import Translation
from saccade.serving.translation_options import Repair
from saccade.serving.translator import Translator

HALF, TENTH = 0.5, 0.1
REPAIRS: Mapping[str, Repair] = {"the usual repairs": True, "all repairs": "all"}
UNSEEN = ("casing", "meaning")
"""What no check looks for."""


@dataclass(frozen=True)
class Read:
    """A source, and the faults that a reader has found in its output."""

    source: str
    output: str | None
    digest: str | None
    faults: frozenset[str]

    def is_of(self, output: str) -> bool:
        """Whether this is the output that was read."""
        return output == self.output or hashlib.sha256(output.encode()).hexdigest()[:16] == self.digest


def readings() -> list[Read]:
    """All of them; those of texts that are not here are left out."""
    texts = {"hard-lines": [line.source for line in hard_lines()]}
    read = []
    for line in (Path(__file__).parent / "faults-en-es.jsonl").read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        if one["text"] not in texts:
            path = Path(os.environ.get("SACCADE_DATA", ".")) / "real-en-es" / "test" / f"{one['text']}.en"
            texts[one["text"]] = path.read_text(encoding="utf-8").split("\n") if path.is_file() else []
        if texts[one["text"]]:
            source = texts[one["text"]][one["line"] - 1]
            read.append(Read(source, one.get("output"), one.get("sha256"), frozenset(one["faults"])))
    return read


def kinds(translation: Translation) -> set[str]:
    """The kinds of faults that were found."""
    return {fault.kind for fault in translation.faults or ()}


def repaired(translation: Translation) -> set[str]:
    """The kinds of faults that were repaired."""
    return {fault.kind for fault in translation.repaired}


def repaired_again(translator: Translator, flagged: Sequence[Translation], repair: Repair) -> list[Translation]:
    """The translations with repairs; those without a fault come out as they are."""
    sources = [one.source for one in flagged if kinds(one).intersection(SEEN)]
    again = iter(translator.translate_batch(sources, on_error="copy", repair=repair))
    return [next(again) if kinds(one).intersection(SEEN) else one for one in flagged]


def verdict(share: float, count: int, bound: float, *, above: bool) -> str:
    """Whether a share is on the right side of its bound by three standard errors."""
    error = math.sqrt(max(share * (1 - share), 1e-9) / max(count, 1))
    distance = (share - bound) if above else (bound - share)
    if abs(distance) <= 3 * error:
        return "undecided"
    return "holds" if distance > 0 else "fails"


def report(read: Sequence[Read], flagged: Sequence[Translation], mended: Sequence[Translation]) -> str:
    """The table and the two verdicts."""
    rows = [
        "| fault | by hand | found | of these right | of those by hand found | repaired |",
        "|---|---|---|---|---|---|",
    ]
    for kind in SEEN:
        by_hand = [kind in one.faults for one in read]
        found = [kind in kinds(one) for one in flagged]
        both = sum(hand and seen for hand, seen in zip(by_hand, found, strict=True))
        gone = sum(kind in repaired(one) for one in mended)
        rows.append(f"| {kind} | {sum(by_hand)} | {sum(found)} | {both} | {_share(both, sum(by_hand))} | {gone} |")
    rows += [f"| {kind} | {sum(kind in one.faults for one in read)} | | | | |" for kind in UNSEEN]
    noticed = [bool(one.faults) for one in flagged]
    wrong = [bool(one.faults) for one in read]
    unsure = ["unsure" in kinds(one) for one in flagged]
    both = sum(hand and seen for hand, seen in zip(wrong, unsure, strict=True))
    rows.append(f"| any; unsure | {sum(wrong)} | {sum(unsure)} | {both} | {_share(both, sum(wrong))} | |")
    visible = [bool(one.faults.difference(UNSEEN)) for one in read]
    caught, seen = (
        sum(found and hand for found, hand in zip(noticed, of_hand, strict=True)) for of_hand in (wrong, visible)
    )
    false = sum(found and not hand for found, hand in zip(noticed, wrong, strict=True))
    in_text = [bool(kinds(one).intersection(SEEN)) for one in flagged]
    alone, false_alone = (
        sum(seen and hand is wanted for seen, hand in zip(in_text, wrong, strict=True)) for wanted in (True, False)
    )
    faulty, right = sum(wrong), len(wrong) - sum(wrong)
    better = sum(bool(one.repaired) and not kinds(one).intersection(SEEN) for one in mended)
    rows += [
        "",
        f"{faulty} lines have a fault by hand; {caught} of them are flagged ({_share(caught, faulty)}): "
        + verdict(caught / max(faulty, 1), faulty, HALF, above=True),
        f"{sum(visible)} have one of a kind that is looked for; {seen} of these are flagged "
        f"({_share(seen, sum(visible))})",
        f"{right} lines have none; {false} of them are flagged ({_share(false, right)}): "
        + verdict(false / max(right, 1), right, TENTH, above=False),
        f"Without `unsure` it would be {alone} ({_share(alone, faulty)}) and {false_alone} "
        f"({_share(false_alone, right)}).",
        f"{sum(bool(one.repaired) for one in mended)} lines were searched again and changed; {better} have no fault "
        "left that is seen.",
    ]
    return "\n".join(rows)


def separation(read: Sequence[Read], translations: Sequence[Translation]) -> str:
    """How well the confidence of a line, and its certainty, tell those with a fault by hand from the others."""
    known = [
        (translation.nbest[0].confidence.sentence, bool(one.faults))
        for one, translation in zip(read, translations, strict=True)
        if translation.nbest[0].confidence is not None
    ]
    wrong, right = ([sure for sure, is_wrong in known if is_wrong is wanted] for wanted in (True, False))
    if not wrong or not right:
        return "no line has a confidence, or all or none have a fault"
    certain = [
        [
            least_certain(translation)
            for one, translation in zip(read, translations, strict=True)
            if bool(one.faults) is own
        ]
        for own in (True, False)
    ]
    rows = [
        f"A line without a fault by hand has more confidence than one with a fault in {_above(right, wrong):.0%} of "
        f"the cases, and more certainty in {_above(certain[1], certain[0]):.0%}.",
        "",
        "| confidence below | of lines with a fault | of lines without |",
        "|---|---|---|",
    ]
    for bound in (0.5, 0.6, 0.7, 0.8):
        low = [_share(sum(sure < bound for sure in own), len(own)) for own in (wrong, right)]
        rows.append(f"| {bound} | {low[0]} | {low[1]} |")
    return "\n".join(rows)


def least_certain(translation: Translation) -> float:
    """The certainty of the sentence that the model is least certain of."""
    tokens = [one.nbest[0].token_log_probabilities for one in translation.pieces or (translation,)]
    return min((certainty(math.fsum(own), len(own)) for own in tokens if own), default=0.0)


def _above(right: Sequence[float], wrong: Sequence[float]) -> float:
    """In how many of all pairs the first has more than the second: the area under the curve."""
    return math.fsum((good > bad) + (good == bad) / 2 for good in right for bad in wrong) / len(wrong) / len(right)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else ""


def main() -> None:
    """Translates what was read, without repairs and with them, and prints the table."""
    parser = argparse.ArgumentParser(description="Faults found by hand, and by saccade.")
    parser.add_argument("model", help="a model folder, or the name of a shipped model")
    parser.add_argument("--device")
    asked = parser.parse_args()
    translator = saccade.load(asked.model, device=asked.device)
    read = readings()
    sources = [one.source for one in read]
    flagged = translator.translate_batch(sources, repair=False, on_error="copy", scores=True)
    same = [place for place, one in enumerate(read) if one.is_of(flagged[place].text)]
    print(f"{len(same)} of {len(read)} outputs are those that were read\n")
    read, flagged = [read[place] for place in same], [flagged[place] for place in same]
    for name, repair in REPAIRS.items():
        print(f"{name}:\n\n{report(read, flagged, repaired_again(translator, flagged, repair))}\n")
    print(separation(read, flagged))


if __name__ == "__main__":
    main()
