"""Figures of lines: few enough, and with names that can be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.comparison.line_figures import MOST_LINES, apart, drawn_systems

WISHES = st.lists(st.tuples(st.floats(0, 1), st.floats(0.05, 0.3)), min_size=1, max_size=9)


@given(WISHES)
def test_texts_stand_apart_in_their_order(texts):
    wishes, heights = zip(*sorted(texts), strict=True)
    places = apart(wishes, heights)
    for number in range(len(places) - 1):
        assert places[number + 1] - places[number] >= (heights[number] + heights[number + 1]) / 2 - 1e-9


@given(WISHES)
def test_texts_with_room_stay_where_they_wish_to_be(texts):
    wishes = [float(number) for number in range(len(texts))]
    assert apart(wishes, [height for _, height in texts]) == pytest.approx(wishes)


def test_texts_without_room_stand_around_what_they_wish_for():
    assert apart([0.5, 0.5], [0.1, 0.1]) == pytest.approx([0.45, 0.55])
    assert apart([0.5, 0.5, 0.62], [0.1, 0.1, 0.1]) == pytest.approx([0.44, 0.54, 0.64])


@pytest.mark.parametrize("higher", [True, False])
def test_of_many_systems_the_worse_of_the_closest_is_left_out_and_never_the_best(higher):
    scores = [10.0, 20.0, 20.1, 30.0, 40.0, 50.0, 60.0, 60.2]
    systems = [{"label": str(score), "score": {"mean": score}} for score in scores]
    data = {"systems": systems, "metric": {"higher_is_better": higher}}
    drawn = [one["label"] for one in drawn_systems(data)]
    assert len(drawn) == MOST_LINES
    assert drawn == [one["label"] for one in systems if one["label"] != ("20.0" if higher else "20.1")]
    assert drawn_systems({**data, "systems": systems[:3]}) == systems[:3]
