from dataclasses import dataclass

import pytest

from saccade.comparison.parameter_matching import TOLERANCE, narrow, outline, resized, sized, widths
from saccade.comparison.system_spec import systems_for_task
from saccade.errors import ConfigError
from saccade.models.transformer import TransformerConfig
from saccade.models.transformer_classifier import TransformerClassifierConfig
from saccade.weights import parameter_count

VOCABULARIES = (211, 211)


@dataclass(frozen=True)
class Config:
    inner_width: int = 20
    kernel_width: int = 3
    width: int = 10
    value_width: int | None = None
    top_widths: tuple[int, ...] = (5, 40)
    layers: int = 2


def test_widths_are_found_by_name_and_a_kernel_is_none():
    assert widths(Config()) == {"width": 10, "inner_width": 20, "top_widths": (5, 40)}


def test_all_widths_grow_together():
    assert resized(Config(), 30, 2) == Config(width=30, inner_width=60, top_widths=(16, 120))


def shallow(name):
    """The paper's depth costs so much at any width that a small model must be shallow."""
    kind = systems_for_task("translation")[name].config
    layers = {key: 1 for key in ("layers", "encoder_layers", "decoder_layers") if hasattr(kind(), key)}
    heads = {"heads": 2} if hasattr(kind(), "heads") else {}  # a width must be a multiple of them
    return kind(**layers, **heads, maximum_length=64)


@pytest.mark.parametrize("name", systems_for_task("translation"))
@pytest.mark.parametrize("target", [61_000, pytest.param(2_300_000, marks=pytest.mark.slow)])
def test_every_system_comes_within_the_tolerance(name, target):
    found = parameter_count(outline(name, sized(name, shallow(name), VOCABULARIES, target), VOCABULARIES))
    assert abs(found / target - 1) <= TOLERANCE


def test_proportions_are_kept_and_widths_are_round():
    config = TransformerConfig(heads=4, width=64, inner_width=256)
    wider = TransformerConfig(heads=4, width=88, inner_width=352)
    count = parameter_count(outline("transformer", wider, VOCABULARIES))
    assert sized("transformer", config, VOCABULARIES, round(1.01 * count)) == wider


@pytest.mark.slow
def test_where_heads_make_widths_coarse_the_other_widths_make_up_the_difference():
    config, vocabularies = TransformerClassifierConfig(), (8_000, 7)
    found = sized("transformer-classifier", config, vocabularies, 719_000)
    assert found.width % found.heads == 0
    assert found.inner_width != 4 * found.width
    count = parameter_count(outline("transformer-classifier", found, vocabularies))
    assert abs(count / 719_000 - 1) <= TOLERANCE


@pytest.mark.slow
def test_a_size_that_no_width_gives_is_refused():
    with pytest.raises(ConfigError, match="the nearest it comes is"):
        sized("transformer", TransformerConfig(), VOCABULARIES, 100)


@pytest.mark.parametrize("name", systems_for_task("translation"))
def test_a_narrow_copy_is_as_deep(name):
    config = systems_for_task("translation")[name].config()
    small = narrow(config)
    assert next(iter(widths(small).values())) <= 16
    for key in ("layers", "encoder_layers", "decoder_layers"):
        assert getattr(small, key, None) == getattr(config, key, None)
