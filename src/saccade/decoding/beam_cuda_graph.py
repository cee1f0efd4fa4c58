"""The fast beam search on a GPU, with its steps captured in CUDA graphs.

A graph works on fixed memory: a batch is copied into it, and each step leaves its results where the next one reads
them. Graphs are captured per shape, so batches are padded to a few shapes to need few graphs. When half of the
sentences of a batch are complete, the others continue in a smaller graph.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn import functional

from saccade.cuda_graph import CaptureError, capture, warm_up
from saccade.decoding.beam import BeamConfig
from saccade.decoding.beam_backtrace import Backpointers, concatenate, from_table, to_table
from saccade.decoding.beam_fast import BeamState, beam_step, collect_hypotheses
from saccade.decoding.constraints import Constraints
from saccade.decoding.hypothesis import Hypothesis
from saccade.models.contract import State, Transducer
from saccade.sequences import Sequences, TensorRows

# Source lengths and capacities are rounded up to multiples of these: fewer graphs for a little more padding.
_SOURCE_STEP, _CAPACITY_STEP = 16, 32
# Below this number of sentences times steps, a CPU reads the outputs from the backpointers faster than a GPU does.
_BACKTRACE_ON_CPU = 4096


class CapturedStep:
    """One captured step of the search with the memory it works on, for outputs of up to `capacity` tokens."""

    def __init__(
        self, model: Transducer[Any, Any], state: State, beam: BeamState, config: BeamConfig, capacity: int
    ) -> None:
        self._model, self._config = model, config
        self.state, self.beam = state, beam
        sentences, size, device = len(beam.limits), config.size, beam.limits.device
        self.pointers = torch.zeros(capacity, sentences, 5 * size + 1, dtype=torch.int64, device=device)
        """The backpointers of all steps, as tables."""
        self._done = torch.zeros(2, sentences, dtype=torch.int64).pin_memory()
        self._copied = [torch.cuda.Event(), torch.cuda.Event()]  # type: ignore[no-untyped-call]
        self._steps = 0
        warm_up(self._step, forbid_synchronization=True)
        self._graph, _ = capture(self._step)

    def load(self, state: State, beam: BeamState) -> None:
        """Copies in a batch of the shape that the step was captured with."""
        _overwrite(self.state, state)
        _overwrite(self.beam, beam)
        self._steps = 0

    def replay(self) -> Int[Tensor, " sentences"] | None:
        """Replays one step. Returns `BeamState.done` of the step before: the newest would make the CPU wait."""
        self._graph.replay()
        here, before = self._steps % 2, (self._steps + 1) % 2
        self._done[here].copy_(self.beam.done, non_blocking=True)
        self._copied[here].record()
        self._steps += 1
        if self._steps == 1:
            return None
        self._copied[before].synchronize()
        return self._done[before]

    def _step(self) -> None:
        state, beam, pointers = beam_step(self._model, self.state, self.beam, self._config)
        self.pointers.index_copy_(0, beam.length[:1] - 1, to_table(pointers).unsqueeze(0))
        _overwrite(self.state, state)
        _overwrite(self.beam, beam)


class CapturedEncoder:
    """What precedes the first step, captured: the source is encoded and the state of the beam laid out."""

    def __init__(self, model: Transducer[Any, Any], source: Sequences, size: int, capacity: int) -> None:
        self._model, self._size, self._capacity = model, size, capacity
        self.source = _copy(source)
        warm_up(self._encode, forbid_synchronization=True)
        self._graph, self._state = capture(self._encode)

    def __call__(self, source: Sequences) -> State:
        """The state before the first step; the next call overwrites it."""
        _overwrite(self.source, source)
        self._graph.replay()
        return self._state

    def _encode(self) -> State:
        return _initial_state(self._model, self.source, self._size, self._capacity)


Graph = TypeVar("Graph", CapturedStep, CapturedEncoder)


class GraphCache:
    """The captured graphs of one model by shape; the least recently used are dropped first.

    Each holds the memory it works on. Where there is none left for another one, all others are dropped.
    """

    def __init__(self, model: Transducer[Any, Any], most: int = 24) -> None:
        self._model, self._most = model, most
        self._steps: OrderedDict[Any, CapturedStep] = OrderedDict()
        self._encoders: OrderedDict[Any, CapturedEncoder] = OrderedDict()
        self._encoder_can_be_captured = True

    def initial_state(self, source: Sequences, size: int, capacity: int) -> State:
        """The state of `size` hypotheses of each source before the first step."""
        key = (source.tokens.shape, size, capacity)
        found = self._encoders.pop(key, None)
        if found is None and self._encoder_can_be_captured:
            try:
                found = self._made(lambda: CapturedEncoder(self._model, source, size, capacity))
            except CaptureError:
                self._encoder_can_be_captured = False
        if found is None:
            return _initial_state(self._model, source, size, capacity)
        self._encoders[key] = found
        if len(self._encoders) > self._most:
            self._encoders.popitem(last=False)
        return found(source)

    def step(self, state: State, beam: BeamState, config: BeamConfig, capacity: int) -> CapturedStep:
        """A captured step that holds this batch."""
        shapes = tuple((tensor.shape, tensor.dtype) for each in (state, beam) for tensor in each.tensors())
        key = (shapes, config, capacity)
        found = self._steps.pop(key, None)
        if found is None:
            # It is captured with a copy of the batch: the warm-up takes steps, and this batch must not.
            found = self._made(lambda: CapturedStep(self._model, _copy(state), _copy(beam), config, capacity))
            if len(self._steps) >= self._most:
                self._steps.popitem(last=False)
        self._steps[key] = found
        found.load(state, beam)
        return found

    def _made(self, make: Callable[[], Graph]) -> Graph:
        try:
            return make()
        except torch.OutOfMemoryError:
            self._steps.clear()
            self._encoders.clear()
            torch.cuda.empty_cache()
        return make()


class GraphSearch:
    """Beam search on a GPU by replaying captured graphs; raises CaptureError where the model cannot be captured."""

    def __init__(self, model: Transducer[Any, Any]) -> None:
        self._model, self._graphs = model, GraphCache(model)

    @torch.inference_mode()
    def __call__(self, source: Sequences, config: BeamConfig) -> list[list[Hypothesis]]:
        """The best outputs for every source, as `beam_search` gives them, without prefix or coverage penalty."""
        batch, size = len(source), config.size
        rows = torch.arange(batch)
        padded, limits = self._padded_batch(source, config)
        longest = int(limits.max())
        capacity = _round_up(longest, _CAPACITY_STEP)
        state = self._graphs.initial_state(padded, size, capacity)
        step = self._graphs.step(state, BeamState.initial(limits, capacity, config), config, capacity)

        done = torch.zeros(batch, dtype=torch.int64)
        parts: list[tuple[Tensor, Backpointers]] = []
        reader = torch.device("cpu") if batch * longest < _BACKTRACE_ON_CPU else padded.tokens.device
        start = 0
        for length in range(1, longest + 1):
            seen = step.replay()
            left = len(rows) if seen is None else int((seen[: len(rows)] == 0).sum())
            places = len(step.beam.limits)
            if length < longest and 2 * left > places:
                continue
            beam = step.beam
            now = beam.done[: len(rows)].cpu()
            places_left = (now == 0).nonzero().squeeze(1)
            if len(places_left) and length < longest and _batch_size(len(places_left)) == places:
                continue
            parts.append((rows, from_table(step.pointers[start:length, : len(rows)].to(reader), size)))
            done[rows] = now
            if not len(places_left):
                break
            start, rows = length, rows[places_left]
            chosen = _pad_by_repeating(places_left, _batch_size(len(places_left))).to(source.tokens.device)
            state, beam = step.state.keep(chosen, size), beam.select(chosen)
            step = self._graphs.step(state, beam, config, capacity)

        return collect_hypotheses(concatenate(parts, batch), done.to(reader), self._model, source, config)

    def _padded_batch(self, source: Sequences, config: BeamConfig) -> tuple[Sequences, Int[Tensor, " sentences"]]:
        """The batch padded to one of a few shapes, and the length limits of its outputs.

        Sentences are repeated to fill it; the repetitions must end at once.
        """
        width = source.tokens.shape[1]
        tokens = functional.pad(source.tokens, (0, _round_up(width, _SOURCE_STEP) - width))
        chosen = _pad_by_repeating(torch.arange(len(source)), _batch_size(len(source))).to(tokens.device)
        padded = Sequences(tokens, source.lengths).select(chosen)
        limits = Constraints.of(self._model, padded, config.extra_length, None).limits
        limits[len(source) :] = 1
        return padded, limits


def _initial_state(model: Transducer[Any, Any], source: Sequences, size: int, capacity: int) -> State:
    state: State = model.start(model.encode(source)).branch(len(source), size, capacity)
    return state


def _round_up(number: int, step: int) -> int:
    return -(-number // step) * step


def _batch_size(sentences: int) -> int:
    """The next power of two; above 512, the next multiple of 512."""
    return 1 << (sentences - 1).bit_length() if sentences <= 512 else _round_up(sentences, 512)


def _pad_by_repeating(rows: Int[Tensor, " rows"], places: int) -> Int[Tensor, " places"]:
    return torch.cat([rows, rows[:1].expand(places - len(rows))])


def _copy(rows: Any) -> Any:
    return rows._map(torch.clone)


def _overwrite(old: TensorRows, new: TensorRows) -> None:
    for before, after in zip(old.tensors(), new.tensors(), strict=True):
        if before.shape != after.shape:
            raise CaptureError
        if before.data_ptr() != after.data_ptr() or before.stride() != after.stride():
            before.copy_(after)
