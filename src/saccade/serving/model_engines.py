"""The engines of one model, and all that is made once for it whichever languages it translates between."""

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any, Literal, get_args

import torch

from saccade.decoding.beam import BeamConfig
from saccade.decoding.ensemble import Ensemble
from saccade.decoding.sampling import SamplingConfig
from saccade.decoding.term_forms import TermForms
from saccade.decoding.tree_outputs import TreeOutputs
from saccade.errors import ConfigError
from saccade.kernels import int8_available
from saccade.models.contract import Transducer
from saccade.serving.bundle import Bundle
from saccade.serving.engines import Engine, TorchEngine, choose_engines, compiles, obstacle_of_ensemble
from saccade.serving.stable_scores import StableScores

Precision = Literal["auto", "float32", "float16", "bfloat16", "int8"]


class ModelEngines:
    """A model, or several as an ensemble, with the engines that search it; translators of it may share them.

    `trees` are the outputs of a parser; `forms` writes the terms that an output must contain. An engine that was asked
    for by name is made at once, so that what it cannot do is told. With "auto" they are made for the first search:
    who only scores or looks inside needs none. `precision` is that of our own search; "auto" is float32, but with the
    engine "auto" models whose weights are stored in int8 are searched in int8.
    """

    def __init__(
        self, bundles: Sequence[Bundle], device: torch.device, engine: str, precision: Precision = "auto"
    ) -> None:
        assert bundles, "a translator needs a model"
        _check_that_ensemble_shares_tokenizers(bundles)
        first = bundles[0]
        int8 = engine == "auto" and precision == "auto" and all(bundle.storage == "int8" for bundle in bundles)
        if int8 and compiles(bundles, device, int8=True):
            precision = "int8"
        self.device = device
        self.model: Transducer[Any, Any] = (
            first.model if len(bundles) == 1 else Ensemble([bundle.model for bundle in bundles])
        )
        self.trees = None if first.leaves is None else TreeOutputs(first.target_tokenizer, first.leaves, device)
        self.forms = TermForms(first.target_tokenizer.without_language)
        self.own = TorchEngine(self.model, device, self.trees, self.forms, _checked(precision, device, bundles))
        """Our own search, which alone can sample and be constrained."""
        _check_engine(engine, precision)
        if self.own.precision == torch.int8 and engine == "auto":
            engine = "torch"  # another program has its own way of int8
        self._choose = partial(choose_engines, engine, bundles, self.own, int8=int8)
        self._obstacle_of_ensemble = obstacle_of_ensemble(bundles, device, int8) if engine == "auto" else None
        if engine != "auto":
            self.engines = self._choose()

    @cached_property
    def engines(self) -> tuple[Engine, ...]:
        """What may search, the preferred one first."""
        return self._choose()

    @cached_property
    def stable_scores(self) -> StableScores:
        """What gives scores that do not depend on the batch."""
        return StableScores(self.model, self.device)

    def engine(self, search: BeamConfig | SamplingConfig, *, prefixed: bool = False) -> Engine:
        """The first engine that can do this search; an error with the reason of the last one if none can."""
        if isinstance(search, SamplingConfig):  # drawing is ours: another program has other random numbers
            return self.own
        reasons = []
        for engine in self.engines:
            reason = engine.obstacle(search, prefixed)
            if reason is None:
                return engine
            reasons.append(reason)
        raise ConfigError(reasons[-1])

    def passed_over(self, search: BeamConfig | SamplingConfig, *, prefixed: bool = False) -> str | None:
        """Why the preferred engine is not the one that does this search; None where it is, and for sampling."""
        if self.engines[0] is self.own:
            return self._obstacle_of_ensemble
        if isinstance(search, SamplingConfig):
            return None
        return self.engines[0].obstacle(search, prefixed)


def _checked(precision: str, device: torch.device, bundles: Sequence[Bundle]) -> torch.dtype | None:
    """The type of the weights that are searched with, where it is not their own."""
    if precision not in get_args(Precision):
        raise ConfigError(f"`precision` must be one of {', '.join(get_args(Precision))}, but is {precision!r}.")
    if precision in ("auto", "float32"):
        return None
    if precision == "int8":
        return _checked_int8(device, bundles)
    if device.type != "cuda":
        raise ConfigError(
            f"`precision` must be float32 or int8 on a CPU, but is {precision!r}. Leave it out, or use a GPU."
        )
    if precision == "float16":
        return torch.float16
    if not torch.cuda.is_bf16_supported(including_emulation=False):
        raise ConfigError(
            "`precision` must be float32 or float16 on this GPU, which has no bfloat16, but is 'bfloat16'. "
            "Take float16."
        )
    return torch.bfloat16


def _checked_int8(device: torch.device, bundles: Sequence[Bundle]) -> torch.dtype:
    if device.type != "cpu":
        raise ConfigError(
            f"`precision` must be float32, float16 or bfloat16 on {device}, but is 'int8'. Leave it out, or use the "
            "CPU."
        )
    if not int8_available():
        raise ConfigError(
            "`precision` must be float32 on this CPU, but is 'int8': the compiled library multiplies bytes on ARM with "
            "dot-product instructions and on x86 with AVX-512 VNNI alone. Leave it out, or use --engine ctranslate2."
        )
    for bundle in bundles:
        if not compiles([bundle], device, int8=True):
            raise ConfigError(
                f"`precision` must be float32 for this model ({bundle.architecture}), but is 'int8', which the paper's "
                "Transformer alone can be searched in. Leave it out."
            )
    return torch.int8


def _check_engine(engine: str, precision: Precision) -> None:
    if engine == "ctranslate2" and precision != "auto":
        raise ConfigError(
            f"`precision` must be left out with the engine ctranslate2, which computes in int8, but is {precision!r}."
        )


def _check_that_ensemble_shares_tokenizers(bundles: Sequence[Bundle]) -> None:
    """Probabilities of pieces can only be averaged when both models mean the same pieces."""
    first = bundles[0]
    for other in bundles[1:]:
        for side in ("source", "target"):
            mine, yours = getattr(first, f"{side}_tokenizer"), getattr(other, f"{side}_tokenizer")
            if mine != yours:
                raise ConfigError(f"models of an ensemble must have the same {side} vocabulary, but these differ.")
