"""Attention within the sentences of a packed row, on a CPU: the Python side of `varlen_attention_cpu.hpp`."""

import ctypes
from ctypes import Structure, c_double, c_int64, c_void_p
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from saccade.kernels import cpu_library

Heads = Float[Tensor, "heads slots width"]
Offsets = Int[Tensor, " one_more_than_sentences"]
_LANES = 16


@dataclass(frozen=True)
class Sentences:
    """Where the sentences of a row begin, and what a query sees of its own."""

    query_offsets: Offsets
    key_offsets: Offsets
    causal: bool
    window: int | None

    @property
    def weights(self) -> int:
        """How many weights one head has: rows are filled up to a multiple of 16."""
        filled = (self.key_offsets.diff() + _LANES - 1) // _LANES * _LANES
        return int((self.query_offsets.diff() * filled).sum())


@dataclass(frozen=True)
class Dropped:
    """Ones and zeros for all weights, head by head within each sentence, and the factor of what stays."""

    mask: Float[Tensor, " weights"]
    factor: float


class _HeadVectors(Structure):
    _fields_ = [("values", c_void_p), ("slot", c_int64), ("head", c_int64), ("width", c_int64)]

    @classmethod
    def of(cls, tensor: Heads) -> "_HeadVectors":
        assert tensor.stride(2) == 1 or tensor.shape[2] == 1, "the numbers of a vector lie side by side"
        return cls(tensor.data_ptr(), tensor.stride(1), tensor.stride(0), tensor.shape[2])


class _PackedAttention(Structure):
    _fields_ = [
        ("query_offsets", c_void_p),
        ("key_offsets", c_void_p),
        *((name, c_int64) for name in ("sentences", "heads", "causal", "window")),
        *((name, _HeadVectors) for name in ("query", "key", "value", "context")),
        *((name, _HeadVectors) for name in ("query_gradient", "key_gradient", "value_gradient")),
        ("weights", c_void_p),
        ("mask", c_void_p),
        ("factor", c_double),
        ("threads", c_int64),
    ]


def forward(
    query: Heads,
    keys: Heads,
    values: Heads,
    sentences: Sentences,
    weights: Float[Tensor, " weights"] | None,
    dropped: Dropped | None,
) -> Heads:
    """What each query takes; zero for slots that belong to no sentence. `weights`, if given, is written."""
    context = _room(query, values.shape[2], sentences.query_offsets)
    task = _task(query, keys, values, sentences, weights, dropped)
    task.context = _HeadVectors.of(context)
    _library().packed_attention(ctypes.byref(task))
    return context


def backward(
    gradient: Heads,
    query: Heads,
    keys: Heads,
    values: Heads,
    sentences: Sentences,
    weights: Float[Tensor, " weights"],
    dropped: Dropped | None,
) -> tuple[Heads, Heads, Heads]:
    """The gradients of queries, keys and values; `weights` is what `forward` wrote."""
    made = (
        _room(query, query.shape[2], sentences.query_offsets),
        _room(keys, keys.shape[2], sentences.key_offsets),
        _room(values, values.shape[2], sentences.key_offsets),
    )
    task = _task(query, keys, values, sentences, weights, dropped)
    task.context = _HeadVectors.of(gradient)
    task.query_gradient, task.key_gradient, task.value_gradient = (_HeadVectors.of(each) for each in made)
    _library().packed_attention_backward(ctypes.byref(task))
    return made


def _task(
    query: Heads,
    keys: Heads,
    values: Heads,
    sentences: Sentences,
    weights: Float[Tensor, " weights"] | None,
    dropped: Dropped | None,
) -> _PackedAttention:
    offsets = sentences.query_offsets, sentences.key_offsets
    assert all(each.is_contiguous() and each.dtype == torch.int64 for each in offsets)
    assert dropped is None or weights is not None, "the mask is made for weights"
    return _PackedAttention(
        *(each.data_ptr() for each in offsets), len(offsets[0]) - 1, len(query), sentences.causal,
        -1 if sentences.window is None else sentences.window,
        *(_HeadVectors.of(each) for each in (query, keys, values)),
        weights=None if weights is None else weights.data_ptr(),
        mask=None if dropped is None else dropped.mask.data_ptr(),
        factor=1.0 if dropped is None else dropped.factor,
        threads=torch.get_num_threads(),
    )  # fmt: skip


def _room(like: Heads, width: int, offsets: Offsets) -> Heads:
    """Heads stand side by side in memory, so that joining them moves nothing; slots of no sentence are zero."""
    heads, slots, _ = like.shape
    room = like.new_empty(slots, heads, width)
    room[int(offsets[-1]) :] = 0.0
    return room.transpose(0, 1)


def _library() -> ctypes.CDLL:
    library = cpu_library.load()
    assert library is not None, "ask `library_available_for` first"
    return library
