"""Every architecture of the catalogue, in every variant it has, can be traced, and its trace agrees with itself."""

from pathlib import Path
from runpy import run_path

import pytest

from saccade.models.catalogue import ARCHITECTURES
from saccade.tracing.options import TraceOptions
from saccade.tracing.schema import known
from saccade.tracing.trace import trace

CASES = Path(__file__).parents[2] / "contracts" / "cases"
EVERY = [
    pytest.param(name, variant, marks=[] if variant == "paper" else pytest.mark.slow)
    for name in ARCHITECTURES
    if name != "transformer"  # test_invariants.py
    for variant in run_path(str(CASES / f"{name.replace('-', '_')}.py"))["VARIANTS"]
]
TEXT = "A dog runs behind."


@pytest.mark.parametrize(("architecture", "variant"), EVERY)
def test_every_check_holds_in_every_system(bundle, architecture, variant):
    document = trace(bundle(architecture, variant), TEXT, TraceOptions(size=2, detail=("all", "parameters")))
    assert [check for check in document["checks"] if not check["holds"]] == []
    assert known(document) == document
