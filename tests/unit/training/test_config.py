import pytest
import torch

from saccade.errors import ConfigError
from saccade.training.config import TrainingConfig


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("steps", 0),
        ("accumulate", 0),
        ("warmup", 0),
        ("label_smoothing", 1.0),
        ("beta2", 1.0),
        ("epsilon", 0.0),
        ("clip", 0.0),
        ("patience", 0),
        ("minutes", 0.0),
        ("seed", -1),
        ("average", 0),
        ("learning_rate_factor", float("nan")),
    ],
)
def test_a_wrong_value_is_refused_by_name(name, value):
    with pytest.raises(ConfigError, match=rf"`training\.{name}` must be .*, but is"):
        TrainingConfig(**{name: value})


def test_a_sharded_run_is_not_compiled():
    assert not TrainingConfig(placement="sharded").compiles(torch.device("cuda"))
    with pytest.raises(ConfigError, match=r"`training\.compile` must be 'never' or 'auto' when sharded"):
        TrainingConfig(placement="sharded", compile="always")


def test_precision_follows_the_device():
    config = TrainingConfig()
    assert config.autocasts(torch.device("cuda"))
    assert not config.autocasts(torch.device("cpu"))
    assert TrainingConfig(precision="bfloat16").autocasts(torch.device("cpu"))
    assert not TrainingConfig(precision="float32").autocasts(torch.device("cuda"))


def test_only_long_runs_on_a_gpu_are_compiled_unasked():
    assert TrainingConfig(steps=100_000).compiles(torch.device("cuda"))
    assert not TrainingConfig(steps=1000).compiles(torch.device("cuda"))
    assert not TrainingConfig(steps=100_000).compiles(torch.device("cpu"))
    assert TrainingConfig(steps=1, compile="always").compiles(torch.device("cpu"))
