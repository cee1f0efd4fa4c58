import re
from dataclasses import replace
from datetime import datetime
from html.parser import HTMLParser

import pytest

from saccade.claims.catalogue import CLAIMS
from saccade.claims.page import markdown, page, plot_svg
from saccade.claims.results import measure
from saccade.hardware import machine

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Checked(HTMLParser):
    """Every element that is opened is closed, in order; ids are kept."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def measurements():
    chosen = [CLAIMS[id_] for id_ in ("C3", "A2", "A3", "W3", "W5")]
    return [(claim, measure(claim, datetime(2026, 11, 15), lambda _: None, seeds=1)) for claim in chosen]


@pytest.fixture(scope="module")
def text(measurements):
    return page(measurements)


@pytest.fixture(scope="module")
def checked(text):
    parser = Checked()
    parser.feed(text)
    parser.close()
    return parser


def test_every_element_is_closed(checked):
    assert checked.open == []


def test_every_claim_has_its_place_and_no_name_is_used_twice(checked):
    assert {"C3", "A2", "A3", "W3", "W5"} <= set(checked.ids)
    assert len(checked.ids) == len(set(checked.ids))


def test_claim_rule_verdict_and_figures_are_shown(checked, measurements):
    for claim, result in measurements:
        for text in (claim.claim, claim.rule, claim.said, result.because, result.verdict):
            assert text in checked.text


def test_the_page_is_complete_in_itself(text):
    assert "<script" not in text
    outside = re.findall(r'(?:src|href)="(?!#|data:)([^"]*)"', text)
    assert outside == []
    assert "@import" not in text


def test_what_was_not_expected_is_marked(measurements):
    claim, result = measurements[0]
    assert "expected" not in page([(claim, result)])
    assert "(expected: does not hold)" in page([(claim, replace(result, expected="does not hold"))])


def test_text_cannot_become_an_element(measurements):
    claim, result = measurements[0]
    assert "<b>no</b>" not in page([(claim, replace(result, because="<b>no</b>"))])


def test_a_plot_takes_the_colour_of_the_text_around_it(measurements):
    svg = plot_svg(measurements[1][0], measurements[1][1].measured)
    assert svg.startswith("<svg ")
    assert "currentColor" in svg
    assert "width=" not in svg[: svg.index(">")].replace("stroke-width", "")


def test_a_plot_is_the_same_on_every_day(measurements):
    claim, result = measurements[1]
    assert plot_svg(claim, result.measured) == plot_svg(claim, result.measured)


def test_the_table_has_a_row_for_every_claim(measurements):
    rows = [line for line in markdown(measurements).splitlines() if re.match(r"\| [RCATHW]\d", line)]
    assert len(rows) == len(measurements)
    for row, (claim, result) in zip(rows, measurements, strict=True):
        assert row.startswith(f"| {claim.id} | {claim.claim} | **{result.verdict}**")
        assert row.count(" | ") == 6


def test_the_machine_stands_beside_the_date_where_it_was_kept(measurements):
    claim, result = measurements[0]
    assert f"1 seed, 2026-11-15, {machine('cpu')} |" in markdown([(claim, result)])
    assert f"on {machine('cpu')}, 2026-11-15" in page([(claim, result)])
    before = replace(result, machine="")
    assert "1 seed, 2026-11-15 |" in markdown([(claim, before)])
    assert "on cpu, 2026-11-15" in page([(claim, before)])


def test_the_table_keeps_its_columns_whatever_is_said(measurements):
    claim, result = measurements[0]
    row = markdown([(claim, replace(result, because="a | b"))]).splitlines()[-1]
    assert "a \\| b" in row


def test_a_row_says_what_was_changed_after_a_first_look(measurements):
    claim, result = measurements[0]
    assert markdown([(claim, result)]).endswith("| no |\n")
    changed = replace(claim, changed="The rule: it had asked for more.")
    assert markdown([(changed, result)]).endswith("| The rule: it had asked for more. |\n")
    assert "The rule: it had asked for more." in page([(changed, result)])


def test_a_claim_that_was_not_run_has_a_row_that_says_so(measurements):
    claim = replace(measurements[0][0], cost="GPU")
    row = markdown([(claim, None)]).splitlines()[-1]
    assert "not yet run at this size" in row
    assert f"`saccade claims run {claim.id} --device cuda`" in row


def test_the_command_asks_for_a_gpu_where_it_was_run_on_one(measurements):
    claim, result = measurements[0]
    on_gpu = replace(result, device="cuda")
    for of_size in (claim, replace(claim, cost="GPU")):
        for written in (markdown([(of_size, on_gpu)]), page([(of_size, on_gpu)])):
            assert f"saccade claims run {claim.id} --device cuda" in written
        for written in (markdown([(of_size, result)]), page([(of_size, result)])):
            assert f"{claim.id} --device cuda" not in written
