"""Models that learn by counting: one pass over the corpus in place of the training loop.

What counting leaves is kept like any other weights: journal, validation, checkpoint. Nothing is saved on the way: a
pass takes minutes at most, and one that was interrupted begins again and counts the same.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

import torch

from saccade.data.batches import Batches, Position
from saccade.errors import RunError
from saccade.models.contract import Transducer
from saccade.training.bookkeeping import Keeper
from saccade.training.config import TrainingConfig
from saccade.training.interruption import listening
from saccade.training.loop import Run, TrainingResult, circumstances
from saccade.training.objective import Objective
from saccade.training.placement import placed
from saccade.training.progress import Standing


def count(model: Transducer[Any, Any], batches: Batches, config: TrainingConfig, run: Run) -> TrainingResult:
    """Shows the model every batch of the first epoch, lets it settle, validates and saves it.

    Where the folder holds a checkpoint, counting is done, and the model is given what it found. `stop_at` and the
    config's `steps` count steps along a gradient, of which there are none here; a step of the standing is a batch.
    """
    world = run.world
    if world.size > 1:
        raise RunError(f"a model that counts must run in one process, but there are {world.size}. Leave torchrun out.")
    total = len(batches.plan(0))
    # The last batch is the one step worth writing down.
    config = replace(config, steps=total, journal_every=total + 1, minutes=None, patience=None)
    placement = placed(Objective(model, 0.0, autocast=False), config, world)
    idle = torch.optim.SGD([torch.zeros(0)], lr=0.0)  # checkpoints ask what an optimizer remembers: this one, nothing
    keeper = Keeper(run.folder, config, placement, idle, run.validate, run.listeners)
    keeper.checkpoints.remove_partial()
    saved = keeper.checkpoints.restore(model, idle)
    if saved is not None:
        return TrainingResult(saved.standing, "steps")
    keeper.open(None, circumstances(model, batches, config, world))

    began, tokens = run.clock(), 0
    with listening() as request:
        for done, pairs in enumerate(islice(batches.stream(Position()), total), start=1):
            model.count(pairs.to(world.device))
            tokens += pairs.target.total
            keeper.mention(_told(done, total))
            if request.made:
                keeper.tell("stop", 0, reason="interrupted", seconds=run.clock() - began)
                return TrainingResult(Standing(), "interrupted")
        model.settle()
        seconds = run.clock() - began
        keeper.tell("counted", total, tokens=tokens, tokens_per_second=tokens / max(seconds, 1e-9), seconds=seconds)
        standing = Standing(step=total, position=Position(1, 0), seconds=seconds)
        standing = keeper.after_step(standing, learning_rate=0.0, gradient_norm=0.0)
        keeper.close(standing, "steps")
    return TrainingResult(standing, "steps")


def _told(done: int, total: int) -> Mapping[str, Any]:
    return {"event": "preparing", "text": "counting", "done": done, "total": total}
