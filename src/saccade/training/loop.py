"""The training loop."""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import nn

from saccade.data.batches import Batches, Position
from saccade.data.packed import PackedBatches
from saccade.errors import RunError
from saccade.models.contract import Transducer
from saccade.sequences import Pairs
from saccade.training.bookkeeping import Keeper, Validate
from saccade.training.config import TrainingConfig
from saccade.training.distributed import World
from saccade.training.fallback import Fallback
from saccade.training.interruption import listening
from saccade.training.journal import Listener
from saccade.training.memory import peak_memory
from saccade.training.nonfinite import Circumstances, write_replay
from saccade.training.objective import Objective
from saccade.training.optimizer import build_optimizer
from saccade.training.placement import Placement, placed
from saccade.training.prefetch import prefetched
from saccade.training.progress import ENDINGS, Ending, Standing
from saccade.training.roofline import floor_tokens_per_second
from saccade.training.schedule import learning_rate
from saccade.training.step import Outcome, PlainStepper, Stepper
from saccade.training.step_cuda_graph import CudaGraphStepper
from saccade.weights import parameter_count


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


def train(model: Transducer[Any, Any], batches: Batches, config: TrainingConfig, run: Run) -> TrainingResult:
    """Trains a model until steps, patience, time or a signal ends it; continues when the folder holds checkpoints.

    The loss of a step is the mean over all its target tokens, whichever micro-batch or process they are in: each
    process adds up gradients of sums, divided by the number of tokens of the whole step, which is known before the
    first backward pass. So two processes take the same step as one that accumulates twice as much.
    """
    world = run.world
    objective = Objective(model.train(), config.label_smoothing, _autocasts(batches, config, world))
    placement = placed(objective, config, world)
    optimizer = build_optimizer(placement.model, config)
    keeper = Keeper(run.folder, config, placement, optimizer, run.validate, run.listeners)
    if world.first:
        keeper.checkpoints.remove_partial()
    world.wait()
    saved = keeper.checkpoints.restore(placement.model, optimizer)
    world.wait()
    standing = saved.standing if saved else Standing()
    if ended := standing.ended_by(config):
        placement.hand_back()
        return TrainingResult(standing, ended)

    if world.first:
        keeper.open(saved, circumstances(model, batches, config, world))

    stepper = _stepper(placement, optimizer, batches, config, world)
    started = run.clock() - standing.seconds
    mark = run.clock()
    under_way: deque[_UnderWay] = deque()
    position, step = standing.position, standing.step
    stream = batches.stream(position, world.rank, world.size)
    if world.device.type == "cuda":
        stream = prefetched(pairs.pinned() for pairs in stream)

    def settle(remaining: int) -> None:
        """Asks for the losses of all but the latest steps, and does what is due after each."""
        nonlocal standing, mark
        while len(under_way) > remaining:
            taken = under_way.popleft()
            loss = taken.outcome.loss()
            if not loss.finite:
                how = Circumstances.of(taken.step, config, world, run.about, objective.autocast)
                raise _not_finite(placement.model, taken.micro_batches, standing, how, run, keeper)
            now = run.clock()
            standing = replace(
                standing,
                step=taken.step,
                position=taken.position,
                seconds=now - started,
                window=standing.window.plus(taken.tokens, loss.smoothed, loss.plain, loss.correct, now - mark),
            )
            with placement.attended(optimizer):
                if world.first:
                    if loss.split.halvings:
                        keeper.tell("split", taken.step, **asdict(loss.split), peak_memory=peak_memory(world.device))
                    told = {
                        "event": "step",
                        "step": taken.step,
                        "steps": config.steps,
                        "loss": loss.smoothed / taken.tokens,
                    }
                    keeper.mention(
                        {**told, "learning_rate": taken.rate, "tokens": taken.tokens, "seconds": standing.seconds}
                    )
                    standing = keeper.after_step(standing, taken.rate, loss.gradient_norm)
            mark = run.clock()

    with listening() as request:
        while True:
            micro_batches = list(islice(stream, config.accumulate))
            if request.made or config.pauses(step) or step == run.stop_at:
                settle(0)
            asked: Ending | None = "interrupted" if request.made or step == run.stop_at else None
            wish = standing.ended_by(config) or asked if world.first else asked
            tokens, ending, plateaus = _agree(world, micro_batches, wish, standing.plateaus)
            if ending is not None:
                break

            step += 1
            rate = learning_rate(step, model.width, config, plateaus)
            outcome = stepper.take(micro_batches, tokens, step, rate)
            position = batches.advance(position, config.accumulate * world.size)
            under_way.append(_UnderWay(step, tokens, rate, position, micro_batches, outcome))
            settle(stepper.ahead)

        settle(0)
        with placement.attended(optimizer):
            if world.first:
                keeper.close(standing, ending)
    placement.hand_back()
    return TrainingResult(standing, ending)


@dataclass(frozen=True)
class _UnderWay:
    """A step whose loss has not been asked for."""

    step: int
    tokens: int
    rate: float
    position: Position
    micro_batches: Sequence[Pairs]
    outcome: Outcome


def _stepper(
    placement: Placement, optimizer: torch.optim.Optimizer, batches: Batches, config: TrainingConfig, world: World
) -> Stepper:
    """A recording where one GPU sees one shape only, if that fits into memory; otherwise operation by operation."""
    plain = PlainStepper(placement, optimizer, config, world)
    if _recorded(batches, config, world):
        captured = CudaGraphStepper(placement.objective, optimizer, config, world.device)
        return Fallback(captured, plain, captured.withdraw)
    return plain


def _recorded(batches: Batches, config: TrainingConfig, world: World) -> bool:
    """Only Adam's fused update heeds the brake that a recording relies on."""
    alone = world.device.type == "cuda" and world.size == 1
    return alone and isinstance(batches, PackedBatches) and config.optimizer == "adam"


def _agree(
    world: World, micro_batches: Sequence[Pairs], wish: Ending | None, plateaus: int
) -> tuple[int, Ending | None, int]:
    """The target tokens of the step over all processes, whether one of them wishes to end instead, and the plateaus.

    Only the first process validates, so it alone has counted all of them.
    """
    own = sum(pairs.target.total for pairs in micro_batches)
    everybody = world.gather([float(own), float(ENDINGS.index(wish) + 1 if wish else 0), float(plateaus)])
    tokens, wishes, counts = zip(*everybody, strict=True)
    strongest = int(max(wishes))
    return int(sum(tokens)), ENDINGS[strongest - 1] if strongest else None, int(max(counts))


def _autocasts(batches: Batches, config: TrainingConfig, world: World) -> bool:
    return config.autocasts(world.device, packed=isinstance(batches, PackedBatches))


def circumstances(
    model: Transducer[Any, Any], batches: Batches, config: TrainingConfig, world: World
) -> dict[str, Any]:
    """What the journal says at the beginning."""
    bfloat16 = _autocasts(batches, config, world)
    return {
        "parameters": parameter_count(model),
        "device": str(world.device),
        "processes": world.size,
        "layout": "packed" if isinstance(batches, PackedBatches) else "padded",
        "batch_tokens": config.batch_tokens,
        "accumulate": config.accumulate,
        "recorded": _recorded(batches, config, world),
        "floor_tokens_per_second": world.size * floor_tokens_per_second(model, world.device, bfloat16),
        "placement": config.placement,
        "recompute": config.recompute,
        "threads": torch.get_num_threads(),
        "bfloat16": bfloat16,
        "torch": torch.__version__,
    }


def _not_finite(
    model: nn.Module,
    micro_batches: Sequence[Pairs],
    standing: Standing,
    how: Circumstances,
    run: Run,
    keeper: Keeper,
) -> RunError:
    """Keeps what is needed to look into the step, and gives the error that ends the run."""
    world, step = run.world, how.step
    suffix = f"-rank-{world.rank}" if world.size > 1 else ""
    folder = run.folder / f"replay-{step:06d}{suffix}"
    write_replay(folder, model, micro_batches, how)
    if world.first:
        keeper.tell("stop", standing.step, reason="not finite", replay=folder.name, seconds=standing.seconds)
    good = keeper.checkpoints.steps()
    kept = f"The last good checkpoint is step {good[-1]}." if good else "There is no checkpoint yet."
    return RunError(f"the loss of step {step} must be finite, but is not. {kept} Do: saccade replay {folder}")
