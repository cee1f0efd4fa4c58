"""Runs in the environment of supar: learns from a file of trees, then parses the sentences of another.

    ENVIRONMENT/bin/python -m bench.supar_worker TRAIN DEVELOPMENT SENTENCES OUTPUT EPOCHS

The files have a bracketed tree on each line. Of SENTENCES supar uses the words alone: its features are words and
letters, and the tags and brackets of that file are whatever `bench.parsing_peer` wrote there.
"""

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

# supar 1.1.4 loads its own checkpoint with pickled classes, which torch refuses since 2.6 unless told otherwise.
os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"

MODEL: dict[str, Any] = {
    "feat": ["char"],
    "n_lstm_hidden": 100,
    "n_lstm_layers": 2,
    "n_span_mlp": 100,
    "n_label_mlp": 50,
    "n_char_hidden": 50,
    "n_feat_embed": 50,
}
"""A quarter of supar's width and two of its three layers: one core, half an hour."""
TRAINING: dict[str, Any] = {
    **{"lr": 2e-3, "mu": 0.9, "nu": 0.9, "eps": 1e-12, "weight_decay": 0, "clip": 5.0},
    **{"decay": 0.1, "batch_size": 1000},
}
"""supar's own rate, which falls to a tenth in the end: it has a thousand updates here and not a hundred thousand."""


def main(train: str, development: str, sentences: str, output: str, epochs: str) -> None:
    """Prints what was learned in how long, as one JSON object."""
    import supar
    import torch

    torch.manual_seed(1)
    parser = supar.CRFConstituencyParser.build(
        str(Path(output).with_suffix(".model")), train=train, encoder="lstm", embed=None, unk="unk", build=True, **MODEL
    )
    words = len(re.findall(r"[^ ()]\)", Path(train).read_text(encoding="utf-8")))
    steps = int(epochs) * max(words // TRAINING["batch_size"], 1)
    started = time.process_time()
    parser.train(
        **{"train": train, "dev": development, "test": development, "epochs": int(epochs), "verbose": False},
        **{"checkpoint": False, "decay_steps": steps, **TRAINING},
    )
    trained = time.process_time()
    best = supar.Parser.load(str(Path(output).with_suffix(".model")))
    best.predict(sentences, pred=output, verbose=False, batch_size=TRAINING["batch_size"])
    print(
        json.dumps(
            {
                "version": supar.__version__,
                "torch": torch.__version__,
                "parameters": sum(one.numel() for one in best.model.parameters()),
                "epochs": int(epochs),
                "training_cpu_s": trained - started,
                "parsing_cpu_s": time.process_time() - trained,
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
