"""What a fresh process makes of saved folders: other tests of the same process can change the last digits of products.

python -m tests.compatibility.fresh_process score SAVED    # prints the scores and translations of every model as JSON
python -m tests.compatibility.fresh_process continue RUN   # continues an interrupted run, and prints its notes
python -m tests.compatibility.fresh_process continue-without-kernels RUN
"""

import json
import sys
from pathlib import Path

import torch

import saccade
from saccade.kernels import cpu_library
from saccade.training import config
from saccade.training.journal import Event


def score(saved: Path) -> dict:
    """Scores and translations of every model, for the pairs that made.json names."""
    made = json.loads((saved / "made.json").read_text(encoding="utf-8"))
    found = {}
    for name, expected in made["models"].items():
        model = saccade.load(saved / "models" / name, device="cpu")
        pairs = [tuple(pair) for pair in expected["pairs"]]
        # What the search finds: these models have hardly learned, and version 0.1.0 did not search again for faults.
        found[name] = {
            "scores": [list(scored.token_log_probabilities) for scored in model.score(pairs)],
            "translations": model.translate([source for source, _ in pairs], repair=False),
        }
    return found


def continue_run(run: str) -> None:
    """Continues it in the precision that it was begun in, where nothing multiplied bfloat16 fast."""
    config.fast_bfloat16_matmul = lambda: False
    saccade.train(None, out=run, device="cpu", listeners=(print_note,))


def print_note(event: Event) -> None:
    if event["event"] == "note":
        print(event["text"])


if __name__ == "__main__":
    torch.set_num_threads(1)  # as many as the folders were made with: sums over several are grouped otherwise
    match sys.argv[1:]:
        case ["score", saved]:
            print(json.dumps(score(Path(saved))))
        case ["continue", run]:
            continue_run(run)
        case ["continue-without-kernels", run]:
            cpu_library.load = lambda: None  # as where no C++ compiler was found
            continue_run(run)
