"""What the beam and the length penalty are worth in one finished model, beside the paper's own: beam 4, alpha 0.6.

    python -m bench.search_settings [MODEL] [--set newstest2012] [--lines 400] [--threads 1]

MODEL is en-es unless another is named; the sets are those of `bench.shipped`, below $SACCADE_DATA, and the lines are
taken from all over a set. Every beam and every length penalty that `saccade compare --table3` tries is tried, the other
being the paper's. Each difference of BLEU from the paper's search has its standard error, by drawing the same sentences
for both (paired bootstrap, Koehn 2004): how much it would vary with other sentences. How much it would vary with other
models, one model cannot say.

A setting is better, or worse, if it differs by more than three standard errors and by more than 0.3; it is level if the
difference and three standard errors together are less than 0.3; else it is undecided.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from bench.shipped.measures import Measured
from bench.shipped.test_sets import Pairs
from saccade.claims.transformer.t41_other_waves import score, standard_error, statistics
from saccade.comparison.search_settings import ALPHAS, BEAMS
from saccade.serving.loading import load
from saccade.serving.translator import Translator

BEAM, ALPHA = 4, 0.6
LEAST, ERRORS = 0.3, 3
SEED = 1
"""Of the sentences that are drawn."""
REFERENCE_LENGTH, LENGTH = -1, -2
"""Where BLEU's counts have them."""


@dataclass(frozen=True)
class Setting:
    """A search that differs from the paper's in one thing."""

    beam: int = BEAM
    alpha: float = ALPHA

    def __str__(self) -> str:
        return f"beam {self.beam}, alpha {self.alpha}"


def settings() -> Iterator[Setting]:
    """The paper's own first."""
    yield Setting()
    yield from (Setting(beam=size) for size in BEAMS if size != BEAM)
    yield from (Setting(alpha=alpha) for alpha in ALPHAS if alpha != ALPHA)


def spread_out(pairs: Pairs, lines: int) -> Pairs:
    """So many pairs from all over a set: one document is harder than another, and documents lie together."""
    wanted = min(lines, len(pairs))
    return [pairs[place * len(pairs) // wanted] for place in range(wanted)]


def verdict(difference: float, error: float) -> str:
    """The rule above."""
    if abs(difference) > max(LEAST, ERRORS * error):
        return "better" if difference > 0 else "worse"
    return "level" if abs(difference) + ERRORS * error < LEAST else "undecided"


def row(setting: Setting, counted: np.ndarray, papers: np.ndarray) -> str:
    """BLEU of a setting, its difference from the paper's, and how long its outputs are beside the references."""
    totals = counted.sum(axis=0)
    shown = f"| {setting} | {score(totals):.2f} | {totals[LENGTH] / totals[REFERENCE_LENGTH]:.3f} |"
    if setting == Setting():
        return f"{shown} | |"
    difference, error = score(totals) - score(papers.sum(axis=0)), standard_error(counted, papers, SEED)
    return f"{shown} {difference:+.2f} ± {error:.2f} | {verdict(difference, error)} |"


def translated(model: Translator, sources: list[str], setting: Setting) -> list[str]:
    """Line by line as they are, and nothing but the search."""
    return model.translate(
        sources, beam=setting.beam, alpha=setting.alpha, split_sentences=False, protect=False, repair=False
    )


def main() -> None:
    """Tries every setting, and says what came of each as it is done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default="en-es")
    parser.add_argument("--set", default="newstest2012", help="which test set")
    parser.add_argument("--lines", type=int, default=400, help="how many lines of it, spread over all of it")
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    if "SACCADE_DATA" not in os.environ:
        parser.error("SACCADE_DATA must name the folder of corpora")
    torch.set_num_threads(asked.threads)
    model = load(asked.model, device="cpu")
    pairs = spread_out(
        Measured(Path(asked.model), model, Path(os.environ["SACCADE_DATA"])).pairs(asked.set), asked.lines
    )
    sources, references = ([pair[side] for pair in pairs] for side in (0, 1))
    print(f"{asked.model}, {len(pairs)} lines of {asked.set}", file=sys.stderr)
    print("| search | BLEU | length | difference | |\n|---|---|---|---|---|", flush=True)
    papers = np.empty(0)
    for setting in settings():
        counted = statistics(translated(model, sources, setting), references)
        papers = papers if papers.size else counted
        print(row(setting, counted, papers), flush=True)


if __name__ == "__main__":
    main()
