"""The command line: `python -m bench.shipped MODEL`."""

import argparse
import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path

import sacrebleu

import saccade
from bench.shipped.bars import HEADER, Figure
from bench.shipped.measures import MEASURES, Measured
from bench.shipped.test_sets import stems
from saccade.serving.model_names import model_folder


def main() -> int:
    """Measures, prints each figure as it is known, and ends with how many bars are held; 1 if one is missed."""
    asked = _asked()
    translator = saccade.load(asked.model, device=asked.device, engine=asked.engine)
    measured = Measured(model_folder(asked.model), translator, asked.data, asked.lines)
    if not stems(measured.languages):
        sys.exit(f"there are no test sets between {' and '.join(measured.languages)}")
    print(f"{translator!r}\nbeam {translator.search.size}; BLEU by sacrebleu {sacrebleu.__version__}\n\n{HEADER}")
    found: list[Figure] = []
    for name in asked.only:
        begun = time.perf_counter()
        for figure in getattr(measured, name)():
            print(figure.row, flush=True)
            found.append(figure)
            if asked.out:
                rows = [{**asdict(one), "verdict": one.verdict} for one in found]
                asked.out.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        print(f"{name}: {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    judged = [one.verdict for one in found if one.verdict != "reported"]
    missed = [f"{one.measure} {one.name}" for one in found if one.verdict == "missed"]
    print(f"\n{judged.count('held')} of {len(judged)} bars held" + (f"; missed: {'; '.join(missed)}" if missed else ""))
    return 1 if missed else 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What a shipped model must hold.")
    parser.add_argument("model", help="a model folder, or the name of a shipped model")
    parser.add_argument("--data", type=Path, default=os.environ.get("SACCADE_DATA"), help="$SACCADE_DATA by default")
    parser.add_argument("--only", type=lambda given: given.split(","), default=list(MEASURES), help="with commas")
    parser.add_argument("--lines", type=int, help="at most, of each set; to try it")
    parser.add_argument("--device", help="of everything but speed")
    parser.add_argument("--engine", default="auto", help="the same")
    parser.add_argument("--out", type=Path, help="a JSON file")
    found = parser.parse_args()
    if found.data is None:
        parser.error("SACCADE_DATA must name the folder of corpora, or --data")
    if unknown := [one for one in found.only if one not in MEASURES]:
        parser.error(f"--only must be of {', '.join(MEASURES)}, but has {', '.join(unknown)}")
    return found


if __name__ == "__main__":
    sys.exit(main())
