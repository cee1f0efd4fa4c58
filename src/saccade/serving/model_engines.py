"""The engines of one model, and all that is made once for it whichever languages it translates between."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import torch

from saccade.decoding.beam import BeamConfig
from saccade.decoding.ensemble import Ensemble
from saccade.decoding.sampling import SamplingConfig
from saccade.decoding.term_forms import TermForms
from saccade.decoding.tree_outputs import TreeOutputs
from saccade.errors import ConfigError
from saccade.models.contract import Transducer
from saccade.serving.bundle import Bundle
from saccade.serving.engines import Engine, TorchEngine, choose_engines
from saccade.serving.stable_scores import StableScores


class ModelEngines:
    """A model, or several as an ensemble, with the engines that search it; translators of it may share them.

    `trees` are the outputs of a parser; `forms` writes the terms that an output must contain.
    """

    def __init__(self, bundles: Sequence[Bundle], device: torch.device, engine: str) -> None:
        assert bundles, "a translator needs a model"
        _check_that_ensemble_shares_tokenizers(bundles)
        first = bundles[0]
        self.device = device
        self.model: Transducer[Any, Any] = (
            first.model if len(bundles) == 1 else Ensemble([bundle.model for bundle in bundles])
        )
        self.trees = None if first.leaves is None else TreeOutputs(first.target_tokenizer, first.leaves, device)
        self.forms = TermForms(first.target_tokenizer.without_language)
        self.engines: tuple[Engine, ...] = choose_engines(engine, bundles, self.model, device, self.trees, self.forms)

    @cached_property
    def own(self) -> TorchEngine:
        """Our own search, which alone can sample and be constrained."""
        own = [engine for engine in self.engines if isinstance(engine, TorchEngine)]
        return own[0] if own else TorchEngine(self.model, self.device, self.trees, self.forms)

    @cached_property
    def stable_scores(self) -> StableScores:
        """What gives scores that do not depend on the batch."""
        return StableScores(self.model, self.device)

    def engine(self, search: BeamConfig | SamplingConfig, *, prefixed: bool = False) -> Engine:
        """The first engine that can do this search; where none can, the reason of the last."""
        if isinstance(search, SamplingConfig):  # drawing is ours: another program has other random numbers
            return self.own
        reasons = []
        for engine in self.engines:
            reason = engine.obstacle(search, prefixed)
            if reason is None:
                return engine
            reasons.append(reason)
        raise ConfigError(reasons[-1])


def _check_that_ensemble_shares_tokenizers(bundles: Sequence[Bundle]) -> None:
    """Probabilities of pieces can only be averaged when both models mean the same pieces."""
    first = bundles[0]
    for other in bundles[1:]:
        for side in ("source", "target"):
            mine, yours = getattr(first, f"{side}_tokenizer"), getattr(other, f"{side}_tokenizer")
            if mine != yours:
                raise ConfigError(f"models of an ensemble must have the same {side} vocabulary, but these differ.")
