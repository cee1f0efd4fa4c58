import pytest
import torch

from saccade.errors import ConfigError
from saccade.models.catalogue import ARCHITECTURES, build, undrawn

SIZES = 11, 11


@pytest.mark.parametrize("name", sorted(ARCHITECTURES))
def test_a_model_whose_weights_are_loaded_next_draws_none(name):
    config = ARCHITECTURES[name].config()
    torch.manual_seed(17)
    before = torch.get_rng_state()
    with undrawn():
        empty = build(name, config, *SIZES)
    assert torch.equal(torch.get_rng_state(), before)
    full = build(name, config, *SIZES)
    assert full.counts or not torch.equal(torch.get_rng_state(), before)
    assert {key: tensor.shape for key, tensor in empty.state_dict().items()} == {
        key: tensor.shape for key, tensor in full.state_dict().items()
    }


@pytest.mark.parametrize("name", sorted(ARCHITECTURES))
def test_what_a_model_computes_is_computed_all_the_same(name):
    config = ARCHITECTURES[name].config()
    with undrawn():
        empty = build(name, config, *SIZES)
    full = build(name, config, *SIZES)
    learned = dict(full.named_parameters())
    computed = {key: buffer for key, buffer in full.named_buffers() if key not in learned}
    assert computed or name != "transformer"  # whose positions are computed, not learned
    assert all(torch.equal(dict(empty.named_buffers())[key], buffer) for key, buffer in computed.items())


def test_an_unknown_architecture_is_refused_with_the_nearest():
    with pytest.raises(ConfigError, match="Did you mean 'transformer'"):
        build("transfomer", None, *SIZES)
