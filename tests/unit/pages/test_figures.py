import re
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

from saccade.pages.figures import INK, figure_style, inline_svg, save


@pytest.fixture
def figure():
    with figure_style({}):
        made = Figure(figsize=(3, 2))
        axes = made.add_subplot()
        axes.plot([1, 2, 5], [3, 7, 11], "o-", color="#abcdef")
        axes.set_title("growth")
    return made


def test_an_inline_figure_takes_ink_and_width_from_the_page(figure):
    svg = inline_svg(figure, "one")
    assert svg.startswith("<svg ")
    assert INK not in svg
    assert "currentColor" in svg
    assert not re.search(r" (?:width|height)=", svg[: svg.index(">")])


def test_ids_begin_with_the_name_and_are_found_where_they_are_used(figure):
    svg = inline_svg(figure, "one")
    ids = set(re.findall(r'\bid="([^"]*)"', svg))
    used = set(re.findall(r'(?:href="#|url\(#)([^")]*)', svg))
    assert all(name.startswith("one-") for name in ids)
    assert used
    assert used <= ids


def test_colours_stay_colours(figure):
    assert "#abcdef" in inline_svg(figure, "one")


def test_a_label_is_read_to_those_who_cannot_see(figure):
    assert 'role="img" aria-label="growth over time"' in inline_svg(figure, "one", "growth over time")


def test_the_same_figure_gives_the_same_text(figure):
    assert inline_svg(figure, "one") == inline_svg(figure, "one")


def test_a_figure_is_saved_as_png_and_svg(figure, tmp_path):
    save(figure, tmp_path / "growth")
    assert (tmp_path / "growth.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "growth.svg").read_text(encoding="utf-8")


def test_a_label_may_have_any_characters(figure):
    svg = inline_svg(figure, "one", 'A "quoted" <b> & c')
    assert ElementTree.fromstring(svg).get("aria-label") == 'A "quoted" <b> & c'
