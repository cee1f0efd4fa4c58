import pytest

from saccade.errors import ConfigError
from saccade.models.neural_probabilistic import NeuralProbabilisticConfig


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"order": 1}, "`order` must be at least 2, but is 1"),
        ({"width": 0}, "`width` must be at least 1, but is 0"),
        ({"embedding_width": 0}, "`embedding_width` must be at least 1, but is 0"),
        ({"dropout": 1.0}, r"`dropout` must be in \[0, 1\), but is 1.0"),
    ],
)
def test_a_config_that_cannot_be_says_why(changes, message):
    with pytest.raises(ConfigError, match=message):
        NeuralProbabilisticConfig(**changes)
