import json

import pytest

from saccade.explorer.document import PATH, known, read, schema
from saccade.explorer.trace import Options, trace

TEXT = "A dog runs behind the old school."


@pytest.fixture(scope="module")
def whole(bundle):
    return trace(bundle("transformer"), TEXT, Options(detail=("all", "parameters")))


def test_the_schema_file_is_the_one_of_this_version():
    assert json.loads(PATH.read_text(encoding="utf-8")) == json.loads(json.dumps(schema()))


def test_a_trace_has_exactly_what_the_schema_names(whole):
    assert known(whole) == whole


def test_a_trace_is_json_and_reads_back(whole):
    assert read(json.dumps(whole, allow_nan=False)) == whole


def test_blocks_are_those_of_both_stacks_in_order(whole):
    assert [block["id"] for block in whole["blocks"]] == [
        "enc.0.self",
        "enc.1.self",
        *(f"dec.{layer}.{kind}" for layer in range(3) for kind in ("self", "cross")),
    ]


def test_only_weights_and_masks_come_unasked(bundle):
    assert {name.rpartition(".")[2] for name in trace(bundle("transformer"), TEXT)["tensors"]} == {"weights", "mask"}


def test_every_check_holds(whole):
    assert [check for check in whole["checks"] if not check["holds"]] == []
