"""Runs where supar is installed: learns from a file of trees, then parses the sentences of another.

    PYTHON -m bench.supar_worker TRAIN DEVELOPMENT SENTENCES OUTPUT LEARNING

The files have a bracketed tree on each line, and LEARNING is a `Learning` as JSON. Of SENTENCES supar uses the words
alone: its features are words and letters, and the tags and brackets of that file are whatever `bench.parsing_peer`
wrote there. Nothing is downloaded: no vectors of words, no tokenizer.
"""

import json
import math
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# supar 1.1.4 loads its own checkpoint with pickled classes, which torch refuses since 2.6 unless told otherwise.
os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"


@dataclass(frozen=True)
class Learning:
    """What supar learns with, and for how long: it stops after `epochs`, or the first that ends after `minutes`."""

    size: str = "small"
    epochs: int = 2
    minutes: float = math.inf
    device: str = "cpu"
    seed: int = 1


@dataclass(frozen=True)
class Size:
    """What a model changes of supar's own sizes, the words of a batch, and how the rate falls.

    It falls to `decay` in every `decay_steps` updates; None stands for all updates there are.
    """

    model: Mapping[str, Any]
    batch_size: int
    decay: float
    decay_steps: int | None = None


SIZES = {
    # A quarter of supar's width and two of its three layers: one core, half an hour. The rate falls to a tenth in the
    # end, because there are a thousand updates here and not a hundred thousand.
    "small": Size(
        {
            **{"n_lstm_hidden": 100, "n_lstm_layers": 2, "n_span_mlp": 100, "n_label_mlp": 50},
            **{"n_char_hidden": 50, "n_feat_embed": 50},
        },
        batch_size=1000,
        decay=0.1,
    ),
    # As its authors have it, for a GPU. What differs from them: they stop when a hundred epochs have brought nothing
    # better, begin with pretrained vectors of words, and judge an epoch by the whole development part. The rate has
    # hardly fallen when a training ends after a thousand updates.
    "usual": Size({}, batch_size=5000, decay=0.75, decay_steps=5000),
}
OPTIMISER = {"lr": 2e-3, "mu": 0.9, "nu": 0.9, "eps": 1e-12, "weight_decay": 0, "clip": 5.0}
"""Adam with the rate and the moments of supar's authors."""


class TimeOver(Exception):
    """The minutes are over; the best epoch so far is in the file of the model."""


def limit(parser: Any, minutes: float) -> None:
    """Lets it begin no epoch but the first once that many minutes have passed, and says when each one begins.

    supar itself ends early only where the score stands still, and its log has a line for every batch.
    """
    began, learn = time.perf_counter(), parser._train

    def epoch(loader: Any) -> None:
        passed, best = time.perf_counter() - began, f"best {parser.best_metric.score:.2%} in epoch {parser.best_e}"
        print(f"{passed:.0f} s: {parser.epoch - 1} epochs, {best}", file=sys.stderr, flush=True)
        if parser.epoch > 1 and passed > 60 * minutes:
            raise TimeOver
        learn(loader)

    parser._train = epoch


@contextmanager
def clocked(what: str) -> Iterator[dict[str, float]]:
    """The seconds that something takes, by the wall and by the processor."""
    wall, cpu, taken = time.perf_counter(), time.process_time(), dict[str, float]()
    yield taken
    taken |= {f"{what}_s": time.perf_counter() - wall, f"{what}_cpu_s": time.process_time() - cpu}


def main(train: str, development: str, sentences: str, output: str, asked: str) -> None:
    """Prints what was learned in how long, as one JSON object."""
    learning = Learning(**json.loads(asked))
    if learning.device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""  # supar takes a GPU wherever it sees one
    import supar
    import torch

    if learning.device == "cuda" and not torch.cuda.is_available():
        sys.exit(f"`device` must be one that torch {torch.__version__} finds here, but is 'cuda'.")
    size, model = SIZES[learning.size], str(Path(output).with_suffix(".model"))
    torch.manual_seed(learning.seed)
    parser = supar.CRFConstituencyParser.build(
        **{"path": model, "train": train, "encoder": "lstm", "feat": ["char"], "embed": None, "unk": "unk"},
        **{"build": True, **size.model},
    )
    words = len(re.findall(r"[^ ()]\)", Path(train).read_text(encoding="utf-8")))
    updates = learning.epochs * max(words // size.batch_size, 1)
    limit(parser, learning.minutes)
    with clocked("training") as training, suppress(TimeOver):
        parser.train(
            **{"train": train, "dev": development, "test": development, "epochs": learning.epochs},
            **{"batch_size": size.batch_size, "decay": size.decay, "decay_steps": size.decay_steps or updates},
            **{"verbose": False, "checkpoint": False, **OPTIMISER},
        )
    with clocked("parsing") as parsing:
        best = supar.Parser.load(model)
        best.predict(sentences, pred=output, verbose=False, batch_size=size.batch_size)
    learned = {
        **{"version": supar.__version__, "torch": torch.__version__},
        "gpu": torch.cuda.get_device_name() if learning.device == "cuda" else None,
        "parameters": sum(one.numel() for one in best.model.parameters()),
        **{"size": learning.size, "device": learning.device, "seed": learning.seed},
        **{"epochs": parser.epoch - 1, "best_epoch": parser.best_e, "development_f1": 100 * parser.best_metric.score},
    }
    print(json.dumps({**learned, **training, **parsing}))


if __name__ == "__main__":
    main(*sys.argv[1:])
