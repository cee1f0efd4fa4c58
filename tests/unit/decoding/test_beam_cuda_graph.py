import pytest
import torch

from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.beam_cuda_graph import GraphSearch, _batch_size, _pad_by_repeating
from saccade.decoding.searcher import Searcher
from saccade.sequences import EOS, Sequences

SOURCES = [[4, 5, 6, EOS], [7, EOS], [10, 9, 8, 7, 6, 5, EOS], [EOS], [4, 4, 4, EOS]]


@pytest.mark.parametrize(
    ("sentences", "size"), [(1, 1), (2, 2), (3, 4), (64, 64), (65, 128), (512, 512), (513, 1024), (1025, 1536)]
)
def test_batches_have_a_power_of_two_or_a_multiple_of_512_sentences(sentences, size):
    assert _batch_size(sentences) == size


def test_a_batch_is_filled_with_its_first_sentence():
    assert _pad_by_repeating(torch.tensor([7, 3, 5]), 5).tolist() == [7, 3, 5, 7, 7]


def test_a_batch_is_padded_to_a_shape_that_is_reused_and_repeated_sentences_end_at_once(tiny):
    padded, limits = GraphSearch(tiny(1))._padded_batch(Sequences.of(SOURCES), BeamConfig(extra_length=3))
    assert padded.tokens.shape == (8, 16)
    assert padded.lengths.tolist() == [4, 2, 7, 1, 4, 4, 4, 4]
    assert limits.tolist() == [7, 5, 10, 4, 7, 1, 1, 1]


@pytest.mark.parametrize("stop", ["returned", "worst-finished"])
def test_captured_steps_find_what_the_readable_search_finds(tiny, gpu, stop):
    config = BeamConfig(nbest=4, extra_length=9, stop=stop)
    for seed in range(3):
        model = tiny(seed, 131).float().to(gpu)
        searcher = Searcher(model)
        for some in (SOURCES, SOURCES[:1], SOURCES * 5, SOURCES):
            source = Sequences.of(some, device=gpu)
            found, expected = searcher(source, config), beam_search(model, source, config)
            assert [[one.tokens for one in each] for each in found] == [
                [one.tokens for one in each] for each in expected
            ]


def test_graphs_of_other_shapes_make_room_where_memory_is_full(tiny, gpu):
    model = tiny(3, 131).float().to(gpu)
    config = BeamConfig(extra_length=9)
    search = GraphSearch(Searcher(model).model)
    before = torch.cuda.memory_reserved(gpu)
    sources = [Sequences.of(SOURCES * repeated, device=gpu) for repeated in (100, 200)]
    search(sources[0], config)
    needed = torch.cuda.memory_reserved(gpu) - before
    total = torch.cuda.get_device_properties(gpu).total_memory
    try:
        # Room for the larger batch, but not beside the graphs of the smaller one.
        torch.cuda.set_per_process_memory_fraction((before + 2.5 * needed) / total)
        found = search(sources[1], config)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    expected = beam_search(model, sources[1], config)
    assert [[one.tokens for one in each] for each in found] == [[one.tokens for one in each] for each in expected]
