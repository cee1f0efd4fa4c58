"""The training loop."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn.utils import clip_grads_with_norm_, get_total_norm

from saccade.data.batches import Batches
from saccade.errors import RunError
from saccade.models.contract import Seq2Seq
from saccade.sequences import Pairs
from saccade.training.config import TrainingConfig
from saccade.training.distributed import World
from saccade.training.interruption import listening
from saccade.training.journal import Listener
from saccade.training.keeper import Keeper, Validate
from saccade.training.objective import Objective
from saccade.training.optimizer import adam
from saccade.training.replay import Circumstances, write_replay
from saccade.training.schedule import learning_rate
from saccade.training.seeds import reseed
from saccade.training.standing import ENDINGS, Ending, Standing


@dataclass(frozen=True)
class Run:
    """Where a run is kept, who watches it, and how it is measured: all that is not model, data or config.

    `about` is stored in replay bundles, so that whoever opens one knows which model to build. `stop_at` stops after
    that step as a signal would. `clock` counts seconds.
    """

    folder: Path
    world: World
    validate: Validate
    listeners: tuple[Listener, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    stop_at: int | None = None
    clock: Callable[[], float] = time.monotonic


@dataclass(frozen=True)
class TrainingResult:
    """Where the run stands, and why it went no further."""

    standing: Standing
    ending: Ending

    @property
    def interrupted(self) -> bool:
        """Whether the same command would go on from here."""
        return self.ending == "interrupted"


def train(model: Seq2Seq[Any, Any], batches: Batches, config: TrainingConfig, run: Run) -> TrainingResult:
    """Trains a model until steps, patience, time or a signal ends it; continues when the folder holds checkpoints.

    The loss of a step is the mean over all its target tokens, whichever micro-batch or process they are in: each
    process adds up gradients of sums, divided by the number of tokens of the whole step, which is known before the
    first backward pass. So two processes take the same step as one that accumulates twice as much.
    """
    world = run.world
    model.to(world.device).train()
    optimizer = adam(model, config)
    keeper = Keeper(run.folder, config, model, optimizer, run.validate, run.listeners)
    if world.first:
        keeper.checkpoints.remove_partial()
    world.wait()
    saved = keeper.checkpoints.restore(model, optimizer)
    world.wait()
    standing = saved.standing if saved else Standing()
    if ended := standing.ended_by(config):
        return TrainingResult(standing, ended)

    objective = Objective(model, config.label_smoothing, config.autocasts(world.device))
    if config.compiles(world.device):
        objective.compile(dynamic=True)
    shared = world.share(objective)
    if world.first:
        keeper.open(saved, _circumstances(model, config, world))

    started = run.clock() - standing.seconds
    stream = batches.stream(standing.position, world.rank, world.size)
    with listening() as request:
        while True:
            micro_batches = list(islice(stream, config.accumulate))
            asked: Ending | None = "interrupted" if request.made or standing.step == run.stop_at else None
            wish = standing.ended_by(config) or asked if world.first else asked
            tokens, ending = _agree(world, micro_batches, wish)
            if ending is not None:
                break

            began = run.clock()
            step = standing.step + 1
            rate = learning_rate(step, model.width, config)
            for group in optimizer.param_groups:
                group["lr"] = rate
            loss = _gradients(shared, micro_batches, tokens, step, config, world)
            if not (isfinite(loss.smoothed) and isfinite(loss.gradient_norm)):
                raise _not_finite(model, micro_batches, standing, config, run, keeper)
            optimizer.step()

            standing = replace(
                standing,
                step=step,
                position=batches.advance(standing.position, config.accumulate * world.size),
                seconds=run.clock() - started,
                window=standing.window.plus(tokens, loss.smoothed, loss.plain, loss.correct, run.clock() - began),
            )
            if world.first:
                told = {"event": "step", "step": step, "steps": config.steps, "loss": loss.smoothed / tokens}
                keeper.mention({**told, "learning_rate": rate, "tokens": tokens, "seconds": standing.seconds})
                standing = keeper.after_step(standing, rate, loss.gradient_norm)

        if world.first:
            keeper.close(standing, ending)
    return TrainingResult(standing, ending)


@dataclass(frozen=True)
class _StepLoss:
    smoothed: float
    plain: float
    correct: float
    gradient_norm: float


def _agree(world: World, micro_batches: Sequence[Pairs], wish: Ending | None) -> tuple[int, Ending | None]:
    """The target tokens of the step over all processes, and whether one of them wishes to end instead."""
    own = sum(pairs.target.total for pairs in micro_batches)
    everybody = world.gather([float(own), float(ENDINGS.index(wish) + 1 if wish else 0)])
    strongest = int(max(wishes for _, wishes in everybody))
    return int(sum(tokens for tokens, _ in everybody)), ENDINGS[strongest - 1] if strongest else None


def _gradients(
    objective: nn.Module, micro_batches: Sequence[Pairs], tokens: int, step: int, config: TrainingConfig, world: World
) -> _StepLoss:
    """Fills the gradients of a step and gives its sums; clipped afterwards where the config says so.

    The one transfer of these few numbers is also where the host waits for a GPU. It is the price of never letting
    an update from a loss that is not finite reach the weights.
    """
    objective.zero_grad(set_to_none=True)
    losses = []
    for number, pairs in enumerate(micro_batches):
        reseed(config.seed, step, number * world.size + world.rank)
        with world.quietly(objective, number + 1 < len(micro_batches)):
            loss = objective(pairs.to(world.device))
            # DDP takes the mean over processes where the sum is meant.
            (loss.smoothed * (world.size / tokens)).backward()
        losses.append(torch.stack([part.detach() for part in loss]))
    gradients = [parameter.grad for parameter in objective.parameters() if parameter.grad is not None]
    norm = get_total_norm(gradients)
    if config.clip is not None:
        clip_grads_with_norm_(objective.parameters(), config.clip, norm)
    *sums, gradient_norm = torch.cat([torch.stack(losses).double().sum(0), norm.double().reshape(1)]).tolist()
    smoothed, plain, correct = world.sums(sums)
    return _StepLoss(smoothed, plain, correct, gradient_norm)


def _circumstances(model: nn.Module, config: TrainingConfig, world: World) -> dict[str, Any]:
    return {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "device": str(world.device),
        "processes": world.size,
        "threads": torch.get_num_threads(),
        "bfloat16": config.autocasts(world.device),
        "compiled": config.compiles(world.device),
        "torch": torch.__version__,
    }


def _not_finite(
    model: nn.Module,
    micro_batches: Sequence[Pairs],
    standing: Standing,
    config: TrainingConfig,
    run: Run,
    keeper: Keeper,
) -> RunError:
    """Keeps what is needed to look into the step, and gives the error that ends the run."""
    world, step = run.world, standing.step + 1
    suffix = f"-rank-{world.rank}" if world.size > 1 else ""
    folder = run.folder / f"replay-{step:06d}{suffix}"
    write_replay(folder, model, micro_batches, Circumstances.of(step, config, world, run.about))
    if world.first:
        keeper.tell("stop", standing.step, reason="not finite", replay=folder.name, seconds=standing.seconds)
    good = keeper.checkpoints.steps()
    kept = f"The last good checkpoint is step {good[-1]}." if good else "There is no checkpoint yet."
    return RunError(f"the loss of step {step} must be finite, but is not. {kept} Do: saccade replay {folder}")
