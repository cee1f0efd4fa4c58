"""Sutskever et al. 2014, written out position by position and number by number, against saccade's model."""

import pytest
import torch
from tests.papers.plain_positions import (
    TARGETS,
    assert_all_at_once,
    assert_begins_uniformly,
    assert_step_by_step,
    nothing,
    numbers_of,
    sides_of,
    up_the_layers,
)

from saccade.layers.reversal import words_reversed
from saccade.models.seq2seq import Sutskever, SutskeverConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS

SOURCES = [[7, 5, 9, 12, 4, EOS], [11, EOS], [6, 6, 8, EOS]]


def plain_logits(model, source, target):
    """The logits of one pair; nothing of saccade's layers is used, only their numbers."""
    numbers, config = numbers_of(model), model.config
    reader, writer = sides_of(numbers)
    order = [*reversed(source[:-1]), EOS] if config.reverse_source else source
    states = nothing(config.width, config.layers)
    for token in order:
        up_the_layers(reader, numbers["source_embedding.weight"][token], states)
    written = [numbers["target_embedding.weight"][token] for token in [BOS, *target[:-1]]]
    return torch.stack([numbers["output.weight"] @ up_the_layers(writer, below, states) for below in written])


@pytest.fixture(params=[True, False], ids=["reversed", "as it is"])
def model(request):
    torch.manual_seed(3)
    config = SutskeverConfig(width=7, layers=3, initial_range=0.9, reverse_source=request.param)
    return Sutskever(config, 13, 17).double().eval()


@torch.no_grad()
def test_the_equations_with_teacher_forcing(model):
    assert_all_at_once(model, plain_logits, SOURCES, TARGETS)


@torch.no_grad()
def test_the_equations_step_by_step(model):
    assert_step_by_step(model, plain_logits, SOURCES[0], TARGETS[1])


@torch.no_grad()
def test_the_order_of_the_source_is_all_that_reversing_changes():
    torch.manual_seed(4)
    forward, backward = (
        Sutskever(SutskeverConfig(width=5, layers=2, reverse_source=reverse), 13, 17).double()
        for reverse in (False, True)
    )
    backward.load_state_dict(forward.state_dict())
    reads = Sequences.of(TARGETS).reads
    turned = Sequences.of([[*reversed(source[:-1]), EOS] for source in SOURCES])
    given = backward.decode(reads, backward.encode(Sequences.of(SOURCES)))
    assert torch.equal(given, forward.decode(reads, forward.encode(turned)))


def test_reversing_brings_the_first_words_together_and_leaves_the_mean_distance():
    """Section 3.3: the minimal time lag shrinks, the average one does not change."""
    words = 11
    source = Sequences.of([[*range(4, 4 + words), EOS]])

    def lags(read):
        # Word w of the source is read at one time, its translation written when all is read and w - 1 are written.
        return [words + 1 + word - read.tokens[0].tolist().index(4 + word) for word in range(words)]

    before, after = lags(source), lags(words_reversed(source))
    assert (min(before), min(after)) == (words + 1, 2)
    assert sum(before) == sum(after)


def paper_sized() -> Sutskever:
    with torch.device("meta"):
        return Sutskever(SutskeverConfig(), 160_000, 80_000)


def test_section_3_4_counts_384_million_parameters_of_which_64_are_recurrent():
    sizes = {name: parameter.numel() for name, parameter in paper_sized().named_parameters()}
    # Biases are 0.06 million, and not in the paper's count.
    recurrent = sum(size for name, size in sizes.items() if "program.weight" in name)
    assert recurrent == 64_000_000
    assert sum(size for name, size in sizes.items() if "bias" not in name) == 384_000_000
    assert sum(sizes.values()) == pytest.approx(384e6, rel=2e-4)


def test_a_sentence_becomes_8000_numbers():
    config = SutskeverConfig()
    assert 2 * config.layers * config.width == 8000
    small = Sutskever(SutskeverConfig(width=7, layers=3), 13, 17)
    assert sum(tensor[0].numel() for tensor in small.encode(Sequences.of(SOURCES)).tensors()) == 2 * 3 * 7


def test_every_parameter_starts_uniform_within_eight_hundredths():
    torch.manual_seed(6)
    model = Sutskever(SutskeverConfig(width=67, layers=2, initial_range=0.08), 101, 103)
    assert_begins_uniformly(model, 0.08)


def test_parameters_start_as_in_the_paper_at_its_width_and_as_far_apart_at_others():
    assert SutskeverConfig().largest_weight == pytest.approx(0.08)
    # Sums over a quarter of the width vary as much with weights twice as large.
    assert SutskeverConfig(width=250).largest_weight == pytest.approx(0.16)
    assert SutskeverConfig(width=250, initial_range=0.3).largest_weight == 0.3
