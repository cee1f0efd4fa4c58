"""The command line: `python -m bench.noise`."""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from sacrebleu.metrics import BLEU

import saccade
from bench.noise.rule import Difference, verdict
from bench.noise.variants import Variant, variants
from saccade.data.parallel_text import PairFiles, every_pair

RECIPE = "tatoeba-en-es"
Figures = dict[str, float]


def main() -> None:
    """Trains what is not trained yet, translates every test set with every model, and judges."""
    asked = _asked()
    corpus = Path(os.environ["SACCADE_DATA"]) / RECIPE
    pairs = list(every_pair(PairFiles(corpus / "test.en", corpus / "test.es")))[: asked.lines]
    sets = variants(pairs)
    found: dict[str, list[Figures]] = {str(noise): [] for noise in (0.0, *asked.levels)}
    for seed in range(1, asked.seeds + 1):
        for noise in (0.0, *asked.levels):
            model = _trained(asked, noise, seed)
            figures = _figures(model, sets, asked.device)
            print(f"noise {noise}, seed {seed}: {figures}", file=sys.stderr, flush=True)
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
    parser.add_argument("--levels", type=float, nargs="+", default=[1.0], help="of noise, each beside none")
    parser.add_argument("--lines", type=int, help="of the test set; all by default")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change the recipe; to try it")
    found = parser.parse_args()
    if "SACCADE_DATA" not in os.environ:
        parser.error("SACCADE_DATA must name the folder of corpora")
    found.folder.mkdir(parents=True, exist_ok=True)
    return found


def _trained(asked: argparse.Namespace, noise: float, seed: int) -> Path:
    """The model of one run; all seeds of a side read the same prepared data."""
    folder, shared = asked.folder / f"noise-{noise}-{seed}", asked.folder / f"data-{noise}"
    if shared.is_dir() and not folder.exists():
        folder.mkdir()
        shutil.copytree(shared, folder / "data")
    overrides = [f"data.noise={noise}", f"training.seed={seed}", *asked.set]
    result = saccade.train(RECIPE, folder, overrides=overrides, device=asked.device)
    assert not result.interrupted
    if not shared.is_dir():
        partial = shared.with_name(f"{shared.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        shutil.copytree(folder / "data", partial)
        partial.rename(shared)
    return folder / "model"


def _figures(model: Path, sets: Sequence[Variant], device: str) -> Figures:
    translator = saccade.load(model, device=device)
    figures: Figures = {}
    for one in sets:
        outputs = translator.translate(one.sources, split_sentences=False, truncate=True, on_error="copy")
        figures[one.name] = BLEU().corpus_score(outputs, [one.references]).score
        if one.kept is not None:
            kept = sum(thing in output for thing, output in zip(one.kept, outputs, strict=True))
            figures["kept, per cent"] = 100 * kept / len(outputs)
    return figures


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.1f}" for value in values)


if __name__ == "__main__":
    main()
