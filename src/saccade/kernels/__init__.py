"""Kernels for what torch leaves slow; nobody needs to read them to understand the models.

On a GPU, in Triton:

    random_bits.py         dropout decisions from a seed and an element's number
    column_sums.py         sums over rows
    parameter_copies.py    low-precision copies of all parameters, refreshed at once
    linear.py              x W^T + b with or without a ReLU
    projection.py          several linear maps as one product
    normalised_linear.py   x W^T + b, each row of W a length and a direction
    convolution_windows.py   the windows of a convolution, of what dropout leaves
    gated_residual.py      a gated linear unit plus what came in
    embedding.py           token and position vectors with dropout
    residual_dropout.py    x + Dropout(u)
    residual_norm.py       LayerNorm(x + Dropout(u))
    varlen_attention.py    attention within the sentences of a packed row
    cross_entropy.py       label-smoothed cross-entropy without keeping the logits
    beam_attention.py      attention of the hypotheses of a beam over their cache
    block_maxima.py        normaliser and block maxima of logits
    beam_selection.py      what goes into a step of beam search between two calls of the model, and what comes out
    beam_step.py           that step

On a CPU, in C++:

    cpu_library.py         building and loading cpu_library.cpp; cpu_threads.hpp is how its threads share work, and
                           cpu_calls.hpp what a call says where memory is full
    transformer_cpu.py     a Transformer's encoder and one step of its decoder: transformer_cpu.hpp, what both have in
                           common in cpu_layers.hpp, and below that cpu_arithmetic.hpp, cpu_int8.hpp and cpu_tiles.hpp
    int8_product.py        what products of bytes compute
    large_pages.py         weights in large pages of memory
    stored_levels.py       weights that are stored as bytes, found again among floats
    beam_step_cpu.py       the step of beam_step.py, in beam_step_cpu.hpp
                           or, where outputs must have terms, in constrained_step_cpu.hpp
    beam_steps_cpu.py      several steps of a search, the model's among them, in beam_steps_cpu.hpp
    varlen_attention_cpu.py   attention within the sentences of a packed row, for training: varlen_attention_cpu.hpp and
                           varlen_attention_arithmetic.hpp

Each file in Triton holds one operation: first `reference`, a version in torch that says what is computed, then the
function that launches the kernels, then the kernels. Tests compare the two, values and gradients, on a GPU or in
Triton's interpreter. Only tensors come in and go out. Callers ask `triton_available_for` or `library_available_for`
first.
"""

from functools import cache
from importlib.util import find_spec

import torch
from torch import Tensor

from saccade.kernels import cpu_library


def triton_available_for(tensor: Tensor) -> bool:
    """Whether the kernels can work on this tensor: it is on a GPU, and Triton is installed.

    They accumulate in float32, so float64 tensors are left to torch.
    """
    return tensor.is_cuda and tensor.dtype != torch.float64 and _installed()


def library_available_for(tensor: Tensor) -> bool:
    """Whether the C++ can work on this tensor: it is in float32 on a CPU, and the library was built.

    A compiler cannot trace a call of C++, so it sees torch's own operations.
    """
    if tensor.device.type != "cpu" or tensor.dtype != torch.float32 or torch.compiler.is_compiling():
        return False
    return cpu_library.load() is not None


def library_name() -> str | None:
    """The name of the C++ library, which changes with its sources; None where it was not built."""
    return None if cpu_library.load() is None else cpu_library.path().stem


def int8_available() -> bool:
    """Whether the C++ can multiply bytes: the library was built, and this CPU has the instructions.

    ARM's sdot, and vpdpbusd of x86 with AVX-512 VNNI.
    """
    library = cpu_library.load()
    return library is not None and bool(library.has_int8())


@cache
def _installed() -> bool:
    return find_spec("triton") is not None
