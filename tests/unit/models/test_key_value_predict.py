import pytest

from saccade.errors import ConfigError
from saccade.models.key_value_predict import KeyValuePredictConfig


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"width": 0}, "`width` must be at least 1, but is 0"),
        ({"window": 0}, "`window` must be at least 1, but is 0"),
        ({"embedding_width": -1}, "`embedding_width` must be at least 1, but is -1"),
        ({"order": 1}, "`order` must be at least 2, but is 1"),
        ({"dropout": -0.5}, r"`dropout` must be in \[0, 1\), but is -0.5"),
    ],
)
def test_a_config_that_cannot_be_says_why(changes, message):
    with pytest.raises(ConfigError, match=message):
        KeyValuePredictConfig(**changes)
