"""The command line: `python -m bench.noise`."""

import argparse
import json
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from bench.noise.rule import Difference, verdict
from bench.noise.run import RECIPE, Figures, measured_run
from bench.noise.variants import variants
from saccade.data.parallel_text import PairFiles, every_pair


def main() -> None:
    """Trains what is not trained yet, translates every test set with every model, and judges."""
    asked = _asked()
    corpus = Path(os.environ["SACCADE_DATA"]) / RECIPE
    pairs = list(every_pair(PairFiles(corpus / "test.en", corpus / "test.es")))[: asked.lines]
    sets = variants(pairs)
    runs = [(noise, seed) for seed in range(1, asked.seeds + 1) for noise in (0.0, *asked.levels)]
    measure = partial(measured_run, asked, sets)
    if asked.parallel == 1:
        measured = list(map(measure, runs))
    else:
        with ProcessPoolExecutor(asked.parallel, get_context("spawn")) as pool:
            measured = list(pool.map(measure, runs))
    found: dict[str, list[Figures]] = {str(noise): [] for noise in (0.0, *asked.levels)}
    for (noise, _), figures in zip(runs, measured, strict=True):
        found[str(noise)].append(figures)
    (asked.folder / "results.json").write_text(json.dumps(found, indent=1))
    without = found.pop(str(0.0))
    for noise, noisy in found.items():
        print(table(without, noisy, noise))


def table(without: list[Figures], noisy: list[Figures], noise: str) -> str:
    """A row for each figure, and its verdict."""
    rows = [f"| test set | without | with noise {noise} | difference | verdict |", "|---|---|---|---|---|"]
    for name in without[0]:
        before, after = ([figures[name] for figures in side] for side in (without, noisy))
        difference = Difference.of(after, before)
        change = f"{difference.mean:+.2f} ± {difference.standard_error:.2f}"
        rows.append(f"| {name} | {_listed(before)} | {_listed(after)} | {change} | {verdict(name, difference)} |")
    return "\n".join(rows)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What noise in training costs, and what it gives.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--folder", type=Path, required=True, help="where runs are kept, and results.json")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--parallel", type=int, default=1, help="runs side by side, each in a process of its own")
    parser.add_argument("--levels", type=float, nargs="+", default=[1.0], help="of noise, each beside none")
    parser.add_argument("--lines", type=int, help="of the test set; all by default")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change the recipe; to try it")
    found = parser.parse_args()
    if "SACCADE_DATA" not in os.environ:
        parser.error("SACCADE_DATA must name the folder of corpora")
    found.folder.mkdir(parents=True, exist_ok=True)
    return found


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.1f}" for value in values)


if __name__ == "__main__":
    main()
