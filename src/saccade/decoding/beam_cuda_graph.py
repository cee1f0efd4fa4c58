"""A step of the search, recorded once on a GPU and played again for every position of every batch of that shape.

A step of a small model is a hundred short programs. To start them one by one takes the processor longer than it takes
the GPU to run them; a recording starts them all at once. It works on the same memory each time, so a batch is loaded
into the recording, and every step leaves its results where the next one looks for them.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from warnings import catch_warnings, simplefilter

import torch
from jaxtyping import Int
from torch import Tensor

from saccade.decoding.beam import BeamConfig
from saccade.decoding.beam_backtrace import packed
from saccade.decoding.beam_fast import Standing, advance
from saccade.models.contract import State, Transducer
from saccade.sequences import Sequences, TensorRows


class UnrecordableError(Exception):
    """What a model does cannot be recorded: it changes shapes of its state, or has the processor wait for the GPU."""


class Recording:
    """One recorded step, with the state it works on and the traces it leaves, for `capacity` positions at most."""

    def __init__(
        self, model: Transducer[Any, Any], state: State, standing: Standing, config: BeamConfig, capacity: int
    ):
        self.state, self.standing = state, standing
        sentences, size, device = len(standing.limits), config.size, standing.limits.device
        self.log = torch.zeros(capacity, sentences, 5 * size + 1, dtype=torch.int64, device=device)
        """The traces of all steps, packed."""
        self._done = torch.zeros(2, sentences, dtype=torch.int64).pin_memory()
        self._copied = [torch.cuda.Event(), torch.cuda.Event()]  # type: ignore[no-untyped-call]
        self._steps = 0
        self._graph = self._record(model, config)

    def load(self, state: State, standing: Standing) -> None:
        """Takes over a batch, which must have the shape of the one it was recorded with."""
        _overwrite(self.state, state)
        _overwrite(self.standing, standing)
        self._steps = 0

    def step(self) -> Int[Tensor, " sentences"] | None:
        """Plays one step. Gives what `Standing.done` was a step ago: to ask for the newest would mean to wait."""
        self._graph.replay()
        here, before = self._steps % 2, (self._steps + 1) % 2
        self._done[here].copy_(self.standing.done, non_blocking=True)
        self._copied[here].record()
        self._steps += 1
        if self._steps == 1:
            return None
        self._copied[before].synchronize()
        return self._done[before]

    def _record(self, model: Transducer[Any, Any], config: BeamConfig) -> torch.cuda.CUDAGraph:
        def step() -> None:
            state, standing, trace = advance(model, self.state, self.standing, config)
            self.log.index_copy_(0, standing.length[:1] - 1, packed(trace).unsqueeze(0))
            _overwrite(self.state, state)
            _overwrite(self.standing, standing)

        _rehearse(step)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        return graph


class Opening:
    """What comes before the first step, recorded: the source is read and the state of the branches laid out."""

    def __init__(self, model: Transducer[Any, Any], source: Sequences, size: int, capacity: int) -> None:
        self.source = _copy(source)

        def read() -> State:
            state: State = model.start(model.encode(self.source)).branch(len(source), size, capacity)
            return state

        _rehearse(read)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._state = read()

    def __call__(self, source: Sequences) -> State:
        """The state before the first step; it is that of the next source when there is one."""
        _overwrite(self.source, source)
        self._graph.replay()
        return self._state


class Recordings:
    """Recordings of one model, by the shapes they are for; those longest unused are given up first."""

    def __init__(self, model: Transducer[Any, Any], most: int = 24) -> None:
        self._model, self._most = model, most
        self._made: OrderedDict[Any, Recording] = OrderedDict()
        self._openings: OrderedDict[Any, Opening] = OrderedDict()
        self._opens = True

    def opened(self, source: Sequences, size: int, capacity: int) -> State:
        """The state of the branches of this source before the first step."""
        key = (source.tokens.shape, size, capacity)
        found = self._openings.pop(key, None)
        if found is None and self._opens:
            try:
                found = Opening(self._model, source, size, capacity)
            except UnrecordableError:
                self._opens = False
        if found is None:
            state: State = self._model.start(self._model.encode(source)).branch(len(source), size, capacity)
            return state
        self._openings[key] = found
        if len(self._openings) > self._most:
            self._openings.popitem(last=False)
        return found(source)

    def loaded(self, state: State, standing: Standing, config: BeamConfig, capacity: int) -> Recording:
        """A recording that holds this batch."""
        shapes = tuple((tensor.shape, tensor.dtype) for each in (state, standing) for tensor in each.tensors())
        key = (shapes, config, capacity)
        found = self._made.pop(key, None)
        if found is None:
            # It is made with a batch of its own: recording takes a step, and the batch that is asked for must not.
            found = Recording(self._model, _copy(state), _copy(standing), config, capacity)
            if len(self._made) >= self._most:
                self._made.popitem(last=False)
        self._made[key] = found
        found.load(state, standing)
        return found


def _rehearse(play: Callable[[], object]) -> None:
    """What is compiled or planned on first use must be by the time of the recording, and nobody may wait by then."""
    aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    aside.wait_stream(torch.cuda.current_stream())
    try:
        with torch.cuda.stream(aside):
            play()
            with _nobody_waits():
                play()
    finally:
        # Above all where it fails: what was begun aside still works on memory that is given to others after this.
        torch.cuda.current_stream().wait_stream(aside)


@contextmanager
def _nobody_waits() -> Iterator[None]:
    """Within it, an operation for which the processor would wait for the GPU is an error."""
    usual = torch.cuda.get_sync_debug_mode()
    with catch_warnings():
        simplefilter("ignore")  # torch says that it may overlook some
        torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    except RuntimeError as error:
        if "synchronizing" in str(error):
            raise UnrecordableError from error
        raise
    finally:
        torch.cuda.set_sync_debug_mode(usual)


def _copy(rows: Any) -> Any:
    return rows._map(torch.clone)


def _overwrite(old: TensorRows, new: TensorRows) -> None:
    for before, after in zip(old.tensors(), new.tensors(), strict=True):
        if before.shape != after.shape:
            raise UnrecordableError
        if before.data_ptr() != after.data_ptr() or before.stride() != after.stride():
            before.copy_(after)
