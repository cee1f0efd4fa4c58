"""The fast way of a training step on a CPU against the readable one: padded rows, logits, plain loss."""

import pytest
import torch

from saccade.models.contract import IMPOSSIBLE
from saccade.models.transformer import Transformer, TransformerConfig
from saccade.sequences import Pairs, Sequences
from saccade.training.label_smoothing import smoothed_cross_entropy
from saccade.training.objective import Objective

VOCABULARY = 29


def random_pairs(seed: int) -> Pairs:
    generator = torch.Generator().manual_seed(seed)

    def side(longest: int) -> Sequences:
        lengths = torch.randint(1, longest, (7,), generator=generator).tolist()
        return Sequences.of([[*torch.randint(4, VOCABULARY, (n,), generator=generator).tolist(), 1] for n in lengths])

    return Pairs(side(17), side(13))


@pytest.mark.parametrize(("norm", "window", "biased"), [
    ("post", None, False), ("post", 2, False), ("pre", None, False), ("pre", 2, False), ("post", None, True),
])  # fmt: skip
def test_losses_and_gradients_are_those_of_the_readable_way(norm, window, biased):
    torch.manual_seed(3)
    config = TransformerConfig(
        encoder_layers=2, decoder_layers=3, width=15, inner_width=22, heads=3, dropout=0.0, norm=norm,
        attention_window=window, output_bias=biased,
    )  # fmt: skip
    model = Transformer(config, VOCABULARY, VOCABULARY).train()
    if biased:
        with torch.no_grad():
            model.output_bias.normal_()
            model.output_bias[3] = IMPOSSIBLE  # as BOS has it in a model that was imported
    pairs = random_pairs(5)
    names, parameters = zip(*model.named_parameters(), strict=True)
    found = Objective(model, 0.1, autocast=False)(pairs)
    gradients = torch.autograd.grad(found.smoothed, parameters)

    model.double()
    logits = model.decode(pairs.target.reads, model.encode(pairs.source))
    expected = smoothed_cross_entropy(logits, pairs.target.tokens, pairs.target.mask, 0.1)
    expected_gradients = torch.autograd.grad(expected.smoothed, list(model.parameters()))
    for a, b in zip(found, expected, strict=True):
        assert a.item() == pytest.approx(b.item(), rel=1e-5)
    for name, a, b in zip(names, gradients, expected_gradients, strict=True):
        assert torch.allclose(a.double(), b, rtol=1e-3, atol=1e-3 * float(b.abs().max())), name


@pytest.mark.parametrize("attention_dropout", [0.0, 0.3])
def test_the_same_seed_gives_the_same_step(attention_dropout):
    torch.manual_seed(3)
    config = TransformerConfig(
        encoder_layers=1, decoder_layers=1, width=15, inner_width=22, heads=3, dropout=0.3, inner_dropout=0.2,
        attention_dropout=attention_dropout,
    )  # fmt: skip
    objective = Objective(Transformer(config, VOCABULARY, VOCABULARY).train(), 0.1, autocast=False)
    losses = []
    for seed in (11, 11, 12):
        torch.manual_seed(seed)
        losses.append(objective(random_pairs(5)).smoothed.item())
    assert losses[0] == losses[1] != losses[2]
