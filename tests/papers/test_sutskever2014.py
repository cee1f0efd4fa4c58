"""Sutskever et al. 2014, written out position by position and number by number, against saccade's model."""

import pytest
import torch

from saccade.layers.order import words_reversed
from saccade.models.seq2seq import SequenceToSequence, SequenceToSequenceConfig
from saccade.sequences import BOS, EOS, Sequences

SOURCES = [[7, 5, 9, 12, 4, EOS], [11, EOS], [6, 6, 8, EOS]]
TARGETS = [[5, 8, EOS], [9, 4, 12, 7, 10, EOS], [6, EOS]]


def lstm_cell(weights, layer, below, hidden, cell):
    """One LSTM unit without peepholes; torch keeps the rows of its four gates in the order i, f, g, o."""
    total = (
        weights[f"weight_ih_l{layer}"] @ below
        + weights[f"bias_ih_l{layer}"]
        + weights[f"weight_hh_l{layer}"] @ hidden
        + weights[f"bias_hh_l{layer}"]
    )
    size = len(hidden)
    i, f, g, o = (total[part * size : (part + 1) * size] for part in range(4))
    logistic = [1 / (1 + torch.exp(-gate)) for gate in (i, f, o)]
    cell = logistic[1] * cell + logistic[0] * torch.tanh(g)
    return logistic[2] * torch.tanh(cell), cell


def run(weights, layers, inputs, states):
    """All positions in turn; gives the top states and what each layer ends with."""
    tops = []
    for below in inputs:
        for layer in range(layers):
            states[layer] = lstm_cell(weights, layer, below, *states[layer])
            below = states[layer][0]
        tops.append(below)
    return tops, states


def plain_logits(model, source, target):
    """The logits of one pair; nothing of saccade's layers is used, only their numbers."""
    numbers = {name: tensor.detach() for name, tensor in model.named_parameters()}
    config = model.config
    order = [*reversed(source[:-1]), EOS] if config.reverse_source else source
    sides = [
        {name.split(".")[-1]: tensor for name, tensor in numbers.items() if name.startswith(f"{side}.program")}
        for side in ("encoder", "decoder")
    ]
    nothing = torch.zeros(config.width, dtype=torch.float64)
    start = [(nothing, nothing)] * config.layers
    read = [numbers["source_embedding.weight"][token] for token in order]
    _, thought = run(sides[0], config.layers, read, start)
    written = [numbers["target_embedding.weight"][token] for token in [BOS, *target[:-1]]]
    tops, _ = run(sides[1], config.layers, written, thought)
    return torch.stack([numbers["output.weight"] @ top for top in tops])


@pytest.fixture(params=[True, False], ids=["reversed", "as it is"])
def model(request):
    torch.manual_seed(3)
    config = SequenceToSequenceConfig(width=7, layers=3, initial_range=0.9, reverse_source=request.param)
    return SequenceToSequence(config, 13, 17).double().eval()


@torch.no_grad()
def test_the_equations_with_teacher_forcing(model):
    source, target = Sequences.of(SOURCES), Sequences.of(TARGETS)
    logits = model.decode(target.reads, model.encode(source))
    for row, (one, other) in enumerate(zip(SOURCES, TARGETS, strict=True)):
        torch.testing.assert_close(logits[row, : len(other)], plain_logits(model, one, other), rtol=0, atol=1e-12)


@torch.no_grad()
def test_the_equations_step_by_step(model):
    source, target = SOURCES[0], TARGETS[1]
    expected = plain_logits(model, source, target)
    state = model.start(model.encode(Sequences.of([source])))
    for position, token in enumerate([BOS, *target[:-1]]):
        logits, state = model.step(torch.tensor([token]), state)
        torch.testing.assert_close(logits[0], expected[position], rtol=0, atol=1e-12)


@torch.no_grad()
def test_the_order_of_the_source_is_all_that_reversing_changes():
    torch.manual_seed(4)
    forward, backward = (
        SequenceToSequence(SequenceToSequenceConfig(width=5, layers=2, reverse_source=reverse), 13, 17).double()
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


def paper_sized() -> SequenceToSequence:
    with torch.device("meta"):
        return SequenceToSequence(SequenceToSequenceConfig(), 160_000, 80_000)


def test_section_3_4_counts_384_million_parameters_of_which_64_are_recurrent():
    sizes = {name: parameter.numel() for name, parameter in paper_sized().named_parameters()}
    # Biases are 0.06 million, and not in the paper's count.
    recurrent = sum(size for name, size in sizes.items() if "program.weight" in name)
    assert recurrent == 64_000_000
    assert sum(size for name, size in sizes.items() if "bias" not in name) == 384_000_000
    assert sum(sizes.values()) == pytest.approx(384e6, rel=2e-4)


def test_a_sentence_becomes_8000_numbers():
    config = SequenceToSequenceConfig()
    assert 2 * config.layers * config.width == 8000
    small = SequenceToSequence(SequenceToSequenceConfig(width=7, layers=3), 13, 17)
    assert sum(tensor[0].numel() for tensor in small.encode(Sequences.of(SOURCES)).tensors()) == 2 * 3 * 7


def test_every_parameter_starts_uniform_within_eight_hundredths():
    torch.manual_seed(6)
    model = SequenceToSequence(SequenceToSequenceConfig(width=67, layers=2, initial_range=0.08), 101, 103)
    for name, parameter in model.named_parameters():
        if "bias_hh" in name:
            assert not parameter.any(), "torch's second bias must leave the first alone"
            continue
        assert parameter.abs().max() <= 0.08, name
        assert parameter.std().item() == pytest.approx(0.08 / 3**0.5, rel=0.1), name


def test_parameters_start_as_in_the_paper_at_its_width_and_as_far_apart_at_others():
    assert SequenceToSequenceConfig().largest_weight == pytest.approx(0.08)
    # Sums over a quarter of the width vary as much with weights twice as large.
    assert SequenceToSequenceConfig(width=250).largest_weight == pytest.approx(0.16)
    assert SequenceToSequenceConfig(width=250, initial_range=0.3).largest_weight == 0.3
