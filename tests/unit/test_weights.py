import pytest
import torch
from torch import nn

from saccade.errors import FormatError
from saccade.weights import parameter_count, restore_weights, stored_names, weights_of


def tied() -> nn.ModuleDict:
    first, second = nn.Linear(3, 5, bias=False), nn.Linear(3, 5)
    second.weight = first.weight
    return nn.ModuleDict({"first": first, "second": second, "norm": nn.BatchNorm1d(7)})


def test_every_name_leads_to_the_one_a_tied_parameter_is_stored_under():
    first, second = nn.Linear(3, 5), nn.Linear(3, 5)
    second.weight = first.weight
    names = stored_names(nn.Sequential(first, second))
    assert names == {"0.weight": "0.weight", "0.bias": "0.bias", "1.weight": "0.weight", "1.bias": "1.bias"}


def test_a_tied_parameter_is_stored_and_counted_once():
    model = tied()
    assert stored_names(model)["second.weight"] == "first.weight"
    assert "second.weight" not in weights_of(model)
    assert parameter_count(model) == 3 * 5 + 5 + 7 + 7


@pytest.mark.parametrize("assign", [False, True])
def test_what_is_restored_is_equal_and_still_tied(assign):
    model, other = tied(), tied()
    restore_weights(model, {name: tensor.clone() for name, tensor in weights_of(other).items()}, assign=assign)
    assert all(torch.equal(tensor, weights_of(other)[name]) for name, tensor in weights_of(model).items())
    assert model["second"].weight is model["first"].weight


def test_restoring_keeps_the_parameters_that_an_optimizer_holds():
    model = tied()
    before = list(model.parameters())
    restore_weights(model, weights_of(tied()))
    assert all(now is then for now, then in zip(model.parameters(), before, strict=True))


@pytest.mark.parametrize("assign", [False, True])
def test_every_mismatch_is_in_one_message(assign):
    weights = weights_of(tied())
    del weights["second.bias"]
    weights |= {"norm.bias": torch.zeros(2), "stranger": torch.zeros(1)}
    with pytest.raises(FormatError) as caught:
        restore_weights(tied(), weights, "the weights in x", assign=assign)
    assert str(caught.value) == (
        "the weights in x must be those of this model, but norm.bias must have the shape (7,), but has (2,); "
        "second.bias is missing; stranger is not part of the model."
    )
