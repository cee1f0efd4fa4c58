"""CUDA graphs: work on fixed memory is captured once and replayed with a single launch.

A step of a small model is hundreds of short kernels, and launching them one by one takes the CPU longer than the GPU
needs to run them. Before capture the work is run on a side stream, as torch requires: what is compiled or allocated on
first use must be ready by then.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, TypeVar
from warnings import catch_warnings, simplefilter

import torch

Result = TypeVar("Result")


class CaptureError(Exception):
    """This work cannot be captured: it changes shapes from one run to the next, or makes the CPU wait for the GPU."""


def warm_up(
    work: Callable[[], object], forbid_synchronization: bool = False, stream: torch.cuda.Stream | None = None
) -> torch.cuda.Stream:
    """Runs the work twice on a side stream, this one or a new one, and returns that stream.

    With `forbid_synchronization`, the second run raises CaptureError where the CPU would wait for the GPU.
    """
    side = stream or torch.cuda.Stream()  # type: ignore[no-untyped-call]
    side.wait_stream(torch.cuda.current_stream())
    try:
        with torch.cuda.stream(side):
            work()
            with _no_synchronization() if forbid_synchronization else nullcontext():
                work()
    finally:
        # Also after a failure: kernels already launched on the side stream still use memory that is reused after this.
        torch.cuda.current_stream().wait_stream(side)
    return side


def capture(
    work: Callable[[], Result], stream: torch.cuda.Stream | None = None, pool: Any = None
) -> tuple[torch.cuda.CUDAGraph, Result]:
    """Captures the work on this stream; its result is memory that each replay overwrites.

    Work with a backward pass is captured on the stream of its warm-up: autograd may keep nodes from the warm-up, and
    each node belongs to the stream it was made on. Graphs with the same memory pool (`torch.cuda.graph_pool_handle`)
    overwrite each other's intermediate results: their work must leave its own in memory from elsewhere.
    """
    graph = torch.cuda.CUDAGraph()
    with _no_garbage_collection(), torch.cuda.graph(graph, pool=pool, stream=stream):
        result = work()
    return graph, result


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """A collection may free memory or graphs of the GPU that nobody uses, and freeing anything ends a capture."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def _no_synchronization() -> Iterator[None]:
    usual = torch.cuda.get_sync_debug_mode()
    with catch_warnings():
        simplefilter("ignore")  # torch warns that this check may miss some operations
        torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    except RuntimeError as error:
        if "synchronizing" in str(error):
            raise CaptureError from error
        raise
    finally:
        torch.cuda.set_sync_debug_mode(usual)
