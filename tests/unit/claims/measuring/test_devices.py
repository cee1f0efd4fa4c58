"""Experiments run where torch's default device is; a generator of another device would stop them there."""

import ast
from pathlib import Path

import pytest
import torch
from torch import Generator
from torch.nn import functional

import saccade.claims
from saccade.claims.measuring.variants import codes

FILES = sorted(Path(saccade.claims.__file__).parent.rglob("*.py"))


def test_codes_are_those_of_a_generator_of_the_cpu():
    drawn = torch.randn(5, 3, generator=Generator("cpu").manual_seed(0))
    assert torch.equal(codes(5, 3), functional.normalize(drawn, dim=-1))


def test_codes_are_where_the_default_device_is_and_take_nothing_from_its_generator():
    before = torch.random.get_rng_state()
    with torch.device("cpu"):
        explicit = codes(5, 3)
    assert torch.equal(explicit, codes(5, 3))
    assert explicit.device == torch.get_default_device()
    assert torch.equal(before, torch.random.get_rng_state())


def device_unsaid(source: str) -> list[int]:
    """The lines that make a generator without saying of which device."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return [
        call.lineno
        for call in calls
        if getattr(call.func, "attr", getattr(call.func, "id", "")) == "Generator" and not call.args + call.keywords
    ]


@pytest.mark.parametrize(
    ("source", "lines"), [("Generator()", [1]), ("x\ntorch.Generator()", [2]), ("Generator(d)", [])]
)
def test_a_generator_without_a_device_is_seen(source, lines):
    assert device_unsaid(source) == lines


def test_every_generator_of_an_experiment_says_its_device():
    found = {path.name: lines for path in FILES if (lines := device_unsaid(path.read_text(encoding="utf-8")))}
    assert found == {}
