"""What another parser reaches on the same trees: supar's CRF parser (Zhang et al. 2020), on one core or on a GPU.

    python -m bench.parsing_peer [--corpus craft-treebank] [--epochs 2] [--seed 1] [--out FOLDER]
    python -m bench.parsing_peer --device cuda --size usual --epochs 1000 --minutes 7 --python PYTHON

supar (https://github.com/yzhangcs/parser) gets the training part and every fourteenth tree of the development part, by
which it keeps its best epoch. Of the test part it gets the words alone, each under the tag XX, so that no tag of the
reference can help it. Its trees are scored by the labelled bracket F1 of `saccade evaluate`.

The two sizes, and how each is trained, stand in `bench.supar_worker`. supar runs in an environment made for it, or in
the interpreter named by --python, which must have it or find it on PYTHONPATH.
"""

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench.environments import ROOT, python_of
from bench.supar_worker import SIZES, Learning
from saccade.data.catalogue import find
from saccade.data.parallel_text import every_pair
from saccade.data.tasks import find_task
from saccade.data.trees import PLACEHOLDER, Tree
from saccade.evaluation.bracket_score import bracket_f1, complete_match, well_formed
from saccade.evaluation.examples import line_by_line
from saccade.evaluation.metric_score import MetricOptions, MetricScore

DEVELOPMENT = 14
"""Every so-manieth tree of the development part: an epoch should be judged sooner than it is trained."""
RESAMPLES = 1000


def without_brackets(words: str) -> str:
    """A flat tree over these words that says nothing of their tags."""
    own = words.split()
    return str(Tree.of([PLACEHOLDER] * len(own), own))


def score(words: Sequence[str], outputs: Sequence[str], references: Sequence[str]) -> list[MetricScore]:
    """Bracket F1, trees without a mistake and well-formed ones."""
    examples, options = line_by_line(words, outputs, references), MetricOptions(resamples=RESAMPLES)
    return [metric(examples, options) for metric in (bracket_f1, complete_match, well_formed)]


def trees(corpus: str, split: str) -> list[tuple[str, str]]:
    """Words and trees of one part."""
    return list(every_pair(find_task("parsing").part(find(corpus).splits[split])))


def measure(corpus: str, learning: Learning, folder: Path, python: str | None = None) -> dict[str, object]:
    """Trains supar, lets it parse the test part and scores that; `python` is an interpreter that has supar."""
    files = {name: folder / f"{name}.pid" for name in ("train", "development", "sentences", "parsed")}
    test = trees(corpus, "test")
    _write(files["train"], [tree for _, tree in trees(corpus, "train")])
    _write(files["development"], [tree for _, tree in trees(corpus, "valid")[::DEVELOPMENT]])
    _write(files["sentences"], [without_brackets(words) for words, _ in test])
    worker = [python or str(python_of("supar")), "-W", "ignore", "-m", "bench.supar_worker"]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    command = [*worker, *map(str, files.values()), json.dumps(asdict(learning))]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": path}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    outputs = files["parsed"].read_text(encoding="utf-8").splitlines()
    scores = score([words for words, _ in test], outputs, [tree for _, tree in test])
    return {"corpus": corpus, "supar": json.loads(done.stdout), "scores": [asdict(one) for one in scores]}


def _write(path: Path, lines: Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def main() -> None:
    """Prints the scores, and how long supar learned, as one JSON object."""
    parser = argparse.ArgumentParser(description="What supar's parser reaches on the same trees.")
    parser.add_argument("--corpus", default="craft-treebank")
    parser.add_argument("--size", choices=SIZES, default=Learning.size, help="usual: as supar's authors have it")
    parser.add_argument("--epochs", type=int, default=Learning.epochs)
    parser.add_argument("--minutes", type=float, default=Learning.minutes, help="begin no epoch after so many")
    parser.add_argument("--device", choices=("cpu", "cuda"), default=Learning.device)
    parser.add_argument("--seed", type=int, default=Learning.seed)
    parser.add_argument("--python", help="an interpreter that has supar, instead of an environment made for it")
    parser.add_argument("--out", type=Path, help="keep files, model and parsed trees here")
    asked = parser.parse_args()
    learning = Learning(asked.size, asked.epochs, asked.minutes, asked.device, asked.seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.out or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(json.dumps(measure(asked.corpus, learning, folder, asked.python), indent=2))


if __name__ == "__main__":
    main()
