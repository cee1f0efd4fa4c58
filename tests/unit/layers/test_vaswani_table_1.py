"""The layers of Table 1: their counts are what they compute."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from saccade.attention.recording import recording
from saccade.errors import InputError
from saccade.layers.vaswani_table_1 import KINDS, Table1Sizes, layer, multiply_adds

SIZES = Table1Sizes(width=12, heads=2, kernel=3, reach=5)


def counted(kind: str, length: int, sizes: Table1Sizes) -> int:
    # In double precision torch takes its recurrent layers step by step, where a counter sees the products.
    module, compute = layer(kind, sizes)
    module.double()
    counter = FlopCounterMode(display=False)
    states = torch.randn(1, length, sizes.width, dtype=torch.float64)
    with torch.no_grad(), counter:
        if kind == "self-attention":
            with recording(module):
                compute(states)
        else:
            compute(states)
    return int(counter.get_total_flops()) // 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [13, 29])
def test_the_formula_is_what_the_layer_computes(kind: str, length: int) -> None:
    assert counted(kind, length, SIZES) == multiply_adds(kind, length, SIZES)


@pytest.mark.parametrize("kind", KINDS)
def test_a_layer_keeps_the_shape_of_its_states(kind: str) -> None:
    _, compute = layer(kind, SIZES)
    assert compute(torch.randn(1, 17, 12)).shape == (1, 17, 12)


def test_restricted_attention_computes_all_scores_of_a_short_sentence() -> None:
    assert multiply_adds("restricted", 11, SIZES) == multiply_adds("self-attention", 11, SIZES)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"width": 0}, "`width` must be at least 1"),
        ({"width": 10, "heads": 3}, "multiple of 3 heads"),
        ({"width": 8, "kernel": 4}, "`kernel` must be odd, but is 4"),
        ({"width": 8, "reach": 6}, "`reach` must be odd, but is 6"),
    ],
)
def test_impossible_sizes_are_refused(wrong: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Table1Sizes(**wrong)
