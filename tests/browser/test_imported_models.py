"""Imported models, Marian and NLLB, with drawn weights of odd sizes: every view of the explorer draws them."""

import pytest

pytest.importorskip("transformers")

import torch
from tests.differential.huggingface_folders import m2m100_folder, marian_folder, sentences

from saccade.interop.imported_model import ARCHITECTURE
from saccade.interop.imports import read_model
from saccade.serving.bundle import Bundle
from saccade.special_tokens import EOS
from saccade.tracing.options import TraceOptions
from saccade.tracing.trace import trace

VIEWS = ("translate", "steps", "heads", "heat", "position", "model", "cost", "beam", "ancestors", "quiz")
DETAIL = ("weights", "embedding", "memory", "positions", "shuffle", "influence", "all")


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    """A sentence through each; ends are made likely, since a drawn model goes on for ever."""
    marian, nllb = (tmp_path_factory.mktemp(name) for name in ("marian", "nllb"))
    marian_folder(marian)
    m2m100_folder(nllb, nllb=True)
    models = {
        "marian": read_model(marian).between(None, "fra"),
        "nllb": read_model(nllb).between("eng_Latn", "spa_Latn"),
    }
    found = []
    for name, imported in models.items():
        with torch.no_grad():
            imported.model.output_bias[EOS] = 6.0
        bundle = Bundle(
            model=imported.model,
            architecture=ARCHITECTURE,
            model_config=imported.model_config,
            source_tokenizer=imported.source_tokenizer,
            target_tokenizer=imported.target_tokenizer,
            task="translation",
            source_language=imported.source_language,
            target_language=imported.target_language,
            decoding={**imported.decoding, "extra_length": 6},
            digest=name,
        )
        made = trace(bundle, sentences(1, 3)[2], TraceOptions(detail=DETAIL), name=name)
        assert all(check["holds"] for check in made["checks"]), name
        found.append(made)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_draws_an_imported_model(visit, export, ready, traces, view):
    page = visit(export(traces, f"#/{view}"), offline=True)
    for made in traces:
        hash = f"#/{view}?m={made['model']['id']}"
        page.evaluate("hash => { delete document.documentElement.dataset.ready; location.hash = hash; }", hash)
        ready(page, view)
        assert page.locator("#view .problem").count() == 0
        text = page.locator("#view").inner_text()
        assert len(text) > 100
        assert "undefined" not in text
        assert "NaN" not in text
        assert "check fails" not in page.locator("body").inner_text()
