from collections import Counter
from pathlib import Path
from runpy import run_path

import pytest
import torch

from saccade.models.catalogue import ARCHITECTURES, build
from saccade.models.transformer import TransformerConfig
from saccade.training.roofline import floor_tokens_per_second, products

CASES = Path(__file__).parents[2] / "contracts" / "cases"


def model():
    config = TransformerConfig(encoder_layers=2, decoder_layers=3, width=6, inner_width=10, heads=2, tie="none")
    return build("transformer", config, 13, 17)


def test_every_matrix_a_token_goes_through_is_counted():
    attentions = 2 + 2 * 3
    assert products(model()) == Counter({(6, 6): 4 * attentions, (10, 6): 5, (6, 10): 5, (17, 6): 1})


def test_the_floor_is_rows_over_the_time_of_all_products():
    """By a clock that counts its calls every product takes one tick, so a row takes as many as there are."""
    ticks = iter(range(1000))
    found = floor_tokens_per_second(model(), torch.device("cpu"), bfloat16=False, clock=lambda: float(next(ticks)))
    assert found == pytest.approx(1024 / products(model()).total())


@pytest.mark.parametrize("name", sorted(ARCHITECTURES))
def test_tables_are_looked_up_and_nothing_is_counted_twice(name):
    sizes = run_path(str(CASES / f"{name.replace('-', '_')}.py"))["SIZES"]
    model = build(name, ARCHITECTURES[name].config(**sizes), 17, 17)
    through = sum(outputs * inputs * count for (outputs, inputs), count in products(model).items())
    assert through <= sum(parameter.numel() for parameter in model.parameters())
    tables = [module.weight for module in model.modules() if isinstance(module, torch.nn.Embedding)]
    untied = sum(table.numel() for table in tables if table is not model.projection)
    assert through <= sum(parameter.numel() for parameter in model.parameters()) - untied
