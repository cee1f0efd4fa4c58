"""The training loop: one step after another, until steps, patience, time or a signal ends the run."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from saccade.data.batches import Batches, Position
from saccade.errors import RunError
from saccade.hardware import peak_memory
from saccade.kernels import library_name
from saccade.models.contract import Transducer
from saccade.sequences import Pairs
from saccade.training.bookkeeping import Bookkeeper, Validate
from saccade.training.config import TrainingConfig
from saccade.training.distributed import World
from saccade.training.interruption import stop_on_signal
from saccade.training.journal import Listener
from saccade.training.nonfinite import StepContext, write_replay
from saccade.training.objective import Objective
from saccade.training.optimizer import abandon_step, begin_step, build_optimizer
from saccade.training.parallelize import parallelize
from saccade.training.placement import Placement
from saccade.training.prefetch import prefetched
from saccade.training.progress import ENDINGS, Ending, TrainingProgress
from saccade.training.roofline import roofline_tokens_per_second
from saccade.training.schedule import learning_rate
from saccade.training.step import StepLoss, Stepper, StepResult
from saccade.training.step_cuda_graph import CudaGraphStepper, captures_steps
from saccade.training.step_eager import EagerStepper
from saccade.training.step_fallback import StepFallback
from saccade.weights import parameter_count


@dataclass(frozen=True)
class Run:
    """Everything about a run that is not model, data or config: its folder, processes, validation and listeners.

    `about` is stored in replay bundles and says which model to build. `stop_at` stops after that step as a signal
    would. `extended_at` is the step at which the run had ended before it was given more; if it was patience that ended
    it, patience is counted anew from there. `clock` counts seconds.
    """

    folder: Path
    world: World
    validate: Validate
    listeners: tuple[Listener, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    stop_at: int | None = None
    extended_at: int | None = None
    clock: Callable[[], float] = time.monotonic


@dataclass(frozen=True)
class TrainingResult:
    """How far the run has come, and why it ended."""

    progress: TrainingProgress
    ending: Ending

    @property
    def interrupted(self) -> bool:
        """Whether the same command would resume it."""
        return self.ending == "interrupted"


def train(model: Transducer[Any, Any], batches: Batches, config: TrainingConfig, run: Run) -> TrainingResult:
    """Trains a model until steps, patience, time or a signal ends it; resumes when the folder holds checkpoints.

    The loss of a step is the mean over all its target tokens, whichever micro-batch or process they are in: each
    process adds up gradients of sums, divided by the number of tokens of the whole step, which is known before the
    first backward pass. So two processes take the same step as one that accumulates twice as much.
    """
    world = run.world
    objective = Objective(model.train(), config.label_smoothing, _autocast(batches, config, world))
    placement = parallelize(objective, config, world)
    optimizer = build_optimizer(placement.model, config)
    bookkeeper = Bookkeeper(run.folder, config, placement, optimizer, run.validate, run.listeners)
    if world.first:
        bookkeeper.checkpoints.remove_partial()
    world.wait()
    saved = bookkeeper.checkpoints.restore(placement.model, optimizer)
    world.wait()
    progress = saved.progress if saved else TrainingProgress()
    if progress.step == run.extended_at and progress.ended_by(config) == "patience":
        progress = replace(progress, validations_since_best=0)
    if ended := progress.ended_by(config):
        placement.gather_weights()
        return TrainingResult(progress, ended)
    if world.first:
        bookkeeper.start(saved, facts_of_run(model, batches, config, world))

    stepper = _stepper(placement, optimizer, batches, config, world)
    in_flight = _StepsInFlight(progress, placement, optimizer, bookkeeper, config, run, objective.autocast)
    position, step = progress.position, progress.step
    stream = _micro_batches(batches, position, world)
    with stop_on_signal() as signal:
        while True:
            micro_batches = list(islice(stream, config.accumulate))
            if signal.requested or config.pauses(step) or step == run.stop_at:
                in_flight.finish(remaining=0)
            stop: Ending | None = "interrupted" if signal.requested or step == run.stop_at else None
            wish = in_flight.progress.ended_by(config) or stop if world.first else stop
            tokens, ending, plateaus = _agree(world, micro_batches, wish, in_flight.progress.plateaus)
            if ending is not None:
                break

            step += 1
            rate = learning_rate(step, model.width, config, plateaus)
            result = stepper.take(micro_batches, tokens, step, rate)
            position = batches.advance(position, config.accumulate * world.size)
            in_flight.add(_StepInFlight(step, tokens, rate, position, micro_batches, result))
            in_flight.finish(remaining=stepper.ahead)

        in_flight.finish(remaining=0)
        with placement.joining_gathers(optimizer):
            if world.first:
                bookkeeper.finish(in_flight.progress, ending)
    placement.gather_weights()
    if signal.requested and ending != "interrupted":
        raise KeyboardInterrupt  # the run ended by itself, but the signal is meant for what would follow as well
    return TrainingResult(in_flight.progress, ending)


@dataclass(frozen=True)
class _StepInFlight:
    """A step that has been taken and whose loss has not been read."""

    step: int
    tokens: int
    rate: float
    position: Position
    micro_batches: Sequence[Pairs]
    result: StepResult


class _StepsInFlight:
    """The steps whose losses have not been read, oldest first, and the progress up to the last one that was read.

    To read a loss is to wait for the GPU, so the loop may take further steps before it does (`Stepper.ahead`).
    """

    def __init__(
        self,
        progress: TrainingProgress,
        placement: Placement,
        optimizer: torch.optim.Optimizer,
        bookkeeper: Bookkeeper,
        config: TrainingConfig,
        run: Run,
        autocast: bool,
    ) -> None:
        self.progress = progress
        self._placement = placement
        self._optimizer = optimizer
        self._bookkeeper = bookkeeper
        self._config = config
        self._run = run
        self._autocast = autocast
        self._queue: deque[_StepInFlight] = deque()
        self._started = run.clock() - progress.seconds
        self._finished_last = run.clock()

    def add(self, taken: _StepInFlight) -> None:
        """Adds the newest step."""
        self._queue.append(taken)

    def finish(self, remaining: int) -> None:
        """Reads the losses of all but the newest `remaining` steps, and does what is due after each of them."""
        while len(self._queue) > remaining:
            self._finish(self._queue.popleft())

    def _finish(self, taken: _StepInFlight) -> None:
        loss = taken.result.loss()
        if not loss.finite:
            raise self._not_finite(taken)
        now = self._run.clock()
        seconds = now - self._finished_last
        self.progress = replace(
            self.progress,
            step=taken.step,
            position=taken.position,
            seconds=now - self._started,
            window=self.progress.window.plus(taken.tokens, loss.smoothed, loss.plain, loss.correct, seconds),
        )
        with self._placement.joining_gathers(self._optimizer):
            if self._run.world.first:
                self._report(taken, loss, seconds)
                self.progress = self._bookkeeper.after_step(self.progress, taken.rate, loss.gradient_norm)
        self._finished_last = self._run.clock()

    def _report(self, taken: _StepInFlight, loss: StepLoss, seconds: float) -> None:
        if loss.split.halvings:
            memory = peak_memory(self._run.world.device)
            self._bookkeeper.log("split", taken.step, **asdict(loss.split), peak_memory=memory)
        self._bookkeeper.notify(
            {
                "event": "step",
                "step": taken.step,
                "steps": self._config.steps,
                "minutes": self._config.minutes,
                "loss": loss.smoothed / taken.tokens,
                "nll": loss.plain / taken.tokens,
                "learning_rate": taken.rate,
                "tokens": taken.tokens,
                "shapes": tuple(tensor.shape for pairs in taken.micro_batches for tensor in pairs.tensors()),
                "step_seconds": seconds,
                "seconds": self.progress.seconds,
            }
        )

    def _not_finite(self, taken: _StepInFlight) -> RunError:
        """Saves what is needed to replay the step, and returns the error that ends the run."""
        run, world, step = self._run, self._run.world, taken.step
        suffix = f"-rank-{world.rank}" if world.size > 1 else ""
        folder = run.folder / f"replay-{step:06d}{suffix}"
        context = StepContext.of(step, self._config, world, run.about, self._autocast)
        begin_step(self._optimizer)  # puts the weights where they were when the gradient was taken
        write_replay(folder, self._placement.model, taken.micro_batches, context)
        abandon_step(self._optimizer)
        if world.first:
            fields = {"reason": "not finite", "replay": folder.name, "seconds": self.progress.seconds}
            self._bookkeeper.log("stop", self.progress.step, **fields)
        last_good = self._bookkeeper.checkpoints.last_good
        return RunError(f"the loss of step {step} must be finite, but is not. {last_good} Do: saccade replay {folder}")


def _micro_batches(batches: Batches, position: Position, world: World) -> Iterator[Pairs]:
    stream = batches.stream(position, world.rank, world.size)
    return prefetched(pairs.pinned() for pairs in stream) if world.device.type == "cuda" else stream


def _stepper(
    placement: Placement, optimizer: torch.optim.Optimizer, batches: Batches, config: TrainingConfig, world: World
) -> Stepper:
    """CUDA graphs where possible, for as long as they fit into memory; otherwise eager steps."""
    eager = EagerStepper(placement, optimizer, config, world)
    if _uses_cuda_graph(batches, config, world):
        graph = CudaGraphStepper(placement.objective, optimizer, config, world.device)
        return StepFallback(graph, eager, graph.withdraw)
    return eager


def _uses_cuda_graph(batches: Batches, config: TrainingConfig, world: World) -> bool:
    """Whether steps are captured: they can be, and the batches have few shapes."""
    return batches.layout != "padded" and captures_steps(config, world)


def _agree(
    world: World, micro_batches: Sequence[Pairs], wish: Ending | None, plateaus: int
) -> tuple[int, Ending | None, int]:
    """The target tokens of the step over all processes, why the run is to end here if a process wants it, and plateaus.

    Only the first process validates, so it alone has counted all plateaus.
    """
    own = sum(pairs.target.total for pairs in micro_batches)
    gathered = world.gather([float(own), float(ENDINGS.index(wish) + 1 if wish else 0), float(plateaus)])
    tokens, wishes, counts = zip(*gathered, strict=True)
    strongest = int(max(wishes))
    return int(sum(tokens)), ENDINGS[strongest - 1] if strongest else None, int(max(counts))


def _autocast(batches: Batches, config: TrainingConfig, world: World) -> bool:
    return config.autocasts(world.device, packed=batches.layout == "packed")


def facts_of_run(model: Transducer[Any, Any], batches: Batches, config: TrainingConfig, world: World) -> dict[str, Any]:
    """What the first event of the journal says."""
    bfloat16 = _autocast(batches, config, world)
    return {
        "parameters": parameter_count(model),
        "device": str(world.device),
        "processes": world.size,
        "layout": batches.layout,
        "batch_tokens": config.batch_tokens,
        "accumulate": config.accumulate,
        "recorded": _uses_cuda_graph(batches, config, world),
        "floor_tokens_per_second": world.size * roofline_tokens_per_second(model, world.device, bfloat16),
        "placement": config.placement,
        "recompute": config.recompute,
        "threads": torch.get_num_threads(),
        "bfloat16": bfloat16,
        "torch": torch.__version__,
        "kernels": library_name() if world.device.type == "cpu" and not bfloat16 else None,
    }
