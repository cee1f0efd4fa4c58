"""Every system of the catalogue runs inside a page, in every variant that its contract is tested with.

What a page shows of it, forced to write a text, is what Python shows: the same keys, the same tokens, and every number
to 1e-4.
"""

from dataclasses import replace
from pathlib import Path
from runpy import run_path

import pytest
import torch
from tests.unit.explorer.engine_in_node import answers, request
from tests.unit.explorer.test_live_engine import TEXT, compared, differences, stored

from saccade.data.labels import Labels
from saccade.explorer.live_model import live_model
from saccade.models.capabilities import CountingModel
from saccade.models.catalogue import ARCHITECTURES, build
from saccade.sequences import Pairs, Sequences
from saccade.special_tokens import EOS
from saccade.tracing.options import TraceOptions
from saccade.tracing.trace import trace

CASES = Path(__file__).parents[2] / "contracts" / "cases"
VARIANTS = [
    (name, variant)
    for name in ARCHITECTURES
    for variant in run_path(str(CASES / f"{name.replace('-', '_')}.py"))["VARIANTS"]
]
QUICK = [("transformer-language-model", "paper"), ("self-attentive", "paper"), ("rnn-language-model", "gru")]
LINES = ["A dog reads the sea.", "A dog runs behind the old school.", "She reads a long book about the sea."]
PARTS = ("embedding", "final", "memory", "parameters", "positions", "recurrent", "shuffle")
BLOCKS = [
    f"block:{stack}.{layer}.{kind}" for stack in ("enc", "dec") for layer in range(3) for kind in ("self", "cross")
]
ALL = (*PARTS, *BLOCKS, *(f"block:{stack}.{layer}.ffn" for stack in ("enc", "dec") for layer in range(3)))
"""Everything but the influence of words, which is all noise where weights are as small as a training begins with."""


@pytest.fixture
def system(bundle):
    """A small model of a system; one that counts has counted a few lines."""

    def make(name: str, variant: str = "paper", **changes):
        made = bundle(name, variant, **changes)
        if isinstance(made.model, CountingModel):
            lines = Sequences.of([[*tokens, EOS] for tokens in made.target_tokenizer.encode(LINES)])
            made.model.count(Pairs(Sequences.of([[EOS]] * len(LINES)), lines))
            made.model.finish_counting()
        return made

    return make


@pytest.mark.parametrize(
    ("name", "variant"),
    [one if one in QUICK else pytest.param(*one, marks=pytest.mark.slow) for one in VARIANTS],
)
def test_the_document_of_a_text_is_python_s(system, name, variant):
    assert compared(system(name, variant), {"force": "A dog"}, detail=ALL) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, known in ARCHITECTURES.items() if known.task != "translation"])
@pytest.mark.parametrize("storage", ["float32", "int8", "float16"])
def test_a_search_finds_what_python_finds(system, name, storage):
    model = stored(system(name), storage)
    [found] = answers(live_model(model, "tiny"), [("trace", request(TEXT, size=3, prefix="She"))])
    expected = trace(model, TEXT, TraceOptions(size=3, prefix="She"), "tiny")
    for part in ("axes", "output", "source_text", "unknown"):
        assert differences(found[part], expected[part]) == []
    assert [one["text"] for one in found["beam"]["hypotheses"]] == [
        one["text"] for one in expected["beam"]["hypotheses"]
    ]


def test_a_language_model_goes_on_with_the_text_and_remembers_no_source(system):
    model = system("transformer-language-model")
    [found] = answers(live_model(model, "tiny"), [("trace", request("A  dog", prefix="She", detail=["memory"]))])
    begun = [token["id"] for token in found["axes"]["target"]["tokens"]]
    [expected] = model.target_tokenizer.encode(["She A dog"])
    assert begun[: len(expected)] == expected
    assert found["options"]["prefix"] == "She A dog"
    assert found["memory"] == {"kind": "none", "numbers": 0, "stays": None, "tensors": {}}
    assert found["influence"] is None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["transformer-classifier", "self-attentive"])
def test_labels_are_words_of_a_closed_list(system, name):
    labels = Labels()
    labels.counts.update({"good": 3, "bad": 2, "very-bad": 1})
    tokenizer = labels.tokenizer()
    model = system(name)
    torch.manual_seed(7)
    classes = build(name, model.model_config, model.source_tokenizer.size, tokenizer.size).eval()
    for parameter in classes.parameters():
        if parameter.dim() > 1:
            parameter.data.mul_(2.0)  # so that rounding does not decide which words matter
    model = replace(model, model=classes, target_tokenizer=tokenizer)
    asked = [{}, {"force": "bad"}, {"force": "worst"}]
    assert compared(model, *asked, detail=("all", "parameters")) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "variant", "what_ifs"),
    [
        (
            "transformer-language-model",
            "paper",
            [
                {"name": "no-mask"},
                {"name": "no-positions"},
                {"name": "head-off", "block": "dec.1.self", "head": 2},
                {"name": "score", "value": "cosine"},
            ],
        ),
        ("transformer-language-model", "additive", [{"name": "temperature", "value": 2.5}, {"name": "no-mask"}]),
        ("transformer-classifier", "paper", [{"name": "no-scale"}, {"name": "shuffled-positions", "value": 5}]),
        ("key-value-predict", "paper", [{"name": "temperature", "value": 2.5}, {"name": "score", "value": "dot"}]),
        ("lstmn-language-model", "two layers", [{"name": "temperature", "value": 0.5}]),
        ("state-language-model", "list", [{"name": "head-off", "block": "dec.0.self", "head": 1}]),
    ],
)
def test_what_ifs_change_a_model_as_python_changes_it(system, name, variant, what_ifs):
    found = compared(system(name, variant), *({"what_if": one, "force": "A dog"} for one in what_ifs), detail=ALL)
    # A page counts the parameters of the model that was exported, not those of another score.
    assert [line for line in found if not line.startswith((".counts", ".model.parameters", ".tied"))] == []


@pytest.mark.slow
def test_what_cannot_be_changed_is_said(system):
    asked = {
        "rnn-language-model": {"name": "no-mask"},
        "memory-network": {"name": "temperature", "value": 2},
        "self-attentive": {"name": "score", "value": "dot"},
        "transformer-language-model": {"name": "shuffled-positions"},
    }
    for name, what_if in asked.items():
        [found] = answers(live_model(system(name), "tiny"), [("trace", request(TEXT, what_if=what_if))])
        assert found["problem"] == f"This model has no part that “{what_if['name']}” changes."
