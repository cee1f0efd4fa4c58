import pytest
from bench import implementations
from bench.implementations import DECODING, ROOFLINE, TRAINING, select, unknown
from bench.round_robin import started


def test_saccade_and_the_roofline_are_in_every_table():
    keys = [implementation.key for implementation in select(DECODING, ["eole"])]
    assert keys == ["roofline", "saccade", "saccade@ctranslate2", "saccade@readable", "eole"]


def test_a_name_takes_all_variants_and_a_key_one():
    assert [one.key for one in select(DECODING, ["ctranslate2"])][4:] == [
        "ctranslate2@float32",
        "ctranslate2@float32-split",
        "ctranslate2@int8",
        "ctranslate2@int8-split",
    ]
    assert [one.key for one in select(DECODING, ["ctranslate2@int8"])][4:] == ["ctranslate2@int8"]


def test_nothing_asked_for_is_everybody():
    assert select(TRAINING, None) == list(TRAINING)


def test_keys_are_unique():
    for table in (TRAINING, DECODING):
        assert len({one.key for one in table}) == len(table)


def test_strange_names_are_found():
    assert unknown(["huggingface", "hugging_face", "ctranslate2@int8"]) == ["hugging_face"]


@pytest.fixture
def a_cpu_without_bfloat16(monkeypatch):
    monkeypatch.setattr(implementations, "native_bfloat16_matmul", lambda: False)


def test_a_cpu_without_bfloat16_cannot_run_bfloat16(a_cpu_without_bfloat16):
    obstacles = {one.key: one.obstacle for one in TRAINING if one.obstacle is not None}
    assert set(obstacles) == {"huggingface@bfloat16"}
    assert "bfloat16" in obstacles["huggingface@bfloat16"]


def test_what_the_machine_cannot_run_is_listed_with_the_reason_and_not_started(a_cpu_without_bfloat16, tmp_path):
    (low_precision,) = (one for one in TRAINING if one.variant == "bfloat16")
    with started([low_precision], "tiny", "train", 1, tmp_path) as company:
        assert company.failed == {low_precision.key: low_precision.obstacle}
        assert not company.workers
    assert not list(tmp_path.iterdir())


def test_the_roofline_runs_everywhere(a_cpu_without_bfloat16):
    assert ROOFLINE.obstacle is None
