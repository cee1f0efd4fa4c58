"""A model made ready for searching: what can be done once is done once, and every search afterwards is sooner.

    searcher = Searcher(model, precision=torch.bfloat16)
    searcher(source, BeamConfig())

The weights are copied, in the precision asked for and in the order in which a step reads them. On a GPU steps are
recorded and played again; batches are filled up to a few shapes so that few recordings are needed, and when half of a
batch is done the rest goes on in a smaller one.
"""

import copy
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn import functional

from saccade.attention.multihead import MultiHeadAttention
from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.beam_backtrace import Trace, joined, unpacked
from saccade.decoding.beam_cuda_graph import Recordings, UnrecordableError
from saccade.decoding.beam_fast import Standing, fast_search, settled
from saccade.decoding.constraints import Constraints
from saccade.decoding.hypothesis import Hypothesis
from saccade.layers.weight_normalisation import NormalisedLinear
from saccade.models.contract import Transducer
from saccade.sequences import Sequences

# Source lengths and capacities are rounded up to these: fewer recordings against a little more work in each.
_SOURCE_STEP, _CAPACITY_STEP = 16, 32
# Sentences times steps up to which a processor reads off the outputs.
_FEW = 4096


class Searcher:
    """Searches with a copy of the model. In lower precision it finds what `beam_search` finds in that precision."""

    def __init__(self, model: Transducer[Any, Any], precision: torch.dtype | None = None) -> None:
        assert not model.training, "dropout would make the search random: call model.eval() first"
        self.model: Transducer[Any, Any] = copy.deepcopy(model).to(dtype=precision).requires_grad_(False)
        for module in self.model.modules():
            if isinstance(module, MultiHeadAttention):
                module.stack_projections()
            if isinstance(module, NormalisedLinear):
                module.freeze()
            # Torch looks for parts of a module in three dictionaries, one after the other, whenever one is named. A
            # step of a small model names hundreds, and in the module's own dictionary they are found at once.
            module.__dict__.update(module._modules | module._parameters | module._buffers)
        self._recordings, self._recordable = Recordings(self.model), True

    @torch.inference_mode()
    def __call__(
        self, source: Sequences, config: BeamConfig, prefix: Sequences | None = None
    ) -> list[list[Hypothesis]]:
        """The best outputs for every source, as `beam_search` gives them."""
        if not source.tokens.is_cuda:
            return fast_search(self.model, source, config, prefix)
        if prefix is not None or config.coverage or not len(source):
            return beam_search(self.model, source, config, prefix)
        if self._recordable:
            try:
                return self._replayed(source, config)
            except UnrecordableError:
                self._recordable = False
        return fast_search(self.model, source, config)

    def _replayed(self, source: Sequences, config: BeamConfig) -> list[list[Hypothesis]]:
        batch, size = len(source), config.size
        rows = torch.arange(batch)
        whole, limits = self._filled_up(source, config)
        longest = int(limits.max())
        capacity = _rounded(longest, _CAPACITY_STEP)
        state = self._recordings.opened(whole, size, capacity)
        recording = self._recordings.loaded(state, Standing.seed(limits, capacity, config), config, capacity)

        done = torch.zeros(batch, dtype=torch.int64)
        parts: list[tuple[Tensor, Trace]] = []
        # Outputs are read off step by step: for few sentences the processor has done it before a GPU has begun.
        reader = torch.device("cpu") if batch * longest < _FEW else whole.tokens.device
        start = 0
        for length in range(1, longest + 1):
            seen = recording.step()
            left = len(rows) if seen is None else int((seen[: len(rows)] == 0).sum())
            places = len(recording.standing.limits)
            if length < longest and 2 * left > places:
                continue
            standing = recording.standing
            now = standing.done[: len(rows)].cpu()
            places_left = (now == 0).nonzero().squeeze(1)
            if len(places_left) and length < longest and _places(len(places_left)) == places:
                continue
            parts.append((rows, unpacked(recording.log[start:length, : len(rows)].to(reader), size)))
            done[rows] = now
            if not len(places_left):
                break
            start, rows = length, rows[places_left]
            chosen = _repeated(places_left, _places(len(places_left))).to(source.tokens.device)
            state, standing = recording.state.keep(chosen, size), standing.select(chosen)
            recording = self._recordings.loaded(state, standing, config, capacity)

        return settled(joined(parts, batch), done.to(reader), self.model, source, config)

    def _filled_up(self, source: Sequences, config: BeamConfig) -> tuple[Sequences, Int[Tensor, " sentences"]]:
        """The batch in one of the shapes there are recordings for, and the limits of its outputs.

        Sentences are repeated to fill it; the repetitions have to end at once.
        """
        width = source.tokens.shape[1]
        padded = functional.pad(source.tokens, (0, _rounded(width, _SOURCE_STEP) - width))
        chosen = _repeated(torch.arange(len(source)), _places(len(source))).to(padded.device)
        whole = Sequences(padded, source.lengths).select(chosen)
        limits = Constraints.of(self.model, whole, config.extra_length, None).limits
        limits[len(source) :] = 1
        return whole, limits


def _rounded(number: int, step: int) -> int:
    return -(-number // step) * step


def _places(sentences: int) -> int:
    """The next power of two; beyond five hundred, the next multiple of that."""
    return 1 << (sentences - 1).bit_length() if sentences <= 512 else _rounded(sentences, 512)


def _repeated(rows: Int[Tensor, " rows"], places: int) -> Int[Tensor, " places"]:
    return torch.cat([rows, rows[:1].expand(places - len(rows))])
