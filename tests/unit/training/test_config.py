import pytest
import torch

from saccade.errors import ConfigError
from saccade.training.config import OPTIMIZER_KEYS, TrainingConfig


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("steps", 0),
        ("batch_tokens", 2**31),
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


@pytest.mark.parametrize("fast", [False, True])
def test_precision_follows_the_device(monkeypatch, fast):
    monkeypatch.setattr("saccade.training.config.fast_bfloat16_matmul", lambda: fast)
    config = TrainingConfig()
    assert config.autocasts(torch.device("cuda"), packed=False)
    assert config.autocasts(torch.device("cpu"), packed=True) == fast
    assert not config.autocasts(torch.device("cpu"), packed=False)


def test_precision_is_what_was_asked_for():
    assert TrainingConfig(precision="bfloat16").autocasts(torch.device("cpu"), packed=False)
    assert not TrainingConfig(precision="float32").autocasts(torch.device("cuda"), packed=True)


def test_batches_are_packed_unless_the_layout_says_otherwise():
    assert TrainingConfig().packs
    assert TrainingConfig(layout="packed").packs
    assert not TrainingConfig(layout="padded").packs


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("learning_rate", {"learning_rate": 0.0}),
        ("learning_rate_factor", {"learning_rate": 0.1, "learning_rate_factor": 2.0}),
        ("halve_after", {"schedule": "halving"}),
        ("halve_every", {"schedule": "halving", "halve_after": 7}),
        ("halve_every", {"schedule": "halving", "halve_after": 7, "halve_every": 0}),
        ("halve_after", {"halve_after": 7}),
        ("plateau_divisor", {"plateau_divisor": 1.0}),
        ("plateau_divisor", {"plateau_divisor": 2.0}),
        ("momentum", {"optimizer": "nesterov"}),
        ("momentum", {"optimizer": "muon"}),
        ("placement", {"optimizer": "schedule_free", "placement": "sharded"}),
        ("momentum", {"momentum": 1.0}),
        ("rho", {"rho": 1.0}),
        ("ada_epsilon", {"ada_epsilon": 0.0}),
    ],
)
def test_what_does_not_go_together_is_refused_by_name(name, given):
    with pytest.raises(ConfigError, match=rf"`training\.{name}` must be .*, but is"):
        TrainingConfig(**given)


@pytest.mark.parametrize(
    ("optimizer", "key", "value", "users"),
    [
        ("adam", "momentum", 0.9, "sgd, nesterov and muon use"),
        ("adam", "rho", 0.9, "adadelta uses"),
        ("adagrad", "beta1", 0.8, "adam, schedule_free and muon use"),
        ("sgd", "ada_epsilon", 1e-5, "adadelta and adagrad use"),
    ],
)
def test_a_key_that_the_optimizer_does_not_use_is_refused_with_who_does(optimizer, key, value, users):
    message = rf"`training\.{key}` must be left out with {optimizer}, since only {users} it, but is {value}"
    with pytest.raises(ConfigError, match=message):
        TrainingConfig(optimizer=optimizer, **{key: value})


@pytest.mark.parametrize(("key", "optimizer"), [(key, user) for key, users in OPTIMIZER_KEYS.items() for user in users])
def test_a_key_is_taken_by_the_optimizers_that_use_it(key, optimizer):
    given = {"momentum": 0.9} if optimizer == "muon" else {}
    given |= {key: 0.5, "optimizer": optimizer}
    assert getattr(TrainingConfig(**given), key) == 0.5
