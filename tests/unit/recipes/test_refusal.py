import pytest

from saccade.errors import ConfigError
from saccade.recipes.recipe import load_recipe
from saccade.recipes.refusal import refuse_what_cannot_be_built
from saccade.runs.run import train

RNNSEARCH = ("model.architecture=rnnsearch", "model.width=8")


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ((*RNNSEARCH, "model.score=dot"), r"'dot' multiplies query and key, .* 8 and 16 numbers"),
        (("model.maximum_length=16",), r"`data.maximum_length` must be at most `model.maximum_length`, 16, but is 32"),
    ],
)
def test_what_needs_no_text_to_be_known_is_refused_before_text_is_read(overrides, message, tmp_path, monkeypatch):
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path / "cache"))
    heard = []
    with pytest.raises(ConfigError, match=message):
        train("tiny", tmp_path / "run", overrides=overrides, device="cpu", listeners=(heard.append,))
    assert heard == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("overrides", [(), (*RNNSEARCH, "model.score=general")])
def test_what_can_be_built_is_left_alone(overrides):
    refuse_what_cannot_be_built(load_recipe("tiny", overrides))
