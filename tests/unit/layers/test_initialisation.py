from dataclasses import fields

import pytest
import torch
from torch import nn

from saccade.attention.scores import ActivatedGeneral, Cosine
from saccade.layers.initialisation import init_uniform, scale_initial, scaled_range
from saccade.layers.weight_normalisation import NormalisedLinear
from saccade.models.catalogue import ARCHITECTURES, build


def test_sums_over_any_width_vary_as_over_the_published_one():
    # The variance of a sum of n products with a weight from [-r, r] is n r^2 / 3.
    assert 250 * scaled_range(250, 0.08) ** 2 == pytest.approx(1000 * 0.08**2)


def test_every_parameter_is_drawn_but_the_second_bias_which_is_zero():
    torch.manual_seed(5)
    network = nn.LSTM(7, 11, num_layers=2)
    init_uniform(network, 0.3)
    for name, parameter in network.named_parameters():
        largest = parameter.abs().max().item()
        assert largest == 0.0 if "bias_hh" in name else 0.2 < largest <= 0.3


def test_a_single_number_keeps_its_value():
    scores = nn.ModuleList([Cosine(), ActivatedGeneral(3, 3)])
    init_uniform(scores, 0.3)
    assert scores[0].log_factor == 0.0  # a factor of one
    assert scores[1].bias == 0.0
    assert scores[1].query.weight.abs().max() <= 0.3


@pytest.mark.parametrize("architecture", ["transformer", "convs2s", "seq2seq"])
def test_initial_weights_are_scaled_and_nothing_else(architecture):
    config = ARCHITECTURES[architecture].config
    small = {"width": 8, "heads": 2, "inner_width": 8, "encoder_layers": 1, "decoder_layers": 1, "layers": 1}
    known = {field.name for field in fields(config)}
    settings = config(**{name: value for name, value in small.items() if name in known})
    torch.manual_seed(3)
    before = build(architecture, settings, 11, 11)
    torch.manual_seed(3)
    after = build(architecture, settings, 11, 11)
    scale_initial(after, 0.5)
    for name, module in before.named_modules():
        if isinstance(module, NormalisedLinear):
            torch.testing.assert_close(after.get_submodule(name).weight, module.weight / 2)
    for (name, old), new in zip(before.named_parameters(), after.parameters(), strict=True):
        scaled = old.dim() > 1 or name.endswith(".length")
        assert torch.equal(new, old / 2 if scaled else old), name
