import signal

import pytest

from saccade.comparison.plan import base_recipe
from saccade.comparison.throughput import Enough, Stopwatch, train_until_enough


def hear(watch, steps):
    """Steps of a shape and the seconds at their end, until the watch has had enough; returns how many it heard."""
    for number, (shapes, seconds) in enumerate(steps, start=1):
        try:
            watch({"event": "step", "step": number, "shapes": shapes, "seconds": seconds})
        except Enough:
            return number
    return len(steps)


def test_capturing_a_shape_does_not_count():
    """A step takes 0.1 s; one before which the host captures the next one's shape takes 3 s more."""
    shapes = ["a", "a", "a", "a", "b", "a", "b", "c", "b", "a", "c", "a", "b", "a", "b"]
    watch, now, steps = Stopwatch(0.65), 0.0, []
    for number, shape in enumerate(shapes):
        following = shapes[number + 1] if number + 1 < len(shapes) else shape
        now += 0.1 if following in shapes[: number + 1] else 3.1
        steps.append((shape, now))
    watch({"event": "start", "recorded": True})
    assert hear(watch, steps) < len(steps)
    assert watch.steps_per_second == pytest.approx(10)


def test_the_first_three_steps_do_not_count():
    watch = Stopwatch(1.0)
    watch({"event": "start", "recorded": False})
    ends = [5.0, 10.0, 15.0]
    hear(watch, [(number, end) for number, end in enumerate([*ends, *(15.0 + 0.1 * step for step in range(1, 50))])])
    assert watch.steps_per_second == pytest.approx(10)


def test_where_nothing_is_captured_every_step_counts():
    watch = Stopwatch(1.0)
    watch({"event": "start", "recorded": False})
    hear(watch, [(number, 0.1 * number) for number in range(100)])
    assert watch.steps_per_second == pytest.approx(10)


def test_if_every_step_is_the_first_of_its_shape_all_count_and_it_ends():
    watch = Stopwatch(1.0)
    watch({"event": "start", "recorded": True})
    assert 55 < hear(watch, [(number, 0.1 * number) for number in range(100)]) < 70
    assert watch.steps_per_second == pytest.approx(10)


def test_a_measurement_that_is_interrupted_ends_the_command_and_leaves_nothing_behind(asked, tmp_path):
    """What was measured until then would otherwise become a plan, and stay."""
    request = asked()

    def press_ctrl_c(event):
        if (event["event"], event.get("step")) == ("step", 2):
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train_until_enough(base_recipe(request.recipe, request.overrides), tmp_path / "run", press_ctrl_c, "cpu")
    assert not (tmp_path / "run").exists()
