import importlib.util

import pytest

from saccade.errors import ConfigError
from saccade.training.tensorboard import tensorboard

INSTALLED = importlib.util.find_spec("tensorboard") is not None


@pytest.mark.skipif(INSTALLED, reason="the extra is installed")
def test_the_missing_extra_is_named(tmp_path):
    with pytest.raises(ConfigError, match="pip install 'tensorboard>="):
        tensorboard(tmp_path)


@pytest.mark.skipif(not INSTALLED, reason="the extra is not installed")
@pytest.mark.filterwarnings("ignore")
def test_losses_become_curves(tmp_path):
    hear = tensorboard(tmp_path)
    hear({"event": "note", "text": "nothing to draw"})
    assert list(tmp_path.iterdir()) == []
    hear({"event": "train", "step": 3, "loss": 1.5})
    hear({"event": "checkpoint", "step": 3})
    assert [path.name for path in tmp_path.iterdir() if "tfevents" in path.name]
