import pytest
from bench import environments
from bench.environments import ENVIRONMENTS, EnvironmentFailed, last_line, locked_torch, python_of
from bench.implementations import DECODING, TRAINING


def test_the_reason_is_the_last_line():
    assert last_line("Traceback\n  File x\nKeyError: 'y'\n\n") == "KeyError: 'y'"


def test_what_pip_calls_an_error_goes_before_its_hints():
    assert last_line("ERROR: no such package\n[notice] a new pip\n") == "ERROR: no such package"


def test_no_message_is_said_to_be_none():
    assert last_line("\n \n") == "no message"


def test_torch_is_the_locked_one():
    assert locked_torch().startswith("torch==")


def test_every_implementation_has_its_environment():
    named = {implementation.environment for implementation in (*TRAINING, *DECODING)} - {None}
    # The one asks servers, the other parses; neither is among the translators compared.
    assert named == set(ENVIRONMENTS) - {"locust", "supar"}


def test_a_failure_is_remembered(tmp_path, monkeypatch):
    monkeypatch.setattr(environments, "FOLDER", tmp_path)
    (tmp_path / "joeynmt.failed").write_text("no wheel\n", encoding="utf-8")
    with pytest.raises(EnvironmentFailed, match="^no wheel$"):
        python_of("joeynmt")


def test_an_environment_that_is_ready_is_not_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(environments, "FOLDER", tmp_path)
    (tmp_path / "eole").mkdir()
    (tmp_path / "eole" / "ready").touch()
    assert python_of("eole") == tmp_path / "eole" / "bin" / "python"
