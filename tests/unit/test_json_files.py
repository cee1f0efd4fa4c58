import json
import os
from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from saccade.decoding.beam import BeamConfig
from saccade.errors import FormatError
from saccade.json_files import StrictContent, checked, from_json, parse_json, read_json, read_sealed_json, sealed

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "\xff", '{"format": "1"}', "{}", '{"format": -1}', '{"format": 0}', '{"format": true}']
    + ['{"format": 1.0}', DEEP, '{"format": 1' + "0" * 5000 + "}", '{"format": 1, "x": ' + DEEP + "}"],
    ids=lambda content: content[:12],
)
def test_json_that_saccade_did_not_write_is_refused_with_advice(tmp_path, content):
    (tmp_path / "a.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(FormatError, match=r"a\.json` must be JSON that saccade wrote, but is damaged .*\. Do so\."):
        read_json(tmp_path / "a.json", 1, "Do so.")


def test_json_that_is_missing_is_not_readable(tmp_path):
    with pytest.raises(FormatError, match=r"a\.json` must be readable, but is not: No such file"):
        read_json(tmp_path / "a.json")


def test_a_named_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.json")
    with pytest.raises(FormatError, match="must be a file, but is something else"):
        read_json(tmp_path / "a.json")


def test_json_of_a_newer_format_asks_for_an_upgrade(tmp_path):
    (tmp_path / "a.json").write_text('{"format": 3}')
    with pytest.raises(FormatError, match=r"up to 2, but has 3: .* Upgrade saccade\."):
        read_json(tmp_path / "a.json", 2)
    assert read_json(tmp_path / "a.json", 3) == {"format": 3}


def test_a_seal_covers_every_key_but_those_that_may_be_edited(tmp_path):
    content = sealed({"format": 1, "steps": 7, "decoding": {"size": 4}}, ("decoding",))
    path = tmp_path / "a.json"
    path.write_text(json.dumps(content | {"decoding": {"size": 5}}))
    assert read_sealed_json(path, 1, ("decoding",))["decoding"] == {"size": 5}
    path.write_text(json.dumps(content | {"steps": 8}))
    with pytest.raises(FormatError, match="damaged or altered"):
        read_sealed_json(path, 1, ("decoding",))


def test_whatever_cannot_be_parsed_is_a_value_error():
    for text in (DEEP, "{", b"\xff", "1" * 5000):
        with pytest.raises(ValueError, match="."):
            parse_json(text)


class Side(StrictContent):
    tokens: int = Field(ge=0)


class Held(StrictContent):
    name: str
    ids: Literal["uint16", "uint32"]
    share: float
    sides: list[Side]


SOUND = {"name": "x", "ids": "uint16", "share": 0.5, "sides": [{"tokens": 3}]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": 3}, "`name` must be a text, but is 3."),
        ({"share": "x"}, "`share` must be a number, but is 'x'."),
        ({"share": True}, "`share` must be a number, but is True."),
        ({"ids": "uint8"}, "`ids` must be 'uint16' or 'uint32', but is 'uint8'."),
        ({"sides": {}}, "`sides` must be a list, but is {}."),
        ({"sides": [{"tokens": 1.5}]}, "`sides.0.tokens` must be a whole number, but is 1.5."),
        ({"sides": [{"tokens": -1}]}, "`sides.0.tokens` must be greater than or equal to 0, but is -1."),
        ({"sides": [{}]}, "`sides.0.tokens` is missing."),
        ({"shore": 1}, "`shore` is no key of it. Did you mean 'share'?"),
        ({"name": "\ud800"}, "it holds text that is no Unicode."),
    ],
)
def test_a_refusal_says_where_what_was_wanted_and_what_is_there(change, said):
    with pytest.raises(FormatError) as caught:
        checked(Held, SOUND | change, "f.json", "Do so.")
    assert str(caught.value) == f"`f.json` is damaged or altered: {said} Do so."


def test_content_that_is_no_object_is_refused():
    with pytest.raises(FormatError, match=r"it must be an object, but is \[\]\."):
        checked(Held, [], "f.json")


def test_a_long_wrong_value_is_not_shown_in_full():
    with pytest.raises(FormatError) as caught:
        checked(Held, SOUND | {"share": "x" * 10_000}, "f.json")
    assert len(str(caught.value)) < 150


@dataclass(frozen=True)
class Sizes:
    width: int = 4
    pair: tuple[int, int] = (1, 2)


def test_a_dataclass_has_its_defaults_and_no_unknown_keys():
    assert from_json(Sizes, {"pair": [3, 5]}) == Sizes(4, (3, 5))
    with pytest.raises(ValueError, match=r"`widdh` is no key of it\. Did you mean 'width'\?"):
        from_json(Sizes, {"widdh": 1})


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["size", "alpha", "nbest", "coverage", "extra_length", "x"]), values))
def test_any_decoding_defaults_are_a_search_or_an_error(given):
    try:
        found = from_json(BeamConfig, given)
    except ValueError as problem:
        found = str(problem)
    assert isinstance(found, BeamConfig) or "\n" not in found


def test_a_name_that_no_file_can_have_is_not_readable(tmp_path):
    with pytest.raises(FormatError, match=r"must be readable, but is not: File name too long\. Do so\."):
        read_json(tmp_path / ("x" * 300), advice="Do so.")
