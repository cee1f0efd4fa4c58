import pytest
import torch
from torch import nn

from saccade.sequences import Pairs, Sequences
from saccade.special_tokens import EOS
from saccade.training.activation_checkpointing import checkpoint_layers, layers_of
from saccade.training.objective import Objective


@pytest.fixture
def pairs():
    return Pairs(
        Sequences.of([[5, 6, 7, EOS], [8, EOS], [4, 4, 9, 5, 6, EOS]]), Sequences.of([[7, EOS], [8, 8, EOS], [5, EOS]])
    )


def gradients(model, pairs, seed=3):
    model.train()
    torch.manual_seed(seed)
    Objective(model, 0.1, False)(pairs).smoothed.backward()
    return {name: parameter.grad for name, parameter in model.named_parameters()}


def test_gradients_are_the_same_bits_with_dropout_and_all(toy, pairs):
    kept, forgotten = toy.model(dropout=0.3), toy.model(dropout=0.3)
    checkpoint_layers(forgotten)
    expected, found = gradients(kept, pairs), gradients(forgotten, pairs)
    assert found.keys() == expected.keys()
    assert [name for name in expected if not torch.equal(found[name], expected[name])] == []


def test_dropout_has_something_to_drop(toy, pairs):
    """Otherwise the test above would not see a generator that runs on."""
    one, other = gradients(toy.model(dropout=0.3), pairs), gradients(toy.model(dropout=0.3), pairs, seed=4)
    assert not torch.equal(one["target_embedding.weight"], other["target_embedding.weight"])


def test_a_layer_runs_twice_in_training_and_once_otherwise(toy, pairs):
    model = toy.model()
    runs = []
    model.encoder.layers[0].feedforward.register_forward_hook(lambda *_: runs.append(1))
    checkpoint_layers(model)
    gradients(model, pairs)
    assert len(runs) == 2
    model.eval()
    with torch.no_grad():
        model.encode(pairs.source)
    assert len(runs) == 3


def test_less_is_kept_for_the_way_back(toy, pairs):
    def kept(model):
        held = []

        def pack(tensor):
            held.append(tensor.numel())
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            Objective(model.train(), 0.1, False)(pairs)
        return sum(held)

    plain, forgetting = toy.model(), toy.model()
    checkpoint_layers(forgetting)
    assert kept(forgetting) < 0.6 * kept(plain)


def test_layers_are_the_entries_of_lists_the_outermost_where_they_nest():
    inner = nn.Sequential(nn.ModuleList([nn.Linear(2, 3)]))
    model = nn.Sequential(nn.Linear(5, 7), nn.Sequential(nn.ModuleList([inner, nn.Linear(3, 2)])))
    assert layers_of(model) == [inner, model[1][0][1]]
