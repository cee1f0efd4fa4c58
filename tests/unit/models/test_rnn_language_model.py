import pytest

from saccade.errors import ConfigError
from saccade.models.rnn_language_model import RNNLanguageModelConfig


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"width": 0}, "`width` must be at least 1, but is 0"),
        ({"layers": 0}, "`layers` must be at least 1, but is 0"),
        ({"embedding_width": 0}, "`embedding_width` must be at least 1, but is 0"),
        ({"dropout": 1.0}, r"`dropout` must be in \[0, 1\), but is 1.0"),
        ({"width": 5, "embedding_width": 7, "tie": "target"}, "but is 7 with a width of 5. Leave it out"),
    ],
)
def test_a_config_that_cannot_be_says_why(changes, message):
    with pytest.raises(ConfigError, match=message):
        RNNLanguageModelConfig(**changes)
