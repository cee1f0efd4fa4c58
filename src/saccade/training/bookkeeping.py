"""What the first process does between steps: the journal, the validations, the checkpoints."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import exp
from pathlib import Path
from typing import Any

import torch

from saccade.models.contract import Transducer
from saccade.training.checkpoint import Checkpoints, Saved
from saccade.training.config import TrainingConfig
from saccade.training.journal import Journal, Listener
from saccade.training.memory import peak_memory
from saccade.training.placement import Placement
from saccade.training.progress import Ending, Standing, Window


@dataclass(frozen=True)
class Validation:
    """How good a model is on text it has not learned from.

    `loss` is the unsmoothed negative log-likelihood per token. `score` decides what is best and when patience ends;
    higher is better. `measures` are whatever else was measured, by name, for the journal.
    """

    loss: float
    score: float
    measures: Mapping[str, float] = field(default_factory=dict)

    @property
    def perplexity(self) -> float:
        """Exp of the loss: per token, not per word."""
        return exp(min(self.loss, 700.0))


Validate = Callable[[Transducer[Any, Any], int], Validation]


class Keeper:
    """Journal, checkpoints and validation of one run folder."""

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

    def open(self, saved: Saved | None, about: Mapping[str, Any]) -> None:
        """Brings the journal to where the checkpoint was taken, and says that the run starts or goes on."""
        self.floor = float(about["floor_tokens_per_second"])
        self.journal.path.parent.mkdir(parents=True, exist_ok=True)
        if saved is None:
            self.journal.cut(0)
            self.tell("start", 0, **about)
            return
        self.journal.cut(saved.journal)
        self.tell("checkpoint", saved.standing.step)
        self.tell("resume", saved.standing.step, **about)

    def after_step(self, standing: Standing, learning_rate: float, gradient_norm: float) -> Standing:
        """Whatever is due after a step, in this order: a journal line, a validation, a checkpoint.

        The step that ends the run is validated and saved in any case, and so is one that validates best: the best
        weights are worth keeping even between two planned checkpoints.
        """
        config, step = self.config, standing.step
        if step % config.journal_every == 0:
            line = _line(standing, learning_rate, gradient_norm, self.floor)
            self.tell("train", step, **line, peak_memory=self._peak_memory)
            standing = replace(standing, window=Window())
        if step % config.validate_every == 0 or standing.ended_by(config):
            standing = self._validated(standing)
        ended = standing.ended_by(config) is not None
        planned = step % config.checkpoint_every == 0 or ended
        if planned or (standing.best is not None and standing.best.step == step):
            self.save(standing, planned)
        return standing

    def save(self, standing: Standing, planned: bool) -> None:
        """Writes a checkpoint, and a line about it."""
        self.placement.summon("checkpoint")
        self.checkpoints.save(self.placement.model, self.optimizer, Saved(standing, self.journal.length, planned))
        self.tell("checkpoint", standing.step)

    def close(self, standing: Standing, ending: Ending) -> None:
        """Saves an interrupted run where it stands, and says how it ended; other endings are saved already."""
        if ending == "interrupted" and standing.step > max(self.checkpoints.steps(), default=0):
            self.save(standing, planned=False)
        self.tell("stop", standing.step, reason=ending, seconds=standing.seconds, peak_memory=self._peak_memory)

    def tell(self, event: str, step: int, **fields: Any) -> None:
        """Writes an event down and lets everybody who listens hear it."""
        told = {"event": event, "step": step, **fields}
        self.journal.write(told)
        self.mention(told)

    def mention(self, event: Mapping[str, Any]) -> None:
        """Lets listeners hear something that is not worth a line in the journal."""
        for listener in self.listeners:
            listener(event)

    @property
    def _peak_memory(self) -> int:
        return peak_memory(self.placement.world.device)

    def _validated(self, standing: Standing) -> Standing:
        with torch.no_grad(), self.placement.whole() as model:
            validation = self.validate(model.eval(), standing.step)
            model.train()
        fields = {"loss": validation.loss, "perplexity": validation.perplexity, "score": validation.score}
        standing = standing.judged(validation.score, validation.loss)
        improved = standing.best is not None and standing.best.step == standing.step
        fields |= dict(validation.measures)
        self.tell("validation", standing.step, **fields, best=improved, seconds=standing.seconds)
        return standing


def checkpoints_of(folder: Path, config: TrainingConfig) -> Checkpoints:
    """The checkpoints of a run folder; never fewer are kept than will be averaged."""
    return Checkpoints(folder / "checkpoints", keep=max(config.keep_checkpoints, config.average))


def _line(standing: Standing, learning_rate: float, gradient_norm: float, floor: float) -> dict[str, Any]:
    window = standing.window
    speed = window.tokens / max(window.seconds, 1e-9)
    return {
        "epoch": standing.position.epoch,
        "loss": window.smoothed / window.tokens,
        "nll": window.plain / window.tokens,
        "accuracy": window.correct / window.tokens,
        "learning_rate": learning_rate,
        "gradient_norm": gradient_norm,
        "tokens": window.tokens,
        "tokens_per_second": speed,
        "of_floor": speed / floor,
        "seconds": standing.seconds,
    }
