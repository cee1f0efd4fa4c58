import pytest
import torch
from torch import nn

from saccade.errors import ConfigError
from saccade.layers.adapters import AdaptedLinear, add_adapters, merged

BATCH, INPUTS, OUTPUTS, RANK = 5, 7, 3, 2


@pytest.fixture
def model(generator):
    """Two linear maps, of which one stands in two places, and an embedding."""
    shared = nn.Linear(INPUTS, INPUTS)
    made = nn.ModuleDict({"table": nn.Embedding(11, INPUTS), "one": shared, "again": shared})
    made["last"] = nn.Sequential(nn.ReLU(), nn.Linear(INPUTS, OUTPUTS, bias=False))
    for parameter in made.parameters():
        nn.init.normal_(parameter, generator=generator)
    return made


def run(model, tokens):
    return model["last"](model["again"](model["one"](model["table"](tokens))))


def drawn(model, generator):
    for module in model.modules():
        if isinstance(module, AdaptedLinear):
            nn.init.normal_(module.b, generator=generator)
    return model


def test_the_equation(generator):
    linear = nn.Linear(INPUTS, OUTPUTS)
    adapted = AdaptedLinear(linear, RANK)
    nn.init.normal_(adapted.b, generator=generator)
    x = torch.randn(INPUTS, generator=generator)
    a, b = adapted.a.tolist(), adapted.b.tolist()
    w, bias = linear.weight.tolist(), linear.bias.tolist()
    found = adapted(x.unsqueeze(0))[0].tolist()
    for i in range(OUTPUTS):
        row = [w[i][j] + sum(b[i][r] * a[r][j] for r in range(RANK)) for j in range(INPUTS)]
        assert found[i] == pytest.approx(sum(map(float.__mul__, row, x.tolist())) + bias[i], abs=1e-5)


def test_it_begins_as_the_model_and_trains_the_adapters_alone(model):
    tokens = torch.arange(BATCH)
    before = run(model, tokens)
    add_adapters(model, RANK)
    assert torch.equal(run(model, tokens), before)
    trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    assert trained == {"one.a", "one.b", "last.1.a", "last.1.b"}
    assert model["one"] is model["again"]


def test_merged_it_computes_the_same_under_the_old_names(model, generator):
    tokens, names = torch.arange(BATCH), list(model.state_dict())
    add_adapters(model, RANK)
    drawn(model, generator)
    expected = run(model, tokens)
    plain = merged(model)
    assert list(plain.state_dict()) == names
    assert all(type(module) is not AdaptedLinear for module in plain.modules())
    assert torch.equal(run(plain, tokens), expected)
    assert torch.equal(run(model, tokens), expected), "the adapters of the original stay"
    assert merged(plain) is plain


def test_a_rank_beyond_any_map_is_refused_before_anything_is_made(model):
    with pytest.raises(ConfigError, match=f"`adapters` must be at most {INPUTS}, .* but is 100000000000"):
        add_adapters(model, 100_000_000_000)
    assert not any(isinstance(module, AdaptedLinear) for module in model.modules())
    add_adapters(model, INPUTS)


def test_a_model_without_linear_maps_is_refused():
    with pytest.raises(ConfigError, match="no linear maps"):
        add_adapters(nn.Embedding(3, 4), RANK)
