from dataclasses import replace

import pytest
import torch

from saccade.decoding import beam_cuda_graph
from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.beam_cuda_graph import GraphSearch, _batch_size, _pad_by_repeating
from saccade.decoding.searcher import Searcher
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

LONG = [[*[4 + number % 7] * number, EOS] for number in range(23)]
SOURCES = [[4, 5, 6, EOS], [7, EOS], [10, 9, 8, 7, 6, 5, EOS], [EOS], [4, 4, 4, EOS]]


class Called:
    """In the place of a graph where there is no GPU: the work itself, called again."""

    def __init__(self, work):
        self.replay = work


class NoEvent:
    def record(self):
        pass

    def synchronize(self):
        pass


@pytest.fixture
def graphs(device, monkeypatch):
    """Where graphs are captured: on the GPU; on a CPU, their work is called instead, on the same shared memory."""
    if device.type != "cuda":

        def warm_up(work, forbid_synchronization):
            assert forbid_synchronization
            work()
            work()

        monkeypatch.setattr(beam_cuda_graph, "warm_up", warm_up)
        monkeypatch.setattr(beam_cuda_graph, "capture", lambda work, pool: (Called(work), pool))
        monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: None)
        monkeypatch.setattr(torch.cuda, "Event", NoEvent)
        monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor: tensor)
    return device


@pytest.mark.parametrize(
    ("sentences", "size"), [(1, 1), (2, 2), (3, 4), (64, 64), (65, 128), (512, 512), (513, 1024), (1025, 1536)]
)
def test_batches_have_a_power_of_two_or_a_multiple_of_512_sentences(sentences, size):
    assert _batch_size(sentences) == size


def test_a_batch_is_filled_with_its_first_sentence():
    assert _pad_by_repeating(torch.tensor([7, 3, 5]), 5).tolist() == [7, 3, 5, 7, 7]


def test_a_batch_is_padded_to_a_shape_that_is_reused_and_repeated_sentences_end_at_once(tiny):
    search, config = GraphSearch(tiny(1)), BeamConfig(extra_length=3)
    padded, limits = search._padded_batch(Sequences.of(SOURCES), config, None)
    assert padded.source.tokens.shape == (8, 16)
    assert padded.source.lengths.tolist() == [4, 2, 7, 1, 4, 4, 4, 4]
    assert padded.given.shape == (8, 0)
    assert limits.tolist() == [7, 5, 10, 4, 7, 1, 1, 1]
    longest, _ = search._padded_batch(Sequences.of([[4] * 17]), config, None)
    assert longest.source.tokens.shape == (1, 23), "as long as the model reads, and no longer"
    padded, limits = search._padded_batch(Sequences.of(SOURCES), config, Sequences.of([[4], [5], [6], [7], [8]]))
    assert padded.given.tolist() == [[4], [5], [6], [7], [8], [4], [4], [4]]
    assert limits.tolist() == [7, 5, 10, 5, 7, 2, 2, 2]


@pytest.mark.parametrize("stop", ["returned", pytest.param("worst-finished", marks=pytest.mark.slow)])
def test_captured_steps_find_what_the_readable_search_finds(tiny, graphs, stop):
    config = BeamConfig(nbest=4, extra_length=9, stop=stop)
    for seed in range(3 if graphs.type == "cuda" else 1):
        model = tiny(seed, 131).float().to(graphs)
        search = GraphSearch(Searcher(model).model)
        for some in (SOURCES, SOURCES[:1], SOURCES * 5, LONG, SOURCES):
            source = Sequences.of(some, device=graphs)
            found, expected = search(source, config), beam_search(model, source, config)
            assert [[one.tokens for one in each] for each in found] == [
                [one.tokens for one in each] for each in expected
            ]


@pytest.mark.slow
@pytest.mark.parametrize("beginning", [[9], [5, 8, 4]])
@pytest.mark.parametrize("stop", ["returned", "current-length", "longest-length", "first-finished"])
def test_captured_steps_begin_with_what_is_given(tiny, graphs, beginning, stop):
    """As the language of an output is; the same graphs serve batches with and without."""
    plain = BeamConfig(nbest=4, extra_length=9, stop=stop)
    config = replace(plain, unscored_prefix=len(beginning))
    for seed in range(3 if graphs.type == "cuda" else 1):
        model = tiny(seed, 131).float().to(graphs)
        search = GraphSearch(Searcher(model).model)
        for some in (SOURCES, SOURCES[:1], SOURCES * 5, SOURCES):
            source = Sequences.of(some, device=graphs)
            prefix = Sequences.of([[*beginning[:-1], 4 + row % 100] for row in range(len(some))], device=graphs)
            for found, expected in (
                (search(source, config, prefix), beam_search(model, source, config, prefix)),
                (search(source, plain), beam_search(model, source, plain)),
            ):
                assert [[one.tokens for one in each] for each in found] == [
                    [one.tokens for one in each] for each in expected
                ]
                for ours, theirs in zip(found, expected, strict=True):
                    assert [one.score for one in ours] == pytest.approx([one.score for one in theirs], abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("extra", range(24, 33))
def test_a_graph_that_is_first_needed_shortly_before_the_limit_has_room(tiny, graphs, extra):
    """Sentences that reach their limits one after another leave ever smaller batches, up to the last step."""
    model = tiny(1, 131, maximum_length=64).float().to(graphs)
    with torch.no_grad():
        model.output.weight[EOS] = 0
        model.output.weight[EOS] -= model.output.weight.mean(dim=0)
    source = Sequences.of([[*[5] * length, EOS] for length in range(8)], device=graphs)
    config = BeamConfig(extra_length=extra)
    found, expected = GraphSearch(Searcher(model).model)(source, config), beam_search(model, source, config)
    assert [[one.tokens for one in each] for each in found] == [[one.tokens for one in each] for each in expected]


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
