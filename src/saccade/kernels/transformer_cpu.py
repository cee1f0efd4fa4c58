"""A Transformer's encoder, and one step of its decoder, as one call each: the Python side of `transformer_cpu.hpp`.

The structures below are those of the C++, field by field. What they mean is said there, and what is computed by
`models/transformer.py`.
"""

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, Structure, c_double, c_int64, c_void_p
from typing import Any, NamedTuple, Protocol

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from saccade.kernels import cpu_library
from saccade.kernels.int8_product import quantise
from saccade.kernels.large_pages import LargePages
from saccade.kernels.stored_levels import stored_levels

ACTIVATIONS = {"relu": 1, "silu": 2, "gelu": 3, "quick_gelu": 4}
_PANEL = 16
_LEVELS_AT_ONCE = 8


class Matrix(Structure):
    """A weight [outer, inner] cut into panels of rows, and a bias; its numbers are floats, or bytes with scales."""

    _fields_ = [
        *((name, c_void_p) for name in ("panels", "bias")),
        *((name, c_int64) for name in ("inner", "outer")),
        *((name, c_void_p) for name in ("bytes", "levels", "scales", "begins")),
    ]


class Norm(Structure):
    """Gain, shift and epsilon of a layer norm; all zero where there is none."""

    _fields_ = [("gain", c_void_p), ("shift", c_void_p), ("epsilon", c_double)]


class Layer(Structure):
    """The parameters of a layer; an encoder's leaves out what looks at a source, the last three."""

    _fields_ = [
        *((name, Norm) for name in ("self_norm", "cross_norm", "inner_norm")),
        *((name, Matrix) for name in ("project", "self_output", "inner", "outer")),
        *((name, Matrix) for name in ("source", "query", "cross_output")),
    ]


class Stack(Structure):
    """The parameters of an encoder or a decoder, the latter with those of the output."""

    _fields_ = [
        ("layers", POINTER(Layer)),
        *((name, c_int64) for name in ("layer_count", "width", "heads", "key_width", "value_width")),
        *((name, c_int64) for name in ("activation", "norm_first", "residual")),
        ("embedding", c_void_p),
        ("embedding_scale", c_double),
        ("zero_token", c_int64),
        ("end", Norm),
        ("output", Matrix),
    ]


class Step(Structure):
    """What a step reads and where it writes, as the C++ has it."""

    _fields_ = [
        *((name, c_void_p) for name in ("written", "source", "tokens", "position")),
        *((name, c_int64) for name in ("sentences", "size", "now")),
        ("ancestors", c_void_p),
        ("ancestors_strides", c_int64 * 2),
        ("source_mask", c_void_p),
        ("source_length", c_int64),
        ("logits", c_void_p),
        *((name, c_int64) for name in ("threads", "padding")),
    ]


class _Sentences(Structure):
    _fields_ = [
        *((name, c_void_p) for name in ("tokens", "lengths", "positions")),
        *((name, c_int64) for name in ("sentences", "longest", "window")),
        ("states", c_void_p),
        ("threads", c_int64),
    ]


class _Source(Structure):
    _fields_ = [
        *((name, c_void_p) for name in ("lengths", "states")),
        *((name, c_int64) for name in ("sentences", "longest")),
        ("keys_values", c_void_p),
        ("threads", c_int64),
    ]


class Cache(Protocol):
    """What the hypotheses of each sentence can attend to in one layer."""

    @property
    def keys(self) -> Float[Tensor, "sentences heads places key_width"]:
        """The keys of every place."""

    @property
    def values(self) -> Float[Tensor, "sentences heads places value_width"]:
        """The values of every place."""


class Visible(NamedTuple):
    """What the hypotheses of each sentence can attend to: what their ancestors wrote, and a source."""

    written: Sequence[Cache]
    ancestors: Float[Tensor, "sentences size places"]
    source: Sequence[Cache]
    source_mask: Bool[Tensor, "sentences source"]


def reads_bytes() -> bool:
    """Whether products of few rows read weights that are stored as bytes as bytes: on x86 with AVX2 or AVX-512."""
    library = cpu_library.load()
    assert library is not None, "ask `library_available_for` first"
    return bool(library.reads_bytes())


def level_0() -> int:
    """The byte by which the library has a state's level 0, and by which its other levels are larger."""
    library = cpu_library.load()
    assert library is not None, "ask `library_available_for` first"
    return int(library.level_0())


class Parameters:
    """Where parameters lie in memory; it keeps them there. With `int8`, products are those of `int8_product.py`."""

    def __init__(self, int8: bool = False) -> None:
        self.kept: list[Any] = []
        self._pages = LargePages()
        self._int8, self._reads_bytes = int8, reads_bytes()
        self._level_0 = level_0()

    def pointer(self, values: Tensor | None) -> int | None:
        """The address of these values, in float32 and one after another."""
        return None if values is None else self._kept(values.detach().float().contiguous())

    def _kept(self, values: Tensor) -> int:
        self.kept.append(values)
        return values.data_ptr()

    def matrix(self, weight: Float[Tensor, "outer inner"], bias: Float[Tensor, " outer"] | None) -> Matrix:
        """A linear map; its weight is copied into panels, which are read from the first number to the last."""
        outer, inner = weight.shape
        filled, room = weight.detach(), (0, -inner % _LEVELS_AT_ONCE, 0, -outer % _PANEL)
        if any(room):  # torch copies also where there is nothing to fill up
            filled = torch.nn.functional.pad(filled, room)
        bias = None if bias is None else torch.nn.functional.pad(bias.detach(), (0, -outer % _PANEL))
        stored = stored_levels(filled) if self._int8 or self._reads_bytes else None
        if self._int8:
            levels, scales = stored or quantise(filled)
            fours = levels.contiguous().view(torch.int32)
            # Every level of a state is larger by this, and so is what the library adds up.
            begins = levels.sum(dim=1, dtype=torch.int32) * -self._level_0
            return Matrix(
                None,
                self.pointer(bias),
                inner,
                outer,
                None,
                self._panels(fours),
                self._kept(scales),
                self._kept(begins),
            )
        floats = self._panels(filled[:, :inner])
        if stored is None:
            return Matrix(floats, self.pointer(bias), inner, outer)
        levels, scales = stored
        return Matrix(
            floats, self.pointer(bias), inner, outer, self._panels(levels[:, :inner]), None, self._kept(scales)
        )

    def _panels(self, rows: Tensor) -> int:
        return self._kept(self._pages.copy(rows.view(-1, _PANEL, rows.shape[1]).transpose(1, 2)))

    def norm(self, norm: torch.nn.LayerNorm) -> Norm:
        """A layer norm."""
        return Norm(self.pointer(norm.weight), self.pointer(norm.bias), norm.eps)


def encoder_states(
    encoder: Stack,
    tokens: Int[Tensor, "sentences source"],
    lengths: Int[Tensor, " sentences"],
    positions: Float[Tensor, "source width"],
    window: int | None,
) -> Float[Tensor, "sentences source width"]:
    """The final states of all positions; zero where there is padding."""
    library = cpu_library.load()
    assert library is not None, "ask `library_available_for` first"
    tokens, lengths, positions = (tensor.contiguous() for tensor in (tokens.long(), lengths.long(), positions))
    states = torch.zeros(*tokens.shape, encoder.width)
    given = _Sentences(
        tokens.data_ptr(), lengths.data_ptr(), positions.data_ptr(), *tokens.shape,
        -1 if window is None else window, states.data_ptr(), torch.get_num_threads(),
    )  # fmt: skip
    library.encoder_states(ctypes.byref(encoder), ctypes.byref(given))
    return states


def source_keys_values(
    decoder: Stack, states: Float[Tensor, "sentences source width"], lengths: Int[Tensor, " sentences"]
) -> Float[Tensor, "layers sentences source both"]:
    """The keys and values, side by side, of these states in each layer; zero where there is padding."""
    library = cpu_library.load()
    assert library is not None, "ask `library_available_for` first"
    states, lengths = states.contiguous(), lengths.long().contiguous()
    found = torch.zeros(decoder.layer_count, *states.shape[:2], decoder.layers[0].source.outer)
    source = _Source(
        lengths.data_ptr(), states.data_ptr(), *states.shape[:2], found.data_ptr(), torch.get_num_threads()
    )
    library.source_keys_values(ctypes.byref(decoder), ctypes.byref(source))
    return found


def decoder_step(
    decoder: Stack,
    tokens: Int[Tensor, " rows"],
    position: Float[Tensor, "1 width"],
    visible: Visible,
    now: int,
    padding: int,
) -> Float[Tensor, "rows vocabulary"]:
    """The logits after these tokens; their keys and values are written to the places from `now` on.

    A row that reads `padding` is an empty place: nothing is computed for it, and its logits are zeros.
    """
    library = cpu_library.load()
    assert library is not None, "ask `library_available_for` first"
    logits = torch.empty(len(tokens), decoder.output.outer)
    step, kept = step_of(decoder, tokens, position, visible, now, logits, padding)
    library.decoder_step(ctypes.byref(decoder), ctypes.byref(step))
    del kept  # which had to live until here
    return logits


def step_of(
    decoder: Stack,
    tokens: Int[Tensor, "..."],
    position: Float[Tensor, "positions width"],
    visible: Visible,
    now: int,
    logits: Float[Tensor, "rows vocabulary"],
    padding: int,
) -> tuple[Step, list[Any]]:
    """What the library is told of a step, and what must be kept until it has read all of it."""
    sentences, size, _ = visible.ancestors.shape
    assert len(logits) == tokens.numel() == sentences * size
    assert logits.shape[1] == decoder.output.outer
    tokens, source_mask = tokens.long().contiguous(), visible.source_mask.contiguous()
    written, source = _addresses(visible.written), _addresses(visible.source)
    step = Step(
        ctypes.addressof(written), ctypes.addressof(source), tokens.data_ptr(), position.data_ptr(),
        sentences, size, now, visible.ancestors.data_ptr(), visible.ancestors.stride()[:2], source_mask.data_ptr(),
        source_mask.shape[1], logits.data_ptr(), torch.get_num_threads(), padding,
    )  # fmt: skip
    return step, [written, source, tokens, source_mask]


def _addresses(caches: Sequence[Cache]) -> "ctypes.Array[c_int64]":
    fields = [
        field
        for cache in caches
        for field in (
            cache.keys.data_ptr(),
            cache.values.data_ptr(),
            *cache.keys.stride()[:3],
            *cache.values.stride()[:3],
        )
    ]
    return (c_int64 * len(fields))(*fields)
