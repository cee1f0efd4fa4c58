"""Daniluk et al. 2017, section 5: beyond the last five outputs a longer window adds next to nothing.

    python -m bench.lineage.attention_window [--seeds 5] [--steps 2500] [--device cuda] [--parallel 1]

The English side of Multi30k as words; key-value-predict models that differ in their window alone. The claim holds if
windows of 10 and 15 are within two percent of the perplexity of 5, and that of 5 is below that of 1. The rule is in
arms.py. SACCADE_DATA must name the folder of corpora.
"""

import tempfile
from pathlib import Path

from bench.lineage.arms import Arm, Figures, arguments_of, train_arms
from bench.lineage.key_value_predict import COMMON, DATA
from saccade.data.config import DataConfig
from saccade.data.prepare import prepare

WINDOWS = (1, 2, 5, 10, 15)
SETTINGS = {**COMMON, "reads": "key-value-predict", "width": 64}
TRAINING = {"learning_rate": 3e-3, "clip": 5.0, "warmup": 100}
NEAR = 0.02


def main() -> None:
    """Trains every window with every seed."""
    asked = arguments_of(__doc__, steps=2500).parse_args()
    arms = {f"window {window}": Arm("key-value-predict", SETTINGS | {"window": window}, TRAINING) for window in WINDOWS}
    with tempfile.TemporaryDirectory() as folder:
        data = prepare(DataConfig(**DATA), Path(folder) / "data")
        found = Figures("nats a word", train_arms(arms, data, asked))
    print(found.table())
    print(found.lower("window 5", "window 1"))
    for window in WINDOWS[3:]:
        print(found.level(f"window {window}", "window 5", NEAR))


if __name__ == "__main__":
    main()
