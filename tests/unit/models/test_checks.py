from dataclasses import fields
from typing import get_type_hints

import pytest

from saccade.errors import ConfigError
from saccade.models.catalogue import ARCHITECTURES

MAY_BE_ZERO = ("target_space_rows", "attention_window", "position_offset")
"""No rows, a window that sees the position itself alone, and positions that begin with the first row."""


def asked(*kinds):
    """Every field of one of these kinds, of every config."""
    return [
        (name, field.name)
        for name, known in ARCHITECTURES.items()
        for field in fields(known.config)
        if get_type_hints(known.config)[field.name] in kinds and field.name not in MAY_BE_ZERO
    ]


@pytest.mark.parametrize(("name", "size"), asked(int, int | None))
def test_every_size_of_every_system_must_be_one_or_more(name, size):
    with pytest.raises(ConfigError, match=rf"`{size}` must be .*, but is 0\."):
        ARCHITECTURES[name].config(**{size: 0})


@pytest.mark.parametrize(
    ("name", "size"),
    [(name, size) for name, known in ARCHITECTURES.items() for size in MAY_BE_ZERO if hasattr(known.config, size)],
)
def test_what_may_be_zero_must_not_be_less(name, size):
    with pytest.raises(ConfigError, match=rf"`{size}` must be at least 0, but is -1\."):
        ARCHITECTURES[name].config(**{size: -1})


@pytest.mark.parametrize(("name", "share"), [field for field in asked(float) if "dropout" in field[1]])
@pytest.mark.parametrize("value", [-0.1, 1.0, float("nan")])
def test_every_dropout_of_every_system_must_be_a_share(name, share, value):
    with pytest.raises(ConfigError, match=rf"`{share}` must be in \[0, 1\), but is {value}\. Choose a share"):
        ARCHITECTURES[name].config(**{share: value})


SPREADS = ("deviation", "initial_range", "initial_deviation", "length_ratio", "rate", "norm_epsilon")


@pytest.mark.parametrize(("name", "spread"), [field for field in asked(float, float | None) if field[1] in SPREADS])
@pytest.mark.parametrize("value", [0.0, float("nan")])
def test_every_spread_of_every_system_must_be_more_than_zero(name, spread, value):
    with pytest.raises(ConfigError, match=rf"`{spread}` must be more than 0, but is {value}"):
        ARCHITECTURES[name].config(**{spread: value})
