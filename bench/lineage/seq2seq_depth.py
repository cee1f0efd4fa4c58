"""Sutskever et al. 2014, section 3.4: each further layer lowers perplexity, by nearly a tenth in the paper.

    python -m bench.lineage.seq2seq_depth [--seeds 5] [--steps 2000] [--device cuda] [--parallel 1]

Short captions of Multi30k, German to English, one to four layers of one width. The rule is in arms.py. SACCADE_DATA
must name the folder of corpora.
"""

import tempfile
from pathlib import Path

from bench.lineage.arms import Arm, Figures, arguments_of, train_arms
from bench.lineage.captions import captions

LAYERS = range(1, 5)
SETTINGS = {"width": 128, "dropout": 0.2, "reverse_source": True}
TRAINING = {"batch_tokens": 2048, "learning_rate": 3e-3, "clip": 5.0}


def main() -> None:
    """Trains every depth with every seed."""
    asked = arguments_of(__doc__, steps=2000).parse_args()
    arms = {f"depth {layers}": Arm("seq2seq", SETTINGS | {"layers": layers}, TRAINING) for layers in LAYERS}
    with tempfile.TemporaryDirectory() as folder:
        data = captions(Path(folder), words=1000, longest=15)
        found = Figures("nats a token", train_arms(arms, data, asked))
    print(found.table())
    for layers in LAYERS[1:]:
        print(found.lower(f"depth {layers}", f"depth {layers - 1}"))


if __name__ == "__main__":
    main()
