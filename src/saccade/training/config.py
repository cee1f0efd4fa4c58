"""The [training] section of a recipe."""

import math
from dataclasses import dataclass
from typing import Literal

import torch

from saccade.errors import ConfigError
from saccade.hardware import fast_bfloat16_matmul

OPTIMIZER_KEYS = {
    "beta1": ("adam", "schedule_free", "muon"),
    "beta2": ("adam", "schedule_free", "muon"),
    "epsilon": ("adam", "schedule_free", "muon"),
    "rho": ("adadelta",),
    "ada_epsilon": ("adadelta", "adagrad"),
    "momentum": ("sgd", "nesterov", "muon"),
}
"""The optimizers that use each key which not all of them use."""


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """Every number of a training run, with the paper's value as default where the paper has one.

    A step reads `accumulate` micro-batches in each process, of at most `batch_tokens` padded tokens per side each.
    Every schedule warms up linearly for `warmup` steps, to `learning_rate` or, without one, to the paper's peak. After
    that the linear one and the cosine fall to zero at `steps`; the constant one stays; halving halves at `halve_after`
    and then every `halve_every` steps; plateau divides by `plateau_divisor` after each validation whose loss is not the
    lowest so far. The model is the mean of the last `average` checkpoints. `patience` counts validations without
    improvement, `minutes` counts time over all resumptions of a run; with None for both, only `steps` ends it.
    """

    steps: int = 100_000
    batch_tokens: int = 25_000
    accumulate: int = 1
    warmup: int = 4000
    learning_rate: float | None = None
    """The rate after warm-up; None: `learning_rate_factor` times the paper's, which depends on the width."""
    learning_rate_factor: float = 1.0
    schedule: Literal["inverse_square_root", "without_warmup", "linear", "cosine", "constant", "halving", "plateau"] = (
        "inverse_square_root"
    )
    halve_after: int | None = None
    halve_every: int | None = None
    plateau_divisor: float = 10.0
    optimizer: Literal["adam", "adadelta", "adagrad", "sgd", "nesterov", "schedule_free", "muon"] = "adam"
    beta1: float = 0.9
    beta2: float = 0.98
    epsilon: float = 1e-9
    rho: float = 0.95
    """The decay of Adadelta's running averages of squares."""
    ada_epsilon: float = 1e-6
    """What Adadelta and Adagrad add to the squares to avoid dividing by zero."""
    momentum: float = 0.0
    """The share of its last update that sgd repeats; nesterov and muon require more than 0."""
    weight_decay: float = 0.0
    """The share of a weight that a step at rate 1 subtracts: decoupled with adam, through the gradient elsewhere."""
    label_smoothing: float = 0.1
    clip: float | None = None
    seed: int = 1
    initial_scale: float = 1.0
    """How many times what the architecture draws its weights begin as."""
    validate_every: int = 1000
    checkpoint_every: int = 1000
    keep_checkpoints: int = 5
    average: int = 5
    patience: int | None = None
    minutes: float | None = None
    journal_every: int = 50
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    layout: Literal["auto", "padded", "packed"] = "auto"
    """How sentences share a batch: each in a row of its own, or one after another in a single row; auto: the latter
    where the model reads that."""
    placement: Literal["replicated", "sharded"] = "replicated"
    """What each of several processes holds: all weights (DDP), or a shard of them where they do not fit (FSDP)."""
    recompute: Literal["nothing", "layers"] = "nothing"
    """Activation checkpointing: what backward computes again instead of keeping it, less memory for more time."""

    def __post_init__(self) -> None:
        for name in ("steps", "batch_tokens", "accumulate", "warmup", "validate_every", "checkpoint_every"):
            self._require(name, getattr(self, name) >= 1, "1 or more")
        self._require("batch_tokens", self.batch_tokens < 2**31, "less than 2^31")
        for name in ("keep_checkpoints", "average", "journal_every"):
            self._require(name, getattr(self, name) >= 1, "1 or more")
        for name in ("learning_rate_factor", "epsilon", "ada_epsilon", "initial_scale"):
            self._require(name, getattr(self, name) > 0, "more than 0")
        for name in ("beta1", "beta2", "rho", "momentum", "label_smoothing"):
            self._require(name, 0 <= getattr(self, name) < 1, "at least 0 and less than 1")
        self._require("plateau_divisor", self.plateau_divisor > 1, "more than 1")
        self._check_schedule()
        self._check_optimizer()
        self._require("weight_decay", self.weight_decay >= 0, "0 or more")
        self._require("seed", 0 <= self.seed < 2**63, "0 or more, and less than 2^63")
        self._require("clip", self.clip is None or self.clip > 0, "more than 0, or left out for no clipping")
        self._require("patience", self.patience is None or self.patience >= 1, "1 or more, or left out")
        self._require("minutes", self.minutes is None or self.minutes > 0, "more than 0, or left out")

    def _check_schedule(self) -> None:
        rate = self.learning_rate
        finite = rate is None or 0 < rate < math.inf
        self._require("learning_rate", finite, "more than 0 and finite, or left out for the paper's")
        alone = rate is None or self.learning_rate_factor == 1.0
        self._require("learning_rate_factor", alone, "left out where `training.learning_rate` is given")
        divides = self.schedule == "plateau" or self.plateau_divisor == TrainingConfig.plateau_divisor
        self._require("plateau_divisor", divides, f"left out with {self.schedule}, since only plateau uses it")
        halves = self.schedule == "halving"
        for name in ("halve_after", "halve_every"):
            value = getattr(self, name)
            self._require(name, (value is not None and value >= 1) == halves, "1 or more with halving, else left out")

    def _check_optimizer(self) -> None:
        needs_momentum = self.optimizer in ("nesterov", "muon")
        self._require("momentum", not needs_momentum or self.momentum > 0, f"more than 0 with {self.optimizer}")
        whole = self.placement == "replicated" or self.optimizer not in ("schedule_free", "muon")
        self._require("placement", whole, f"replicated with {self.optimizer}")
        for name, users in OPTIMIZER_KEYS.items():
            fits = self.optimizer in users or getattr(self, name) == getattr(TrainingConfig, name)
            only = f"{', '.join(users[:-1])} and {users[-1]} use" if len(users) > 1 else f"{users[0]} uses"
            self._require(name, fits, f"left out with {self.optimizer}, since only {only} it")

    def _require(self, name: str, holds: bool, rule: str) -> None:
        if not holds:
            raise ConfigError(f"`training.{name}` must be {rule}, but is {getattr(self, name)!r}.")

    def pauses(self, step: int) -> bool:
        """Whether a validation or a checkpoint is due after this step, before the next one changes the weights."""
        return step % self.validate_every == 0 or step % self.checkpoint_every == 0 or step >= self.steps

    def autocasts(self, device: torch.device, packed: bool) -> bool:
        """Whether matrix products run in bfloat16 (mixed precision): with "auto", wherever that is faster.

        On a CPU with AMX that takes packed batches: oneDNN compiles a kernel for each new shape.
        """
        if self.precision != "auto":
            return self.precision == "bfloat16"
        return device.type == "cuda" or (packed and device.type == "cpu" and fast_bfloat16_matmul())

    @property
    def packs(self) -> bool:
        """Whether batches are packed for a model that can read packed ones.

        A GPU can then replay one CUDA graph for all of them, and batches of mixed lengths train better than batches
        of one length each.
        """
        return self.layout != "padded"
