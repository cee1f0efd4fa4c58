from collections import Counter
from pathlib import Path
from runpy import run_path

import pytest
import torch

from saccade.layers.embedding import Embedding
from saccade.layers.position import LearnedPositions
from saccade.models.capabilities import projection_of
from saccade.models.catalogue import ARCHITECTURES, build
from saccade.models.transformer import TransformerConfig
from saccade.training.roofline import products, roofline_tokens_per_second

CASES = Path(__file__).parents[2] / "contracts" / "cases"


def model():
    config = TransformerConfig(encoder_layers=2, decoder_layers=3, width=6, inner_width=10, heads=2, tie="none")
    return build("transformer", config, 13, 17)


def test_every_matrix_a_token_goes_through_is_counted():
    attentions = 2 + 2 * 3
    assert products(model()) == Counter({(6, 6): 4 * attentions, (10, 6): 5, (6, 10): 5, (17, 6): 1})


def test_the_roofline_is_rows_over_the_time_of_all_products():
    """By a clock that counts its calls every product takes one tick, so a row takes a tick for each."""
    ticks = iter(range(1000))
    found = roofline_tokens_per_second(model(), torch.device("cpu"), bfloat16=False, clock=lambda: float(next(ticks)))
    assert found == pytest.approx(1024 / products(model()).total())


@pytest.mark.parametrize("name", sorted(ARCHITECTURES))
def test_every_matrix_counts_once_unless_it_is_only_looked_up(name):
    sizes = run_path(str(CASES / f"{name.replace('-', '_')}.py"))["SIZES"]
    model = build(name, ARCHITECTURES[name].config(**sizes), 17, 17)
    tables = {
        id(parameter)
        for module in model.modules()
        if isinstance(module, torch.nn.Embedding | Embedding | LearnedPositions)
        for parameter in module.parameters()
    }
    expected = Counter(
        (parameter.shape[0], parameter.shape[1:].numel())
        for parameter in model.parameters()
        if parameter.ndim > 1 and (id(parameter) not in tables or parameter is projection_of(model))
    )
    assert products(model) == expected
    assert expected or not any(parameter.requires_grad for parameter in model.parameters())
