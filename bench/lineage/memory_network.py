"""Sukhbaatar et al. 2015, section 5: looking several times lowers the perplexity of a memory network.

    python -m bench.lineage.memory_network [--seeds 5] [--steps 500] [--device cuda] [--parallel 1]

The English side of Multi30k as words; language models that differ in the number of their hops alone. All hops share
their weights, so more of them cost no parameters. The claim holds if 2 hops have a lower loss than 1, and 6 a lower one
than 2; beside it 30 against 1. The rule is in arms.py. SACCADE_DATA must name the folder of corpora.
"""

import tempfile
from pathlib import Path

from bench.lineage.arms import Arm, Figures, arguments_of, train_arms
from saccade.data.config import DataConfig
from saccade.data.prepare import prepare

DATA = {"task": "language-modelling", "corpus": "multi30k", "pieces": "word", "vocabulary": 1000}
HOPS = (1, 2, 6, 30)
SETTINGS = {"width": 64, "memory_size": 20}
TRAINING = {"batch_tokens": 1024, "learning_rate": 3e-3, "clip": 5.0, "warmup": 100}


def main() -> None:
    """Trains every number of hops with every seed."""
    asked = arguments_of(__doc__, steps=500).parse_args()
    arms = {f"hops: {hops}": Arm("memory-network", SETTINGS | {"hops": hops}, TRAINING) for hops in HOPS}
    with tempfile.TemporaryDirectory() as folder:
        data = prepare(DataConfig(**DATA), Path(folder) / "data")
        found = Figures("nats a word", train_arms(arms, data, asked))
    print(found.table())
    for more, fewer in ((2, 1), (6, 2), (30, 1)):
        print(found.lower(f"hops: {more}", f"hops: {fewer}"))


if __name__ == "__main__":
    main()
