"""Cost, Position, Model and Quiz for every system of the catalogue: drawn, or explained, and never broken."""

from pathlib import Path
from runpy import run_path

import pytest
import torch

from saccade.data.tokenizer import Tokenizer
from saccade.models.catalogue import ARCHITECTURES, build
from saccade.serving.bundle import Bundle
from saccade.tracing.options import TraceOptions
from saccade.tracing.trace import trace

CASES = Path(__file__).parents[1] / "contracts" / "cases"
# Systems of four kinds stand for the others in the quick tests: attention, recurrence, convolution, no parameters.
FEW = ("transformer", "rnnsearch", "convs2s", "ngram")
LINES = ["Two men are talking.", "A dog runs behind the old school.", "She reads a long book about the sea."]


@pytest.fixture(
    scope="module", params=[FEW, pytest.param(tuple(ARCHITECTURES), marks=pytest.mark.slow)], ids=["few", "all"]
)
def traces(request):
    """A sentence through a small model of each system."""
    tokenizer = Tokenizer.train(LINES * 3, pieces="bpe", size=300)
    found = []
    for name in request.param:
        known = ARCHITECTURES[name]
        config = known.config(**run_path(str(CASES / f"{name.replace('-', '_')}.py"))["SIZES"])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(7)
            model = build(name, config, tokenizer.size, tokenizer.size).eval()
        bundle = Bundle(
            model=model,
            architecture=name,
            model_config=config,
            source_tokenizer=tokenizer,
            target_tokenizer=tokenizer,
            task=known.task,
            source_language="en",
            target_language="en",
            decoding={"size": 2, "alpha": 0.6, "extra_length": 3},
            storage="float32",
            digest=name,
        )
        detail = ("weights", "embedding", "memory", "positions", "recurrent", "shuffle")
        found.append(trace(bundle, "A dog runs.", TraceOptions(detail=detail), name=name))
    return found


@pytest.fixture
def page(visit, export, traces):
    return visit(export(traces, "#/model"), offline=True)


def go(page, ready, view: str, name: str) -> str:
    """What a view says of a system."""
    hash = f"#/{view}?m={name}"
    page.evaluate("hash => { delete document.documentElement.dataset.ready; location.hash = hash; }", hash)
    ready(page, view)
    assert page.locator("#view .problem").count() == 0
    return page.locator("#view").inner_text()


@pytest.mark.slow
def test_every_view_is_drawn_for_every_system(page, ready, traces):
    for made in traces:
        name = made["model"]["id"]
        for view in ("cost", "position", "model", "quiz"):
            text = go(page, ready, view, name)
            assert len(text) > 200, (view, name, text)
            assert "undefined" not in text, (view, name)
            assert "NaN" not in text, (view, name)


def test_a_system_is_drawn_with_what_it_told(page, ready, traces):
    for made in traces:
        go(page, ready, "model", made["model"]["id"])
        drawn = page.locator('[data-figure="model"] svg text').all_text_contents()
        told = made["recurrent"] or {"layers": []}
        assert any("recurrent" in text for text in drawn) == bool(told["layers"])
        assert any("convolution" in text for text in drawn) == bool(made["conv"] and made["conv"].get("stacks"))
        crosses = {block["layer"] for block in made["blocks"] if block["kind"] == "cross"}
        assert ("cross-attention" in drawn) == bool(crosses)


def test_every_system_is_asked_about(page, traces):
    for made in traces:
        asked = page.evaluate('async (trace) => (await import("page/quiz/questions")).live(trace)', made)
        assert len(asked) >= 5, made["model"]["id"]


def test_a_system_without_positions_is_explained(page, ready, traces):
    for made in traces:
        text = go(page, ready, "position", made["model"]["id"])
        assert ("no vectors for positions" in text) == (made["positions_table"] is None)
