"""What the load test makes of its measurements."""

import pytest
from bench.serve import Memory, _table, direct, verdict


def test_memory_is_judged_by_the_slope_of_the_second_half():
    memory = Memory("http://127.0.0.1:1")
    memory.samples = [(0.0, 100.0), (10.0, 500.0), (20.0, 900.0), (30.0, 901.0), (60.0, 904.0), (90.0, 907.0)]
    assert memory.megabytes_per_minute() == pytest.approx(6.0)
    memory.samples = memory.samples[:3]
    assert memory.megabytes_per_minute() is None


def test_a_plain_loop_is_timed_text_by_text():
    found = direct(str.upper, ["a"] * 10)
    assert found["requests"] == 10
    assert 0 <= found["p50_ms"] <= found["p99_ms"]


def test_the_table_has_a_line_for_each_load():
    load = {"requests": 1234, "per_second": 5.67, "p50_ms": 8.9, "p99_ms": 10.1}
    assert _table({"machine": "x", "full": load}).splitlines()[-1] == "| full | 1,234 | 5.7 | 9 | 10 |"


def test_a_ratio_is_decided_three_standard_errors_away_from_the_rule():
    assert verdict([6.9, 7.0, 7.1, 7.0]) == "holds"
    assert verdict([4.0, 4.1, 4.0, 3.9]) == "fails"
    assert verdict([5.1, 7.0, 4.0, 6.0]) == "undecided"
