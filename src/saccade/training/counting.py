"""Training for models that count: one pass over the corpus in place of the training loop.

The counts are kept like any other weights: journal, validation, checkpoint. Nothing is saved on the way: a pass takes
minutes at most, and one that was interrupted starts again and counts the same.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

import torch

from saccade.data.batches import Batches, Position
from saccade.errors import RunError
from saccade.models.capabilities import CountingModel
from saccade.models.contract import Transducer
from saccade.training.bookkeeping import Bookkeeper
from saccade.training.config import TrainingConfig
from saccade.training.eager_optimizer import EagerOptimizer
from saccade.training.interruption import stop_on_signal
from saccade.training.loop import Run, TrainingResult, facts_of_run
from saccade.training.objective import Objective
from saccade.training.parallelize import parallelize
from saccade.training.progress import TrainingProgress


def count(model: Transducer[Any, Any], batches: Batches, config: TrainingConfig, run: Run) -> TrainingResult:
    """Counts every batch of the first epoch, finishes the model, validates and saves it.

    Where the folder holds a checkpoint, counting is done and the checkpoint is loaded. `stop_at` and the config's
    `steps` count gradient steps, of which there are none here; a step of the progress is a batch.
    """
    assert isinstance(model, CountingModel), f"{type(model).__name__} does not count"
    world = run.world
    if world.size > 1:
        raise RunError(f"a model that counts must run in one process, but there are {world.size}. Leave torchrun out.")
    total = len(batches.plan(0))
    # Only the last batch is due for validation and a checkpoint.
    config = replace(config, steps=total, journal_every=total + 1, minutes=None, patience=None)
    placement = parallelize(Objective(model, 0.0, autocast=False), config, world)
    idle = EagerOptimizer([torch.zeros(0)], {})  # checkpoints save the state of an optimizer; this one has none
    bookkeeper = Bookkeeper(run.folder, config, placement, idle, run.validate, run.listeners)
    bookkeeper.checkpoints.remove_partial()
    saved = bookkeeper.checkpoints.restore(model, idle)
    if saved is not None:
        return TrainingResult(saved.progress, "steps")
    bookkeeper.start(None, facts_of_run(model, batches, config, world))

    began, tokens = run.clock(), 0
    with stop_on_signal() as signal:
        for done, pairs in enumerate(islice(batches.stream(Position()), total), start=1):
            model.count(pairs.to(world.device))
            tokens += pairs.target.total
            bookkeeper.notify(_preparing(done, total))
            if signal.requested:
                bookkeeper.log("stop", 0, reason="interrupted", seconds=run.clock() - began)
                return TrainingResult(TrainingProgress(), "interrupted")
        model.finish_counting()
        seconds = run.clock() - began
        bookkeeper.log("counted", total, tokens=tokens, tokens_per_second=tokens / max(seconds, 1e-9), seconds=seconds)
        progress = TrainingProgress(step=total, position=Position(1, 0), seconds=seconds)
        progress = bookkeeper.after_step(progress, learning_rate=0.0, gradient_norm=0.0)
        bookkeeper.finish(progress, "steps")
    if signal.requested:
        raise KeyboardInterrupt  # nothing is left to count, but what follows was to stop as well
    return TrainingResult(progress, "steps")


def _preparing(done: int, total: int) -> Mapping[str, Any]:
    return {"event": "preparing", "text": "counting", "done": done, "total": total}
