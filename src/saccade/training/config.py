"""What a training run is told: the [training] section of a recipe."""

from dataclasses import dataclass
from typing import Literal

import torch

from saccade.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """Every number of a training run, with the paper's value as default where the paper has one.

    A step reads `accumulate` micro-batches in each process, of at most `batch_tokens` padded tokens per side each.
    The linear schedule warms up as the paper's does and then falls to zero at `steps`, or, where there are no more
    steps than that, only rises; the constant one stays at the peak. `average` counts the last checkpoints whose mean
    becomes the model; 1 takes the last one as it is. `patience` counts validations without improvement, `minutes`
    counts time over all continuations of a run; None means that only `steps` ends it.
    """

    steps: int = 100_000
    batch_tokens: int = 25_000
    accumulate: int = 1
    warmup: int = 4000
    learning_rate_factor: float = 1.0
    schedule: Literal["inverse_square_root", "linear", "constant"] = "inverse_square_root"
    beta1: float = 0.9
    beta2: float = 0.98
    epsilon: float = 1e-9
    weight_decay: float = 0.0
    label_smoothing: float = 0.1
    clip: float | None = None
    seed: int = 1
    validate_every: int = 1000
    checkpoint_every: int = 1000
    keep_checkpoints: int = 5
    average: int = 5
    patience: int | None = None
    minutes: float | None = None
    journal_every: int = 50
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    layout: Literal["auto", "padded", "packed"] = "auto"
    """How sentences share a batch: each in a row of its own, or one after another in a single row."""
    placement: Literal["replicated", "sharded"] = "replicated"
    """What each of several processes holds: all weights, or a share of them where they do not fit."""
    recompute: Literal["nothing", "layers"] = "nothing"
    """What is computed a second time on the way back instead of being kept: less memory for more time."""

    def __post_init__(self) -> None:
        for name in ("steps", "batch_tokens", "accumulate", "warmup", "validate_every", "checkpoint_every"):
            self._require(name, getattr(self, name) >= 1, "1 or more")
        for name in ("keep_checkpoints", "average", "journal_every"):
            self._require(name, getattr(self, name) >= 1, "1 or more")
        for name in ("learning_rate_factor", "epsilon"):
            self._require(name, getattr(self, name) > 0, "more than 0")
        for name in ("beta1", "beta2", "label_smoothing"):
            self._require(name, 0 <= getattr(self, name) < 1, "at least 0 and less than 1")
        self._require("weight_decay", self.weight_decay >= 0, "0 or more")
        self._require("seed", 0 <= self.seed < 2**63, "0 or more, and less than 2^63")
        self._require("clip", self.clip is None or self.clip > 0, "more than 0, or left out for no clipping")
        self._require("patience", self.patience is None or self.patience >= 1, "1 or more, or left out")
        self._require("minutes", self.minutes is None or self.minutes > 0, "more than 0, or left out")

    def _require(self, name: str, holds: bool, rule: str) -> None:
        if not holds:
            raise ConfigError(f"`training.{name}` must be {rule}, but is {getattr(self, name)!r}.")

    def pauses(self, step: int) -> bool:
        """Whether something is due after this step that needs its weights before the next one changes them."""
        return step % self.validate_every == 0 or step % self.checkpoint_every == 0 or step >= self.steps

    def autocasts(self, device: torch.device) -> bool:
        """Whether matrix products run in bfloat16 there: by itself on CUDA only, where it is faster and safe."""
        return self.precision == "bfloat16" or (self.precision == "auto" and device.type == "cuda")

    @property
    def packs(self) -> bool:
        """Whether batches are packed, for a model that can read them: by itself wherever it can.

        A GPU works on one shape for ever, and batches of mixed lengths teach more than batches of one length each.
        """
        return self.layout != "padded"
