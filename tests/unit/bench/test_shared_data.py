import pytest
from bench.shared_data import sharing_data


def train(run, shared):
    """As a run that prepares data unless it has some; whether it did."""
    with sharing_data(run, shared):
        prepares = not (run / "data").exists()
        if prepares:
            (run / "data").mkdir(parents=True)
            (run / "data" / "made by").write_text(run.name)
    return prepares


def test_the_first_run_prepares_for_the_others(tmp_path):
    assert [train(tmp_path / name, tmp_path / "data") for name in "abc"] == [True, False, False]
    assert {(tmp_path / name / "data" / "made by").read_text() for name in "abc"} == {"a"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c", "data"]


def test_who_comes_second_leaves_what_is_there(tmp_path):
    with sharing_data(tmp_path / "b", tmp_path / "data"):
        (tmp_path / "b" / "data").mkdir(parents=True)
        train(tmp_path / "a", tmp_path / "data")
    assert (tmp_path / "data" / "made by").read_text() == "a"


def test_a_run_that_fails_leaves_nothing_to_others(tmp_path):
    with pytest.raises(ValueError, match="no"), sharing_data(tmp_path / "a", tmp_path / "data"):
        raise ValueError("no")
    assert not (tmp_path / "data").exists()
