"""The fast beam search on a GPU, with its steps captured in CUDA graphs.

A graph works on fixed memory: a batch is copied into it, and each step leaves its results where the next one reads
them. Graphs are captured per shape, so batches are padded to a few shapes to need few graphs. When half of the
sentences of a batch are complete, the others continue in a smaller graph. Where one graph ends, another may overwrite
what it left (`graph_memory.py`), so what is still needed is copied first.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn import functional

from saccade.cuda_graph import CaptureError, capture, warm_up
from saccade.decoding.beam import BeamConfig
from saccade.decoding.beam_backtrace import Backpointers, concatenate, from_table, to_table
from saccade.decoding.beam_fast import BeamState, after_given, beam_step, collect_hypotheses, initial_state
from saccade.decoding.constraints import Constraints
from saccade.decoding.graph_memory import GraphMemory
from saccade.decoding.hypothesis import Hypothesis
from saccade.models.contract import State, Transducer
from saccade.sequences import Sequences, TensorRows

# Source lengths and capacities are rounded up to multiples of these: fewer graphs for a little more padding.
_SOURCE_STEP, _CAPACITY_STEP = 16, 32
# Below this number of sentences times steps, a CPU reads the outputs from the backpointers faster than a GPU does.
_BACKTRACE_ON_CPU = 4096


@dataclass(frozen=True)
class GivenSources(TensorRows):
    """Sources, and the tokens that their outputs are given to begin with: none, or as many for each."""

    source: Sequences
    given: Int[Tensor, "sentences given"]


class CapturedStep:
    """One captured step of the search with the memory it works on, for outputs of up to `capacity` tokens.

    It is captured with a batch that must not be in that memory, since the warm-up takes steps there.
    """

    def __init__(
        self,
        model: Transducer[Any, Any],
        state: State,
        beam: BeamState,
        config: BeamConfig,
        capacity: int,
        memory: GraphMemory,
    ) -> None:
        self._model, self._config = model, config
        sentences, size = len(beam.limits), config.size
        pointers = beam.limits.new_empty(capacity, sentences, 5 * size + 1, device="meta")
        self.state: State = _with_tensors(state, memory.states.place(list(state.tensors())))
        *places, self.pointers = memory.beams.place([*beam.tensors(), pointers])
        """The backpointers of all steps, as tables."""
        self.beam: BeamState = _with_tensors(beam, places)
        _overwrite(self.state, state)
        _overwrite(self.beam, beam)
        self._done = torch.zeros(2, sentences, dtype=torch.int64).pin_memory()
        self._copied = [torch.cuda.Event(), torch.cuda.Event()]  # type: ignore[no-untyped-call]
        self._steps = 0
        warm_up(self._step, forbid_synchronization=True)
        self._graph, _ = capture(self._step, pool=memory.pool)

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
    """What precedes the first step that searches, captured.

    The source is encoded, the state of the beam laid out, and what every output is given to begin with is read.
    """

    def __init__(
        self, model: Transducer[Any, Any], start: GivenSources, size: int, capacity: int, memory: GraphMemory
    ) -> None:
        self._model, self._size, self._capacity = model, size, capacity
        self.start = _copy(start)
        state = self._initial_state()
        self._state: State = _with_tensors(state, memory.states.place(list(state.tensors())))
        warm_up(self._encode, forbid_synchronization=True)
        self._graph, _ = capture(self._encode, pool=memory.pool)

    def __call__(self, start: GivenSources) -> State:
        """The state before the first step; whatever is done next overwrites it."""
        _overwrite(self.start, start)
        self._graph.replay()
        return self._state

    def _encode(self) -> None:
        _overwrite(self._state, self._initial_state())

    def _initial_state(self) -> State:
        return _initial_state(self._model, self.start, self._size, self._capacity)


Graph = TypeVar("Graph", CapturedStep, CapturedEncoder)


class GraphCache:
    """The captured graphs of one model by shape, and the memory that they share.

    The least recently used are dropped first, and all where there is no memory left for another one.
    """

    def __init__(self, model: Transducer[Any, Any], most: int = 256) -> None:
        self._model, self._most = model, most
        self._memory: GraphMemory | None = None
        self._steps: OrderedDict[Any, CapturedStep] = OrderedDict()
        self._encoders: OrderedDict[Any, CapturedEncoder] = OrderedDict()
        self._encoder_can_be_captured = True

    def initial_state(self, start: GivenSources, size: int, capacity: int) -> State:
        """The state of `size` hypotheses of each source before the first step that searches."""
        key = (start.source.tokens.shape, start.given.shape, size, capacity)
        found = self._encoders.pop(key, None)
        if found is None and self._encoder_can_be_captured:
            try:
                found = self._made(lambda memory: CapturedEncoder(self._model, start, size, capacity, memory))
            except CaptureError:
                self._encoder_can_be_captured = False
        if found is None:
            return _initial_state(self._model, start, size, capacity)
        self._encoders[key] = found
        if len(self._encoders) > self._most:
            self._encoders.popitem(last=False)
        return found(start)

    def step(self, state: State, beam: BeamState, config: BeamConfig, capacity: int) -> CapturedStep:
        """A captured step that holds this batch."""
        shapes = tuple((tensor.shape, tensor.dtype) for each in (state, beam) for tensor in each.tensors())
        key = (shapes, config, capacity)
        found = self._steps.pop(key, None)
        if found is None:
            state = _copy(state)  # it may be in the memory where the warm-up takes steps, and this batch must not
            found = self._made(lambda memory: CapturedStep(self._model, state, beam, config, capacity, memory))
            if len(self._steps) >= self._most:
                self._steps.popitem(last=False)
        self._steps[key] = found
        found.load(state, beam)
        return found

    def _made(self, make: Callable[[GraphMemory], Graph]) -> Graph:
        if self._memory is None:
            self._memory = GraphMemory()
        try:
            return make(self._memory)
        except torch.OutOfMemoryError:
            self._steps.clear()
            self._encoders.clear()
            self._memory = None
            torch.cuda.empty_cache()
        self._memory = GraphMemory()
        return make(self._memory)


class GraphSearch:
    """Beam search on a GPU by replaying captured graphs; raises CaptureError where the model cannot be captured."""

    def __init__(self, model: Transducer[Any, Any]) -> None:
        self._model, self._graphs = model, GraphCache(model)

    @torch.inference_mode()
    def __call__(
        self, source: Sequences, config: BeamConfig, prefix: Sequences | None = None
    ) -> list[list[Hypothesis]]:
        """The best outputs for every source, as `beam_search` gives them, without coverage penalty.

        The `prefix` of every output must be given: as many tokens as cost nothing, and no more (`Constraints.given`).
        """
        batch, size = len(source), config.size
        rows = torch.arange(batch)
        start, limits = self._padded_batch(source, config, prefix)
        own_limits = limits[:batch].clone()  # those of the steps may be overwritten by a later graph
        longest, first = int(limits.max()), start.given.shape[1]
        capacity = min(_round_up(longest, _CAPACITY_STEP), self._model.maximum_length)
        state = self._graphs.initial_state(start, size, capacity)
        beam, given = after_given(
            BeamState.initial(limits, capacity, config), start.given, self._model.target_vocabulary
        )
        step = self._graphs.step(state, beam, config, capacity)
        for place, pointers in enumerate(given):
            step.pointers[place] = to_table(pointers)

        done = torch.zeros(batch, dtype=torch.int64)
        parts: list[tuple[Tensor, Backpointers]] = []
        reader = torch.device("cpu") if batch * longest < _BACKTRACE_ON_CPU else source.tokens.device
        begin = 0
        for length in range(first + 1, longest + 1):
            seen = step.replay()
            left = len(rows) if seen is None else int((seen[: len(rows)] == 0).sum())
            places = len(step.beam.limits)
            # A smaller graph may have to be captured, and the warm-up of that takes two steps, for which there is room.
            if length < longest and (2 * left > places or length + 2 > capacity):
                continue
            beam = step.beam
            now = beam.done[: len(rows)].cpu()
            places_left = (now == 0).nonzero().squeeze(1)
            if len(places_left) and length < longest and _batch_size(len(places_left)) == places:
                continue
            parts.append((rows, from_table(step.pointers[begin:length, : len(rows)].to(reader, copy=True), size)))
            done[rows] = now
            if not len(places_left):
                break
            begin, rows = length, rows[places_left]
            chosen = _pad_by_repeating(places_left, _batch_size(len(places_left))).to(source.tokens.device)
            state, beam = step.state.keep(chosen, size), beam.select(chosen)
            step = self._graphs.step(state, beam, config, capacity)

        found = concatenate(parts, batch)
        return collect_hypotheses(found, done.to(reader), own_limits, self._model, source, config, prefix=prefix)

    def _padded_batch(
        self, source: Sequences, config: BeamConfig, prefix: Sequences | None
    ) -> tuple[GivenSources, Int[Tensor, " sentences"]]:
        """The batch padded to one of a few shapes, and the length limits of its outputs.

        Sentences are repeated to fill it; the repetitions must end at once.
        """
        width = source.tokens.shape[1]
        padded_width = min(_round_up(width, _SOURCE_STEP), max(width, self._model.maximum_length))
        tokens = functional.pad(source.tokens, (0, padded_width - width))
        chosen = _pad_by_repeating(torch.arange(len(source)), _batch_size(len(source))).to(tokens.device)
        padded = Sequences(tokens, source.lengths).select(chosen)
        own_prefix = None if prefix is None else prefix.select(chosen)
        constraints = Constraints.of(self._model, padded, config.extra_length, own_prefix)
        given, limits = constraints.prefix.tokens, constraints.limits
        limits[len(source) :] = given.shape[1] + 1
        return GivenSources(padded, given), limits


def _initial_state(model: Transducer[Any, Any], start: GivenSources, size: int, capacity: int) -> State:
    state: State = initial_state(model, start.source, start.given, size, capacity)
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


def _with_tensors(rows: Any, tensors: Sequence[Tensor]) -> Any:
    """The same thing with these tensors in the place of its own."""
    others = iter(tensors)
    return rows._map(lambda _: next(others))


def _overwrite(old: TensorRows, new: TensorRows) -> None:
    for before, after in zip(old.tensors(), new.tensors(), strict=True):
        if before.shape != after.shape:
            raise CaptureError
        if before.data_ptr() != after.data_ptr() or before.stride() != after.stride():
            # What is kept of a larger batch may lie in the memory where it is to be written.
            shared = before.untyped_storage().data_ptr() == after.untyped_storage().data_ptr()
            before.copy_(after.clone() if shared else after)
