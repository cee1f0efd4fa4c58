"""The real training loop for minutes: a token store on disk, batches, journal, checkpoints; only the text is made.

Sentences have the lengths of `batches.py`; the wall clock counts, whatever the loop spends it on.
"""

import tempfile
from pathlib import Path

import numpy as np
import torch

from bench.gpu.workload import TOKENS, batches
from bench.quartiles import Quartiles
from bench.workload import Size

WINDOW = 10.0
"""Seconds over which tokens/s are taken."""
_SETTLING = 30.0
"""Seconds at the beginning that a window must not touch: compilation and first plans."""


def write_store(folder: Path, size: Size, count: int):
    """A token store of `count` batches' sentences, in random order."""
    from saccade.data.token_store import TokenStore

    made = batches(count, size.vocabulary, seed=1)
    pairs = [pair for batch in made for pair in zip(batch.sources, batch.targets, strict=True)]
    order = np.random.Generator(np.random.PCG64(2)).permutation(len(pairs))
    return TokenStore.build(folder, [pairs[index] for index in order], vocabulary=size.vocabulary)


def sustained(size: Size, minutes: float, device: str = "cuda", tokens: int = TOKENS, count: int = 200) -> dict:
    """Target tokens/s by windows of wall time, and over all of them."""
    from bench.adapters.saccade import build
    from saccade.data.batches import Batches
    from saccade.data.packed import PackedBatches
    from saccade.training.bookkeeping import Validation
    from saccade.training.config import TrainingConfig
    from saccade.training.distributed import World
    from saccade.training.loop import Run, train

    events = []
    config = TrainingConfig(
        steps=100_000,
        minutes=minutes,
        batch_tokens=tokens,
        label_smoothing=size.smoothing,
        validate_every=100_000,
    )
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        model = build(size, attention_dropout=0.0)
        run = Run(
            folder / "run",
            World(torch.device(device)),
            validate=lambda _model, step: Validation(loss=0.0, score=float(step)),
            listeners=(lambda event: events.append(event) if event["event"] == "step" else None,),
        )
        layout = PackedBatches if device == "cuda" else Batches
        result = train(model, layout([write_store(folder / "store", size, count)], tokens, seed=1), config, run)
    speeds = windows([(event["seconds"], event["tokens"]) for event in events])
    return {
        "minutes": minutes,
        "steps": result.progress.step,
        "first_step_s": events[0]["seconds"],
        "tokens_per_second": vars(Quartiles.of(speeds)) if speeds else None,
        "windows": speeds,
        "peak_gib": torch.cuda.max_memory_allocated() / 2**30 if device == "cuda" else None,
    }


def windows(steps: list[tuple[float, int]], settling: float = _SETTLING, window: float = WINDOW) -> list[float]:
    """Tokens/s of each window of wall time, from (seconds since the start, tokens) after each step."""
    speeds = []
    began, tokens = None, 0
    for seconds, new in steps:
        if began is None:
            began = seconds if seconds >= settling else None
            continue
        tokens += new
        if seconds - began >= window:
            speeds.append(tokens / (seconds - began))
            began, tokens = seconds, 0
    return speeds
