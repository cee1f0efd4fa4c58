"""Several steps of a beam search with a Transformer on a CPU as one call: the Python side of `beam_steps_cpu.hpp`."""

import ctypes
from ctypes import Structure, c_int64, c_void_p

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.kernels import cpu_library
from saccade.kernels.beam_selection import Search, Selected
from saccade.kernels.beam_step_cpu import Selection, selection, terms_of
from saccade.kernels.transformer_cpu import Stack, Step, Visible, step_of


class _Search(Structure):
    _fields_ = [
        ("step", Step),
        ("selection", Selection),
        ("terms", c_void_p),
        *((name, c_void_p) for name in ("positions", "ancestors")),
        *((name, c_int64) for name in ("places", "position", "window", "most", "enough")),
    ]


def beam_steps(
    decoder: Stack,
    positions: Float[Tensor, "most width"],
    position: int,
    visible: Visible,
    window: int | None,
    search: Search,
    enough: int,
) -> Selected:
    """As many steps as there are `positions`, or until at most `enough` sentences are left to be searched.

    The first of the positions is number `position`. What is found has an axis of steps in front, but for the parents,
    which are those of the last step. The table of ancestors and the progress of the search are overwritten.
    """
    library = cpu_library.load()
    assert library is not None, "ask `library_available_for` first"
    assert visible.ancestors.is_contiguous(), "rows must lie one after another"
    (sentences, size, places), most = visible.ancestors.shape, len(positions)
    logits = torch.empty(sentences * size, decoder.output.outer)
    positions = positions.contiguous()
    step, kept = step_of(
        decoder, search.progress.reads, positions, visible, position * size, logits, search.tokens.padding
    )
    found, task = selection(logits, search, (most,))
    terms = None if search.terms is None else terms_of(search.terms)
    asked = _Search(
        step, task, None if terms is None else ctypes.addressof(terms), positions.data_ptr(),
        visible.ancestors.data_ptr(), places, position, -1 if window is None else window, most, enough,
    )  # fmt: skip
    taken = library.beam_steps(ctypes.byref(decoder), ctypes.byref(asked))
    del kept  # which had to live until here
    names, scores, onward, margin = (each[:taken] for each in found[:4])
    return Selected(names, scores, onward, margin, found.parents)
