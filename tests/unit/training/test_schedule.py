import pytest
from hypothesis import given
from hypothesis import strategies as some

from saccade.training.config import TrainingConfig
from saccade.training.schedule import learning_rate

PAPER = TrainingConfig()


@pytest.mark.parametrize(
    ("width", "step", "rate"),
    [
        (512, 1, 1.746928e-07),
        (512, 100, 1.746928e-05),
        (512, 1000, 1.746928e-04),
        (512, 4000, 6.987712e-04),
        (512, 8000, 4.941059e-04),
        (512, 100_000, 1.397542e-04),
        (1024, 4000, 4.941059e-04),
        (1024, 300_000, 5.705443e-05),
    ],
)
def test_the_papers_schedule_has_these_values(width, step, rate):
    assert learning_rate(step, width, PAPER) == pytest.approx(rate, rel=1e-6)


@given(step=some.integers(1, 10**6), width=some.integers(1, 4096), warmup=some.integers(1, 10**5))
def test_equation_3_as_it_is_printed(step, width, warmup):
    expected = width**-0.5 * min(step**-0.5, step * warmup**-1.5)
    assert learning_rate(step, width, TrainingConfig(warmup=warmup)) == pytest.approx(expected, rel=1e-12)


def test_the_linear_schedule_meets_the_papers_at_the_peak_and_ends_at_zero():
    config = TrainingConfig(schedule="linear", steps=9001, warmup=700)
    assert learning_rate(700, 512, config) == learning_rate(700, 512, TrainingConfig(warmup=700))
    assert learning_rate(9001, 512, config) == 0


def test_the_linear_schedule_is_at_half_its_peak_half_way_down():
    config = TrainingConfig(schedule="linear", steps=900, warmup=100)
    assert learning_rate(500, 64, config) == pytest.approx(learning_rate(100, 64, config) / 2)


def test_the_cosine_begins_at_the_peak_is_at_half_of_it_half_way_and_ends_at_zero():
    config = TrainingConfig(schedule="cosine", steps=900, warmup=100)
    peak = learning_rate(100, 64, TrainingConfig(warmup=100))
    found = [learning_rate(step, 64, config) for step in (50, 100, 300, 500, 700, 900, 950)]
    sides = (1 + 0.5**0.5) / 2, (1 - 0.5**0.5) / 2
    assert found == pytest.approx([peak * share for share in (0.5, 1, sides[0], 0.5, sides[1], 0, 0)], abs=1e-12)


def test_the_constant_schedule_stays_at_the_peak():
    config = TrainingConfig(schedule="constant", warmup=50)
    assert learning_rate(50, 64, config) == learning_rate(5000, 64, config)


def test_without_warmup_the_peak_comes_first_and_what_follows_it_stays():
    config, usual = TrainingConfig(schedule="without_warmup", warmup=100), TrainingConfig(warmup=100)
    peak = learning_rate(100, 64, usual)
    assert [learning_rate(step, 64, config) for step in (1, 50, 100)] == [peak] * 3
    assert [learning_rate(step, 64, config) for step in (101, 900)] == [
        learning_rate(step, 64, usual) for step in (101, 900)
    ]


def test_the_factor_scales_every_rate():
    assert learning_rate(37, 64, TrainingConfig(learning_rate_factor=2.5)) == pytest.approx(
        2.5 * learning_rate(37, 64, PAPER)
    )


def test_a_linear_run_shorter_than_its_warmup_only_rises():
    config = TrainingConfig(schedule="linear", steps=70, warmup=100)
    rates = [learning_rate(step, 512, config) for step in range(1, 71)]
    assert rates == sorted(rates)
    assert rates[-1] == learning_rate(70, 512, TrainingConfig(warmup=100))


def test_a_rate_that_is_named_takes_the_place_of_the_papers_peak():
    config = TrainingConfig(learning_rate=0.7, warmup=10, schedule="constant")
    assert [learning_rate(step, 512, config) for step in (5, 10, 999)] == pytest.approx([0.35, 0.7, 0.7])


def test_halving_begins_after_its_step_and_goes_on_in_equal_strides():
    config = TrainingConfig(learning_rate=0.8, warmup=1, schedule="halving", halve_after=5, halve_every=3)
    rates = [learning_rate(step, 7, config) for step in range(1, 13)]
    assert rates == [0.8] * 5 + [0.4] * 3 + [0.2] * 3 + [0.1]


def test_every_plateau_divides_the_rate():
    config = TrainingConfig(learning_rate=0.25, warmup=1, schedule="plateau")
    assert [learning_rate(90, 7, config, plateaus) for plateaus in (0, 1, 3)] == pytest.approx([0.25, 0.025, 0.00025])


def test_a_plateau_changes_no_other_schedule():
    assert learning_rate(90, 7, PAPER, 3) == learning_rate(90, 7, PAPER)


def test_no_plateau_lowers_the_rate_before_the_warmup_is_over():
    config = TrainingConfig(learning_rate=0.8, warmup=10, schedule="plateau")
    assert [learning_rate(step, 7, config, plateaus=2) for step in (5, 10, 11)] == pytest.approx([0.4, 0.8, 0.008])


def test_a_run_has_had_no_plateau_unless_it_says_so():
    config = TrainingConfig(learning_rate=0.25, warmup=1, schedule="plateau")
    assert learning_rate(90, 7, config) == learning_rate(90, 7, config, plateaus=0)


def test_the_linear_schedule_stays_at_zero_after_its_last_step():
    assert learning_rate(1000, 64, TrainingConfig(schedule="linear", steps=900, warmup=100)) == 0


def test_there_is_no_step_zero():
    with pytest.raises(AssertionError, match="counted from 1"):
        learning_rate(0, 64, PAPER)
