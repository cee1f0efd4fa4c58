"""Both measures against what they claim: finite differences, and models run one by one without a word."""

import pytest
import torch

from saccade.sequences import Sequences
from saccade.special_tokens import EOS, UNK
from saccade.tracing.influence import agreement, gradient, occlusion
from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json
from saccade.tracing.trace import trace

SOURCE, TARGET = [57, 91, 300, 14, 200, EOS], [31, 77, 120, EOS]
WORDS = [[0, 1], [2], [3, 4], [5]]
SYSTEMS = ["transformer", "rnnsearch", "luong", "convs2s", "lstmn", "seq2seq", "rnn-encoder-decoder", "rctm"]


@torch.no_grad()
def log_probabilities(model, source):
    logits = model.decode(Sequences.of([TARGET]).reads, model.encode(Sequences.of([source])))[0]
    return logits.double().log_softmax(-1)[range(len(TARGET)), TARGET]


@pytest.mark.parametrize("architecture", SYSTEMS)
def test_what_is_lost_with_a_word_is_what_the_model_says_without_it(bundle, architecture):
    model = bundle(architecture).model
    lost = occlusion(model, SOURCE, TARGET, WORDS).double()
    whole = log_probabilities(model, SOURCE)
    for word in WORDS:
        without = [UNK if place in word else token for place, token in enumerate(SOURCE)]
        assert torch.allclose(lost[:, word].sum(1), whole - log_probabilities(model, without), atol=1e-5)
    assert torch.equal(lost[:, 0], lost[:, 1])


@pytest.mark.parametrize("architecture", SYSTEMS)
def test_the_gradient_is_the_slope_of_the_log_probability(bundle, architecture):
    """Small steps along every axis of a vector find the same slope."""
    # Where the source's vectors are also the output's, moving one would move more than what is read.
    model = bundle(architecture, "tied target").model.double()
    lengths = gradient(model, SOURCE, TARGET)
    assert lengths.shape == (len(TARGET), len(SOURCE))
    table = next(each for name, each in model.named_modules() if name.endswith("embedding") and "target" not in name)
    scale = getattr(table, "scale", 1.0)
    place, step = 2, 1e-4
    row = table.weight.detach()[SOURCE[place]].clone()
    slopes = []
    with torch.no_grad():
        for direction in range(len(row)):
            said = []
            for sign in (1, -1):
                moved = row.clone()
                moved[direction] += sign * step / scale
                table.weight[SOURCE[place]] = moved
                said.append(log_probabilities(model, SOURCE))
            table.weight[SOURCE[place]] = row
            slopes.append((said[0] - said[1]) / (2 * step))
    assert torch.allclose(torch.stack(slopes).norm(dim=0), lengths[:, place], rtol=1e-4, atol=1e-9)


def test_looking_at_the_gradient_leaves_none_behind(bundle):
    model = bundle("transformer").model
    gradient(model, SOURCE, TARGET)
    assert all(parameter.grad is None for parameter in model.parameters())
    assert not any(module._forward_hooks for module in model.modules())


def test_agreement_is_the_correlation_over_ordinary_columns():
    reference = torch.tensor([[0.0, 1.0, 9.0], [2.0, 3.0, -9.0]])
    assert agreement(2 * reference + 1, reference, [0, 1]) == pytest.approx(1)
    assert agreement(-reference, reference, [0, 1]) == pytest.approx(-1)
    assert agreement(torch.ones(2, 3), reference, [0, 1]) is None


def test_the_best_head_is_the_one_that_agrees_most(bundle):
    document = trace(bundle("transformer"), "A dog runs.", TraceOptions(detail=("influence",)))
    best = document["alignment"]["best"]
    reference = torch.from_numpy(from_json(document["tensors"]["influence.occlusion"]).copy())
    ordinary = [token["i"] for token in document["axes"]["source"]["tokens"] if not token["special"]]
    others = [
        agreement(torch.from_numpy(weights.copy()), reference, ordinary)
        for block in document["blocks"]
        if block["kind"] == "cross"
        for weights in from_json(document["tensors"][block["tensors"]["weights"]])
    ]
    assert best["agreement"] == pytest.approx(max(others))


def test_without_a_source_there_is_no_influence(bundle):
    document = trace(bundle("rnn-language-model"), "A dog runs.", TraceOptions(detail=("all",)))
    assert document["influence"] is None
