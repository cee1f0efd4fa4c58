"""What the first process does between steps: journal lines, validations, checkpoints."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import exp
from pathlib import Path
from typing import Any

import torch

from saccade.hardware import peak_memory
from saccade.models.contract import Transducer
from saccade.training.checkpoint import Checkpoints, CheckpointState
from saccade.training.config import TrainingConfig
from saccade.training.journal import Event, Journal, Listener, read_journal
from saccade.training.placement import Placement
from saccade.training.progress import Ending, JournalSums, TrainingProgress


@dataclass(frozen=True)
class Validation:
    """How good a model is on text it was not trained on.

    `loss` is the unsmoothed negative log-likelihood per token. `score` decides which checkpoint is best and when
    patience ends; higher is better. `measures` are other measurements for the journal, by name.
    """

    loss: float
    score: float
    measures: Mapping[str, float] = field(default_factory=dict)

    @property
    def perplexity(self) -> float:
        """Exp of the loss: per token, not per word."""
        return exp(min(self.loss, 700.0))


Validate = Callable[[Transducer[Any, Any], int], Validation]

_DECIDES_LAST_DIGITS = ("device", "processes", "placement", "recorded", "threads", "bfloat16", "torch", "kernels")


class Bookkeeper:
    """Journal, checkpoints and validations of one run folder."""

    def __init__(
        self,
        folder: Path,
        config: TrainingConfig,
        placement: Placement,
        optimizer: torch.optim.Optimizer,
        validate: Validate,
        listeners: tuple[Listener, ...],
    ) -> None:
        self.config = config
        self.placement = placement
        self.optimizer = optimizer
        self.validate = validate
        self.listeners = listeners
        self.journal = Journal(folder / "journal.jsonl")
        self.checkpoints = checkpoints_of(folder, config)

    def start(self, saved: CheckpointState | None, facts: Mapping[str, Any]) -> None:
        """Cuts the journal to where the checkpoint was written, and logs that the run starts or resumes."""
        self.roofline = float(facts["floor_tokens_per_second"])
        self.journal.path.parent.mkdir(parents=True, exist_ok=True)
        if saved is None:
            self.journal.cut(0)
            self.log("start", 0, **facts)
            return
        self.journal.cut(saved.journal)
        before = _last_facts(self.journal)
        self.log("checkpoint", saved.progress.step)
        self.log("resume", saved.progress.step, **facts)
        changes = [
            f"{name} was {before.get(name)}, is {facts[name]}"
            for name in _DECIDES_LAST_DIGITS
            if before and before.get(name) != facts[name]
        ]
        if changes:
            text = f"This run goes on, but not to the last digits that it would have had: {'; '.join(changes)}."
            self.notify({"event": "note", "text": text})

    def after_step(self, progress: TrainingProgress, learning_rate: float, gradient_norm: float) -> TrainingProgress:
        """Does whatever is due after a step, in this order: a journal line, a validation, a checkpoint.

        The last step is validated and saved in any case. A step that validates best is saved too, even between two
        scheduled checkpoints. Neither makes a checkpoint a scheduled one: a run that is given more steps must average
        what it would have averaged with so many steps from the beginning.
        """
        config, step = self.config, progress.step
        if step % config.journal_every == 0:
            line = _journal_line(progress, learning_rate, gradient_norm, self.roofline)
            self.log("train", step, **line, peak_memory=self._peak_memory)
            progress = replace(progress, window=JournalSums())
        if step % config.validate_every == 0 or progress.ended_by(config):
            progress = self._validated(progress)
        scheduled = step % config.checkpoint_every == 0
        best = progress.best is not None and progress.best.step == step
        if scheduled or best or progress.ended_by(config) is not None:
            self.save(progress, scheduled)
        return progress

    def save(self, progress: TrainingProgress, scheduled: bool) -> None:
        """Writes a checkpoint and logs it."""
        self.placement.request_gather("checkpoint")
        state = CheckpointState(progress, self.journal.length, scheduled)
        self.checkpoints.save(self.placement.model, self.optimizer, state)
        self.log("checkpoint", progress.step)

    def finish(self, progress: TrainingProgress, ending: Ending) -> None:
        """Logs how the run ended, and saves it if it was interrupted; other endings are saved already."""
        if ending == "interrupted" and progress.step > max(self.checkpoints.steps(), default=0):
            self.save(progress, scheduled=False)
        self.log("stop", progress.step, reason=ending, seconds=progress.seconds, peak_memory=self._peak_memory)

    def log(self, event: str, step: int, **fields: Any) -> None:
        """Writes an event to the journal and passes it to all listeners."""
        content = {"event": event, "step": step, **fields}
        self.journal.write(content)
        self.notify(content)

    def notify(self, event: Mapping[str, Any]) -> None:
        """Passes an event to all listeners without writing it to the journal."""
        for listener in self.listeners:
            listener(event)

    @property
    def _peak_memory(self) -> int:
        return peak_memory(self.placement.world.device)

    def _validated(self, progress: TrainingProgress) -> TrainingProgress:
        with torch.no_grad(), self.placement.full_model() as model:
            validation = self.validate(model.eval(), progress.step)
            model.train()
        fields = {"loss": validation.loss, "perplexity": validation.perplexity, "score": validation.score}
        progress = progress.after_validation(validation.score, validation.loss)
        improved = progress.best is not None and progress.best.step == progress.step
        fields |= dict(validation.measures)
        self.log("validation", progress.step, **fields, best=improved, seconds=progress.seconds)
        return progress


def _last_facts(journal: Journal) -> Event:
    """What the journal says of how the run was computed when it last started or resumed; nothing if it was lost."""
    events = read_journal(journal.path) if journal.length else []
    return next((event for event in reversed(events) if event["event"] in ("start", "resume")), {})


def checkpoints_of(folder: Path, config: TrainingConfig) -> Checkpoints:
    """The checkpoints of a run folder; never fewer are kept than will be averaged."""
    return Checkpoints(folder / "checkpoints", keep=max(config.keep_checkpoints, config.average))


def _journal_line(
    progress: TrainingProgress, learning_rate: float, gradient_norm: float, roofline: float
) -> dict[str, Any]:
    sums = progress.window
    speed = sums.tokens / max(sums.seconds, 1e-9)
    return {
        "epoch": progress.position.epoch,
        "loss": sums.smoothed / sums.tokens,
        "nll": sums.plain / sums.tokens,
        "accuracy": sums.correct / sums.tokens,
        "learning_rate": learning_rate,
        "gradient_norm": gradient_norm,
        "tokens": sums.tokens,
        "tokens_per_second": speed,
        "of_floor": speed / roofline,
        "seconds": progress.seconds,
    }
