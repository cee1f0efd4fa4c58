"""What holds for a trace holds for any sentence and any variant, and each check can fail."""

import copy
from pathlib import Path
from runpy import run_path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saccade.tracing.invariants import invariants
from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json, to_json
from saccade.tracing.trace import trace

VARIANTS = run_path(str(Path(__file__).parents[2] / "contracts" / "cases" / "transformer.py"))["VARIANTS"]
WIRINGS = {"residual": {"norm": "residual"}, "plain": {"norm": "plain"}}
WHOLE = TraceOptions(size=2, detail=("all", "parameters"))
TEXT = "A dog runs behind."


def broken(document) -> list[str]:
    return [check.name for check in invariants(document) if not check.holds]


@pytest.fixture(scope="module")
def whole(bundle):
    return trace(bundle("transformer"), TEXT, WHOLE)


EVERY = [
    pytest.param(variant, marks=[] if variant == "paper" else pytest.mark.slow) for variant in (*VARIANTS, *WIRINGS)
]


@pytest.mark.parametrize("variant", EVERY)
def test_every_check_holds_in_every_variant(bundle, variant):
    document = trace(bundle("transformer", variant, **WIRINGS.get(variant, {})), TEXT, WHOLE)
    assert [check for check in document["checks"] if not check["holds"]] == []


@pytest.mark.slow
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    text=st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
        lambda text: text.replace("\u2581", " ").strip()
    )
)
def test_every_check_holds_for_any_text(bundle, text):
    document = trace(bundle("transformer", encoder_layers=1, decoder_layers=1), text, WHOLE)
    assert [check for check in document["checks"] if not check["holds"]] == []


def changed(document, block: int, role: str, change):
    """The same document with one tensor of one block changed."""
    other = copy.deepcopy(document)
    name = other["blocks"][block]["tensors"][role]
    array = from_json(other["tensors"][name]).copy()
    change(array)
    other["tensors"][name] = to_json(array, other["tensors"][name]["dims"])
    return other


def swapped(array):
    array[..., :2] = array[..., 1::-1].copy()


def test_a_row_that_does_not_sum_to_one_is_seen(whole):
    def scale(weights):
        weights[1, 2] *= 1.1

    assert "rows" in broken(changed(whole, 0, "weights", scale))


def test_a_weight_below_zero_is_seen(whole):
    def move(weights):
        weights[0, 1, 0] -= 2
        weights[0, 1, 1] += 2

    assert "range" in broken(changed(whole, 0, "weights", move))


def test_a_weight_behind_the_mask_is_seen(whole):
    def move(weights):
        weights[0, 0, 1] = weights[0, 0, 0] = 0.5

    place = next(place for place, block in enumerate(whole["blocks"]) if block["causal"])
    assert "masked" in broken(changed(whole, place, "weights", move))


def test_a_mask_that_shows_the_future_is_seen(whole):
    def show(mask):
        mask[0, 1] = 1

    place = next(place for place, block in enumerate(whole["blocks"]) if block["causal"])
    assert "causal" in broken(changed(whole, place, "mask", show))


def test_swapped_columns_are_seen(whole):
    assert {"softmax", "values"} <= set(broken(changed(whole, 0, "weights", swapped)))


def test_another_scale_is_seen(whole):
    other = copy.deepcopy(whole)
    other["blocks"][0]["scale"] = 1.0
    assert broken(other) == ["softmax"]


def test_other_values_are_seen(whole):
    def double(values):
        values *= 2

    assert broken(changed(whole, 1, "v", double)) == ["values"]


def test_another_projection_is_seen(whole):
    assert broken(changed(whole, 1, "w_o", swapped)) == ["projection"]


def test_another_stream_is_seen(whole):
    assert broken(changed(whole, 1, "resid_in", swapped)) == ["residual"]


def test_another_gain_is_seen(whole):
    def double(gain):
        gain *= 2

    assert broken(changed(whole, 1, "norm_gain", double)) == ["norm"]


def test_another_inner_layer_is_seen(whole):
    other = copy.deepcopy(whole)
    tensors = other["layers"][0]["tensors"]
    tensors["w_1"] = other["layers"][1]["tensors"]["w_1"]
    assert broken(other) == ["feedforward"]


def test_a_block_of_the_wrong_shape_is_seen(whole):
    other = copy.deepcopy(whole)
    other["blocks"][0]["key_axis"] = "reads"
    assert "shapes" in broken(other)


def test_a_step_with_another_probability_is_seen(whole):
    other = copy.deepcopy(whole)
    other["steps"][2]["logprob"] -= 0.1
    assert broken(other) == ["steps"]


def test_reading_something_else_than_was_written_is_seen(whole):
    other = copy.deepcopy(whole)
    other["axes"]["reads"]["tokens"][1]["id"] += 1
    assert broken(other) == ["reads"]


def test_a_word_that_misses_a_piece_is_seen(whole):
    other = copy.deepcopy(whole)
    word = next(word for word in other["axes"]["source"]["words"] if len(word["pieces"]) > 1)
    word["pieces"].pop()
    assert broken(other) == ["words"]


def test_a_node_with_another_sum_is_seen(whole):
    other = copy.deepcopy(whole)
    other["beam"]["nodes"][5]["cum"] += 1e-6
    assert broken(other) == ["beam"]


def test_logits_that_do_not_come_from_the_states_are_seen(whole):
    other = copy.deepcopy(whole)
    other["steps"][0]["top"][1]["logit"] += 0.01
    assert broken(other) == ["logits"]
