"""The measured time of the layers of Table 1: lengths, median and metadata."""

import json
from itertools import count

import pytest
import torch
from starlette.testclient import TestClient
from tests.page_modules import run_in_node

from saccade.cancellation import Cancellation, Cancelled
from saccade.explorer.cost import affordable, measured_cost, sizes_of
from saccade.explorer.server import application
from saccade.explorer.session import Session
from saccade.layers.vaswani_table_1 import KINDS, Table1Sizes, multiply_adds
from saccade.models.catalogue import build
from saccade.models.transformer import TransformerConfig
from saccade.serving.translator import Translator

SIZES = Table1Sizes(width=12, heads=2, kernel=3, reach=5)


def test_lengths_double_and_stop_where_the_work_is_used_up() -> None:
    lengths = affordable(SIZES, 5, work=60_000_000)
    spent = sum(6 * multiply_adds(kind, length, SIZES) for kind in KINDS for length in lengths)
    further = sum(6 * multiply_adds(kind, 2 * lengths[-1], SIZES) for kind in KINDS)
    assert lengths == [4 * 2**place for place in range(len(lengths))]
    assert spent <= 60_000_000 < spent + further


def test_a_wide_model_is_measured_at_three_lengths_at_least() -> None:
    assert affordable(Table1Sizes(width=4096), 5, work=1) == [4, 8, 16]


def test_seconds_are_the_median_of_the_clock_after_warming_up() -> None:
    # Each call looks at the clock twice: began and ended. The second of three calls takes 50 s, the others 1 and 3.
    ticks = iter([0.0, 1.0, 10.0, 60.0, 100.0, 103.0] * len(KINDS))
    found = measured_cost(SIZES, clock=lambda: next(ticks), date="2020-02-03", repeats=3, lengths=[7])
    assert {kind: row["seconds"] for kind, row in found["kinds"].items()} == {kind: [3.0] for kind in KINDS}


def test_what_was_measured_is_told_with_it() -> None:
    clock = count(0.0, 0.25)
    found = measured_cost(SIZES, clock=lambda: next(clock), date="2020-02-03", repeats=2, lengths=[5, 7])
    assert (found["d"], found["heads"], found["k"], found["r"], found["date"]) == (12, 2, 3, 5, "2020-02-03")
    assert found["lengths"] == [5, 7]
    assert found["kinds"]["recurrent"]["multiply_adds"] == [8 * 5 * 144, 8 * 7 * 144]
    assert found["machine"]


def test_a_length_asked_for_is_among_those_measured() -> None:
    found = measured_cost(SIZES, clock=lambda: 0.0, date="", repeats=1, among=13, work=50_000_000)
    assert found["lengths"][:3] == [4, 8, 13]


def test_a_length_beyond_what_time_allows_is_not_measured() -> None:
    found = measured_cost(SIZES, clock=lambda: 0.0, date="", repeats=1, among=99_999, work=1)
    assert 99_999 not in found["lengths"]


def test_a_measurement_that_nobody_waits_for_stops() -> None:
    cancellation, looks = Cancellation(), count()

    def clock() -> float:
        if next(looks) == 2:
            cancellation.request()
        return 0.0

    with pytest.raises(Cancelled):
        measured_cost(SIZES, clock=clock, date="", repeats=2, lengths=[5, 7], cancellation=cancellation)
    assert next(looks) == 4  # the call that was under way has ended, and no other began


def test_sizes_are_those_of_the_model() -> None:
    config = TransformerConfig(encoder_layers=1, decoder_layers=1, width=12, heads=3, inner_width=5)
    sizes = sizes_of(build("transformer", config, 7, 7), config)
    assert (sizes.width, sizes.heads) == (12, 3)


def test_measuring_draws_nothing_from_the_generator_of_others() -> None:
    torch.manual_seed(7)
    before = torch.random.get_rng_state()
    measured_cost(SIZES, clock=lambda: 0.0, date="", repeats=1, lengths=[5])
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.slow
def test_the_server_measures_a_model_s_layer_and_writes_it_into_files(bundle) -> None:
    session = Session({"tiny": Translator([bundle("transformer")], torch.device("cpu"))})
    client = TestClient(application(session), base_url="http://127.0.0.1")
    found = client.post("/api/cost", json={"model": "tiny", "n": 11}).json()
    assert found["d"] == session.model("tiny").bundle.model.width
    assert 11 in found["lengths"]
    assert found["date"]
    assert session.measured == found
    page = client.post("/api/export", json={"traces": [], "route": "#/cost"}).text
    assert json.dumps(found["kinds"]["recurrent"]["seconds"]).replace(" ", "") in page.replace(" ", "")


def test_a_model_nobody_has_is_named(bundle) -> None:
    session = Session({"tiny": Translator([bundle("transformer")], torch.device("cpu"))})
    answer = TestClient(application(session), base_url="http://127.0.0.1").post("/api/cost", json={"model": "tinny"})
    assert answer.status_code == 422
    assert "tinny" in answer.json()["title"]


def test_the_fastest_and_the_slowest_call_are_kept_beside_the_middle_one() -> None:
    ticks = iter([0.0, 1.0, 1.0, 5.0, 5.0, 7.0] * len(KINDS))
    found = measured_cost(SIZES, clock=lambda: next(ticks), date="", repeats=3, lengths=[7])
    for kind in KINDS:
        row = found["kinds"][kind]
        assert (row["fastest"], row["seconds"], row["slowest"]) == ([1.0], [2.0], [4.0])


def test_the_page_counts_as_the_layers_do_and_knows_a_busy_machine() -> None:
    given = [{"n": n, "d": 12, "k": 3, "r": 5} for n in (5, 11, 64)]
    script = """
        import { unsteadiness } from "page/cost/measured";
        import { MULTIPLY_ADDS } from "page/cost/table";

        const kinds = (slowest) => ({ recurrent: { seconds: [1, 1, 1, 1], fastest: [1, 1, 1, 1], slowest } });
        export default (all) => ({
          counts: all.map((sizes) => Object.fromEntries(Object.entries(MULTIPLY_ADDS).map(([k, f]) => [k, f(sizes)]))),
          quiet: unsteadiness({ kinds: kinds([1.1, 1.2, 9, 1.1]) }),
          busy: unsteadiness({ kinds: kinds([1.1, 3, 9, 1.1]) }),
          unknown: unsteadiness({ kinds: { recurrent: { seconds: [1] } } }),
          short: unsteadiness({ kinds: { recurrent: { seconds: [1e-5], fastest: [1e-5], slowest: [1] } } }),
        })
    """
    found = run_in_node(script, given)
    for sizes, counts in zip(given, found["counts"], strict=True):
        assert counts == {kind: multiply_adds(kind, sizes["n"], SIZES) for kind in KINDS}
    assert (found["quiet"], found["busy"], found["unknown"], found["short"]) == (None, 3, None, None)
