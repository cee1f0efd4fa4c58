"""What Heads says about a long sentence: whether the head that looks at a neighbour still does so at its end."""

import base64

import numpy as np
import pytest
from tests.page_modules import run_in_node

LENGTH, BREAK = 40, 25
FOUND = """
import { neighbourHead } from "page/heads/long-sentences";
export default (traces) => traces.map((trace) => neighbourHead(trace));
"""


def trace_of(weights: np.ndarray) -> dict:
    """As much of a trace as the page reads here: one block of the encoder with these weights."""
    _, length, _ = weights.shape
    tokens = [{"i": i, "id": i, "piece": "▁a", "text": "a", "word": i, "special": None} for i in range(length)]
    block = {"id": "enc.4.self", "stack": "encoder", "layer": 4, "kind": "self", "heads": len(weights)}
    axes = {"query_axis": "source", "key_axis": "source", "tensors": {"weights": "w"}}
    data = base64.b64encode(weights.astype("<f4").tobytes()).decode()
    tensor = {"dtype": "f32", "shape": list(weights.shape), "dims": ["head", "query", "key"], "data": data}
    return {"axes": {"source": {"tokens": tokens}}, "blocks": [block | axes], "tensors": {"w": tensor}}


@pytest.fixture(scope="module")
def found():
    even = np.full((LENGTH, LENGTH), 1 / LENGTH)
    after = 0.9 * np.eye(LENGTH, k=1) + 0.1 / LENGTH
    broken = np.where(np.arange(LENGTH)[:, None] < BREAK, after, even)
    short = np.eye(20)
    return run_in_node(FOUND, [trace_of(np.stack(heads)) for heads in ([even, after], [broken], [even], [short])])


def test_a_head_that_looks_at_its_neighbour_keeps_or_loses_it(found):
    keeps, loses, *_ = found
    assert (keeps["layer"], keeps["head"], keeps["neighbour"]) == (4, 1, 1)
    assert keeps["early"] == pytest.approx(keeps["late"], abs=1e-6)
    assert keeps["early"] == pytest.approx(0.9 + 0.1 / LENGTH)
    late = ((BREAK - 20) * (0.9 + 0.1 / LENGTH) + (LENGTH - 1 - BREAK) / LENGTH) / (LENGTH - 1 - 20)
    assert loses["late"] == pytest.approx(late)


def test_nothing_is_said_of_a_short_sentence_or_without_such_a_head(found):
    assert found[2:] == [None, None]
