"""One small comparison, made once: two kinds of Transformer on a toy corpus, and a recurrent system."""

from datetime import UTC, datetime

import pytest
import torch

from saccade.comparison.budget import read_budget
from saccade.comparison.compare import compare
from saccade.comparison.execute import ExecutionSettings
from saccade.comparison.plan import ComparisonRequest, base_recipe, make_plan
from saccade.comparison.system_spec import read_system_specs
from saccade.data.prepare import prepare

OVERRIDES = (
    "training.batch_tokens=256",
    "training.journal_every=1",
    "training.validate_every=2",
    "model.encoder_layers=1",
    "model.decoder_layers=1",
    "model.width=16",
    "model.inner_width=24",
    "model.heads=2",
    "model.tie=none",
    "decoding.size=1",
    "decoding.extra_length=1",
)
NOW = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)


def request_for(models="transformer,seq2seq:layers=1", **changes):
    given = {
        "recipe": "tiny",
        "systems": read_system_specs(models, "translation"),
        "budget": read_budget("4steps"),
        "seeds": 2,
        "overrides": OVERRIDES,
    }
    return ComparisonRequest(**(given | changes))


def run(request, out, parallel=1, **options):
    said: list[str] = []
    result = compare(
        request, out, ExecutionSettings(device="cpu", parallel=parallel), now=NOW, say=said.append, **options
    )
    return result, said


@pytest.fixture(scope="session")
def asked():
    """Makes a request: `asked("seq2seq", seeds=1)`."""
    return request_for


@pytest.fixture(scope="session")
def comparing():
    """Runs a request, and gives its result and what was said."""
    return run


@pytest.fixture(scope="session", autouse=True)
def made_corpora(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_CACHE", str(tmp_path_factory.mktemp("cache")))
        torch.set_num_threads(1)
        yield


@pytest.fixture(scope="session")
def comparison(tmp_path_factory, made_corpora):
    """The folder of a finished comparison; tests only look at it."""
    out = tmp_path_factory.mktemp("comparison") / "whole"
    run(request_for(), out)
    return out


@pytest.fixture(scope="session")
def planned_for_time(tmp_path_factory, made_corpora):
    """The plan of a comparison of 90 seconds a run, on a machine that takes two steps a second."""
    request, out = request_for(budget=read_budget("90s")), tmp_path_factory.mktemp("planned")
    prepared = prepare(base_recipe(request.recipe, request.overrides).data, out / "data")
    return make_plan(request, prepared, out, lambda recipes: [2.0] * len(recipes))
