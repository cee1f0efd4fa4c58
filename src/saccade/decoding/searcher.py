"""A model prepared for search: work that can be done once is done once, and every search is faster for it.

    searcher = Searcher(model, precision=torch.bfloat16)
    searcher(source, BeamConfig())

The weights are copied, in the precision asked for and in the memory layout that a decoding step reads fastest. On a
GPU, steps are captured in CUDA graphs. With `torch.int8`, on a CPU, a compiled library multiplies bytes; what is left
to `beam_search` (a coverage penalty, a prefix that costs something, a choice between equals) has steps in float32.
"""

import copy
import logging
from collections.abc import Sequence
from typing import Any

import torch

from saccade.attention.multihead import MultiHeadAttention
from saccade.cuda_graph import CaptureError
from saccade.decoding.beam import BeamConfig
from saccade.decoding.beam_cuda_graph import GraphSearch
from saccade.decoding.beam_fast import fast_search
from saccade.decoding.constrained_beam_fast import constrained_search
from saccade.decoding.constraints import Constraints, OutputConstraint
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.sampling import SamplingConfig
from saccade.decoding.sampling_fast import fast_sample
from saccade.decoding.terms import TermAutomaton
from saccade.layers.weight_normalisation import NormalisedLinear
from saccade.models.capabilities import CompilesSearch
from saccade.models.contract import Transducer
from saccade.sequences import Sequences

_log = logging.getLogger(__name__)


class Searcher:
    """Searches with a copy of the model. In lower precision it finds what `beam_search` finds in that precision."""

    def __init__(self, model: Transducer[Any, Any], precision: torch.dtype | None = None) -> None:
        assert not model.training, "dropout would make the search random: call model.eval() first"
        parts = [part for part in model.modules() if isinstance(part, CompilesSearch)]
        int8 = precision == torch.int8
        compiles = bool(parts) and all(part.can_compile_search(int8) for part in parts)
        assert compiles or not int8
        self.side_by_side = compiles
        """Whether several threads can search at once: almost all is done by a library, without Python's lock."""
        self.model = frozen_copy(model, precision)
        self._graph_search: GraphSearch | None = GraphSearch(self.model)

    @torch.inference_mode()
    def __call__(
        self,
        source: Sequences,
        config: BeamConfig,
        prefix: Sequences | None = None,
        rules: OutputConstraint | None = None,
        automata: Sequence[TermAutomaton] | None = None,
    ) -> list[list[Hypothesis]]:
        """The best outputs for every source, as `beam_search` gives them.

        CUDA graphs have no `rules`, and a prefix only where it costs nothing and is as long for every output: its
        language. With `automata`, one for each source, outputs contain their terms, and there are no other rules.
        """
        if automata is not None:
            return constrained_search(self.model, source, config, automata, prefix)
        if not source.tokens.is_cuda or rules is not None:
            return fast_search(self.model, source, config, prefix, rules)
        found = self._by_graphs(source, config, prefix)
        return fast_search(self.model, source, config, prefix) if found is None else found

    def sample(
        self,
        source: Sequences,
        config: SamplingConfig,
        generators: Sequence[torch.Generator],
        prefix: Sequences | None = None,
        rules: OutputConstraint | None = None,
    ) -> list[list[Hypothesis]]:
        """One output for every source, as `sample` draws it."""
        return fast_sample(self.model, source, config, generators, prefix, rules)

    def _by_graphs(
        self, source: Sequences, config: BeamConfig, prefix: Sequences | None
    ) -> list[list[Hypothesis]] | None:
        """By CUDA graphs; None where this search cannot be captured, or this model, which is found out only once."""
        if self._graph_search is None or not self._can_be_captured(source, config, prefix):
            return None
        try:
            return self._graph_search(source, config, prefix)
        except CaptureError as problem:
            reason = problem.__cause__ or "its state changes shape"
            _log.warning("searches are slower from now on: CUDA graphs cannot capture this model, since %s", reason)
            self._graph_search = None
            return None

    def _can_be_captured(self, source: Sequences, config: BeamConfig, prefix: Sequences | None) -> bool:
        if config.coverage or not len(source):
            return False
        unscored = config.unscored_prefix
        return prefix is None or Constraints.of(self.model, source, config.extra_length, prefix, unscored).given


def frozen_copy(model: Transducer[Any, Any], precision: torch.dtype | None) -> Transducer[Any, Any]:
    """A copy of the model for inference only, whose weights and parts must not be replaced afterwards.

    Matrices that are multiplied by the same input lie side by side, and normalised weights are computed once. Every
    parameter, buffer and submodule becomes an ordinary attribute: `nn.Module` finds them by `__getattr__`, and the
    hundreds of lookups in a decoding step of a small model cost 5 % of a search on a CPU with a batch of one.
    """
    int8 = precision == torch.int8
    frozen = copy.deepcopy(model).to(dtype=None if int8 else precision).requires_grad_(False)
    for module in frozen.modules():
        if isinstance(module, MultiHeadAttention):
            module.stack_projections()
        if isinstance(module, NormalisedLinear):
            module.freeze()
        if isinstance(module, CompilesSearch):
            module.compile_search(int8)
        for name in set(dir(module)) - set(vars(module)) - set(dir(type(module))):
            object.__setattr__(module, name, getattr(module, name))
    return frozen
