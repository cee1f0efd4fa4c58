import ctypes

import pytest
import torch
from tests.unit.kernels.searches_under_way import logits_of, standing_of

from saccade.decoding.beam import BeamConfig
from saccade.kernels import cpu_library
from saccade.kernels.beam_step_cpu import select, selection
from saccade.memory import ran_out_of_memory

SENTENCES, CONFIG = 13, BeamConfig(size=3)


@pytest.fixture(scope="module", autouse=True)
def _library():
    if problem := cpu_library.build():
        pytest.skip(f"the library could not be built: {problem}")
    cpu_library.load.cache_clear()


def search():
    standing = standing_of(SENTENCES, CONFIG, 3)
    standing.done.zero_()
    found = standing.for_kernels(CONFIG)
    assert found is not None
    return found


def fill_the_memory(threads):
    logits, standing = logits_of(SENTENCES * CONFIG.size, 131, 7), search()
    _found, task = selection(logits, standing)
    task.threads, task.vocabulary = threads, 2**52  # whose maxima need more memory than there are addresses
    cpu_library.load().beam_select(ctypes.byref(task))


@pytest.mark.parametrize("threads", [1, 3])
def test_full_memory_on_any_thread_is_an_error_and_not_the_end_of_the_process(threads):
    with pytest.raises(MemoryError) as caught:
        fill_the_memory(threads)
    assert ran_out_of_memory(caught.value)


def test_after_an_error_the_same_threads_go_on():
    logits = logits_of(SENTENCES * CONFIG.size, 131, 7)
    before = select(logits, search())
    for _ in range(3):
        with pytest.raises(MemoryError):
            fill_the_memory(threads=3)
        for now, then in zip(select(logits, search()), before, strict=True):
            assert torch.equal(now, then)
