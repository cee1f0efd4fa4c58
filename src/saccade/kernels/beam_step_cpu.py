"""One step of a beam search between two calls of the model, on a CPU.

The Python side of `beam_step_cpu.hpp` and, where outputs must have terms, of `constrained_step_cpu.hpp`.
"""

import ctypes
from ctypes import Structure, c_double, c_int64, c_void_p

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.kernels import beam_selection, cpu_library
from saccade.kernels.beam_selection import Search, Selected


class Selection(Structure):
    """What goes in and where what is found is written, as the C++ has it."""

    _fields_ = [
        ("logits", c_void_p),
        *((name, c_int64) for name in ("sentences", "size", "vocabulary")),
        *((name, c_void_p) for name in ("reads", "alive", "finished", "length", "done")),
        *((name, c_void_p) for name in ("limits", "penalties", "largest")),
        ("penalty_stride", c_int64),
        *((name, c_void_p) for name in ("names", "scores", "onward", "margin", "parents")),
        *((name, c_int64) for name in ("deciding", "ending", "current_length", "beyond", "padding", "end", "start")),
        ("steps_per_nat", c_double),
        ("threads", c_int64),
    ]


class Terms(Structure):
    """What a search for outputs with terms carries and follows, as the C++ has it."""

    _fields_ = [
        *((name, c_void_p) for name in ("node", "met", "number_met", "begun", "lost", "lost_banks")),
        *((name, c_void_p) for name in ("terms", "roots", "shares", "turns", "sizes")),
        *((name, c_int64) for name in ("share_count", "bank_count")),
        *((name, c_void_p) for name in ("tokens", "targets", "own", "shadow")),
        ("edges", c_int64),
        *((name, c_void_p) for name in ("wanted", "accepts", "free", "continues", "inner", "begins", "opens")),
    ]


def select(logits: Float[Tensor, "rows vocabulary"], search: Search) -> Selected:
    """One step of the search."""
    library = cpu_library.load()
    assert library is not None, "ask `library_available_for` first"
    logits = logits.contiguous()
    found, task = selection(logits, search)
    if search.terms is None:
        library.beam_select(ctypes.byref(task))
    else:
        library.constrained_select(ctypes.byref(task), ctypes.byref(terms_of(search.terms)))
    return found


def terms_of(terms: beam_selection.Terms) -> Terms:
    """What the library is told of terms."""
    assert all(tensor.is_contiguous() for tensor in terms), "rows must lie one after another"
    at = {name: tensor.data_ptr() for name, tensor in terms._asdict().items()}
    sizes = {"share_count": terms.shares.shape[1], "bank_count": terms.turns.shape[1], "edges": terms.tokens.shape[1]}
    return Terms(**at, **sizes)


def selection(
    logits: Float[Tensor, "rows vocabulary"], search: Search, steps: tuple[int, ...] = ()
) -> tuple[Selected, Selection]:
    """Room for what is found, with an axis for `steps` in front where they are given, and what the library is told."""
    progress, bounds, tokens, rules, beyond, steps_per_nat, terms = search
    assert all(tensor.is_contiguous() for tensor in (logits, *progress, *bounds)), "rows must lie one after another"
    assert terms is None or len(terms.begins) == len(terms.opens) == logits.shape[1], "every token has its marks"
    sentences, size = progress.alive.shape
    found = Selected(
        torch.empty(*steps, sentences, 2 * size, dtype=torch.int64),
        torch.empty(*steps, sentences, 2 * size, dtype=torch.float64),
        torch.empty(*steps, sentences, size, dtype=torch.int64),
        torch.empty(*steps, sentences, dtype=torch.float64),
        torch.empty(sentences, size, dtype=torch.int64),
    )
    task = Selection(
        logits.data_ptr(), sentences, size, logits.shape[1], *(tensor.data_ptr() for tensor in (*progress, *bounds)),
        bounds.penalties.stride(0), *(tensor.data_ptr() for tensor in found),
        *rules, beyond, tokens.padding, tokens.end, tokens.start, steps_per_nat, torch.get_num_threads(),
    )  # fmt: skip
    return found, task
