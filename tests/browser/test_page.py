"""The page opens: served, and as one file from a disk without a network."""

import numpy as np
import pytest

from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json


@pytest.fixture(scope="module")
def trace(session, sentence):
    return session.trace("tiny", sentence, TraceOptions())


@pytest.fixture(scope="module")
def hash(route, sentence):
    return route("heat", s=sentence, m="tiny", kind="cross", l=1, h=0, u="piece", table=1)


def digits_of(page) -> list[list[str]]:
    """The table of digits that stands for the heat map."""
    rows = page.locator("figure.matrix tbody tr").all()
    return [row.locator("td").all_inner_texts() for row in rows]


def expected(trace) -> list[list[str]]:
    weights = from_json(trace["tensors"]["dec.1.cross.weights"])[0]
    return [[f"{value:.4f}" for value in row] for row in weights]


@pytest.mark.core
def test_the_served_page_shows_the_digits_of_the_tensor(visit, server, trace, hash):
    page = visit(f"{server}/{hash}")
    assert digits_of(page) == expected(trace)


@pytest.mark.core
def test_the_exported_page_shows_them_from_a_file_without_a_network(visit, export, trace, hash):
    page = visit(export([trace], hash), offline=True)
    assert digits_of(page) == expected(trace)


@pytest.mark.core
def test_the_heat_map_is_drawn_in_a_canvas_of_cells(visit, export, trace, hash):
    page = visit(export([trace], hash.replace("&table=1", "")), offline=True)
    rows, columns = np.array(expected(trace)).shape
    size = page.locator("figure.matrix .cells canvas").bounding_box()
    assert size["width"] / columns == size["height"] / rows >= 12
