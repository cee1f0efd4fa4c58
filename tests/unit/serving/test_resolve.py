import pytest

from saccade.errors import InputError
from saccade.serving import resolve as module
from saccade.serving.resolve import resolve, shipped_models


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    (tmp_path / "shipped" / "en-es").mkdir(parents=True)
    (tmp_path / "shipped" / "en-es" / "config.json").write_text("{}")
    monkeypatch.setattr(module, "SHIPPED", tmp_path / "shipped")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "shipped" / "en-es"


def test_a_model_folder_is_itself(folder):
    assert resolve(folder) == resolve(str(folder)) == folder


def test_a_run_is_its_model(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    assert resolve(tmp_path) == tmp_path / "model"


def test_a_shipped_model_goes_by_its_name(shipped):
    assert shipped_models() == {"en-es": shipped}
    assert resolve("en-es") == shipped


def test_a_folder_goes_before_a_shipped_model_of_its_name(shipped, tmp_path):
    (tmp_path / "en-es").mkdir()
    (tmp_path / "en-es" / "config.json").write_text("{}")
    assert resolve("en-es").absolute() == tmp_path / "en-es"


def test_a_folder_of_something_else_does_not_hide_a_shipped_model(shipped, tmp_path):
    (tmp_path / "en-es").mkdir()
    assert resolve("en-es") == shipped


def test_an_unknown_name_gets_the_list_and_the_nearest(shipped):
    with pytest.raises(InputError, match=r"a shipped model \(en-es\), but is 'en-se'. Did you mean 'en-es'\?"):
        resolve("en-se")


def test_a_run_without_a_model_says_how_to_go_on(tmp_path):
    (tmp_path / "recipe.toml").write_text("")
    with pytest.raises(InputError, match="no finished model yet. Continue it"):
        resolve(tmp_path)


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(InputError, match="has no config.json"):
        resolve(tmp_path)
