"""Systems that align better in every way of reading them."""

from collections.abc import Sequence
from typing import Any

from bench.lineage.alignment_order import ATTENDS_ONCE, WAYS, ahead, order, rates

LOW, HIGH, WIDE = (0.10, 0.11, 0.12), (0.30, 0.31, 0.32), (0.05, 0.30, 0.65)


def new(architecture: str, seeds: Sequence[float]) -> dict[str, Any]:
    reading = [{way: {"alignment_error": {"error_rate": value}} for way in WAYS} for value in seeds]
    return {"architecture": architecture, "alignment_errors": [], "alignment_readings": reading}


def old(architecture: str, seeds: Sequence[float]) -> dict[str, Any]:
    return {"architecture": architecture, "alignment_errors": [{"error_rate": value} for value in seeds]}


def test_a_difference_must_be_beyond_three_standard_errors() -> None:
    assert ahead(LOW, HIGH) is True
    assert ahead(HIGH, LOW) is False
    assert ahead(LOW, WIDE) is None


def test_a_small_difference_decides_nothing_however_steady() -> None:
    assert ahead((0.1, 0.1, 0.1), (0.11, 0.11, 0.11)) is None


def test_one_seed_decides_nothing() -> None:
    assert ahead(LOW[:1], HIGH[:1]) is None


def test_ways_that_disagree_leave_the_order_open() -> None:
    one = dict.fromkeys(WAYS, LOW)
    assert order(one, dict.fromkeys(WAYS, HIGH)) is True
    assert order(one, {**dict.fromkeys(WAYS, HIGH), WAYS[0]: LOW}) is None


def test_a_later_report_replaces_a_system_and_one_old_reading_stands_only_for_one_attention() -> None:
    reports = [
        {"systems": [old("transformer", LOW), old(ATTENDS_ONCE[0], HIGH), old("convs2s", LOW)]},
        {"systems": [new("transformer", WIDE)]},
    ]
    found = rates(reports)
    assert set(found) == {"transformer", ATTENDS_ONCE[0]}
    assert list(found["transformer"][WAYS[2]]) == list(WIDE)
    assert list(found[ATTENDS_ONCE[0]][WAYS[0]]) == list(HIGH)
