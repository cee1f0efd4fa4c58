import pytest
import torch

from saccade.errors import ConfigError
from saccade.layers.initialisation import skip_init
from saccade.models.capabilities import CountingModel
from saccade.models.catalogue import ARCHITECTURES, build

SIZES = 11, 11
COMPUTED = {
    "transformer": {"source_positions.table", "target_positions.table"},
    "transformer-classifier": {"positions.table"},
    "transformer-language-model": {"positions.table"},
}
"""The buffers that a constructor computes and no file holds, by architecture; the others have none."""


def made(name):
    """A model of this architecture, and one that is about to be loaded."""
    config = ARCHITECTURES[name].config()
    with skip_init():
        empty = build(name, config, *SIZES)
    return build(name, config, *SIZES), empty


EVERY = [pytest.param(name, marks=[pytest.mark.slow] * (name != "transformer")) for name in sorted(ARCHITECTURES)]


@pytest.mark.parametrize("name", EVERY)
def test_a_model_whose_weights_are_loaded_next_draws_none(name):
    config = ARCHITECTURES[name].config()
    torch.manual_seed(17)
    before = torch.get_rng_state()
    with skip_init():
        empty = build(name, config, *SIZES)
    assert torch.equal(torch.get_rng_state(), before)
    full = build(name, config, *SIZES)
    assert isinstance(full, CountingModel) or not torch.equal(torch.get_rng_state(), before)
    assert {key: tensor.shape for key, tensor in empty.state_dict().items()} == {
        key: tensor.shape for key, tensor in full.state_dict().items()
    }
    stored = full.state_dict()
    assert {key for key, _ in full.named_buffers() if key not in stored} == COMPUTED.get(name, set())


@pytest.mark.parametrize("name", sorted(COMPUTED))
def test_what_a_constructor_computes_is_computed_all_the_same(name):
    full, empty = (dict(model.named_buffers()) for model in made(name))
    for key in COMPUTED[name]:
        assert full[key].abs().sum() > 0
        assert torch.equal(empty[key], full[key])


def test_the_tables_of_a_model_that_counts_are_empty_and_not_undefined():
    full, empty = (dict(model.named_buffers()) for model in made("ngram"))
    assert full
    assert all(torch.equal(empty[key], buffer) for key, buffer in full.items())


def test_an_unknown_architecture_is_refused_with_the_nearest():
    with pytest.raises(ConfigError, match="Did you mean 'transformer'"):
        build("transfomer", None, *SIZES)
