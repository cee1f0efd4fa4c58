import pytest

from saccade.errors import ConfigError
from saccade.models.self_attentive import SelfAttentiveConfig


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hops": 0}, "`hops` must be at least 1, but is 0"),
        ({"attention_width": 0}, "`attention_width` must be at least 1, but is 0"),
        ({"penalty": -1.0}, "`penalty` must be at least 0, but is -1.0"),
        ({"penalty": float("nan")}, "`penalty` must be at least 0, but is nan"),
        ({"dropout": 1.0}, r"`dropout` must be in \[0, 1\), but is 1.0"),
    ],
)
def test_a_config_that_cannot_be_says_why(changes, message):
    with pytest.raises(ConfigError, match=message):
        SelfAttentiveConfig(**changes)
