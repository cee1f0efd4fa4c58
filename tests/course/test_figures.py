"""The figures in the course are those that today's code draws."""

import re

import pytest
from tests.course.chapters import COURSE
from tools.course import shipped_model
from tools.course.catalogue import FIGURES

NUMBER = re.compile(r"-?\d+\.\d+")


def marked(name):
    """Figures that trace the shipped model take seconds while shapes are checked."""
    return pytest.param(name, marks=pytest.mark.slow if FIGURES[name].__module__ == shipped_model.__name__ else ())


@pytest.mark.parametrize("name", [marked(name) for name in FIGURES])
def test_a_figure_is_the_one_that_is_drawn_now(name):
    kept, drawn = (COURSE / "figures" / f"{name}.svg").read_text(encoding="utf-8"), FIGURES[name]()
    assert NUMBER.sub("#", drawn) == NUMBER.sub("#", kept)
    for now, then in zip(NUMBER.findall(drawn), NUMBER.findall(kept), strict=True):
        unit = 10.0 ** -len(then.partition(".")[2])
        assert float(now) == pytest.approx(float(then), abs=1.1 * unit)  # rounding may fall to either side


def test_every_figure_that_is_kept_is_drawn_by_somebody():
    assert {path.stem for path in (COURSE / "figures").glob("*.svg")} == set(FIGURES)
