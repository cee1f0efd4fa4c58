"""A parser inside a page writes the trees that it writes in Python, and nothing that is no tree."""

import random

import pytest
import torch
from tests.unit.explorer.engine_in_node import answers, request
from tests.unit.explorer.test_live_engine import differences, without_own

from saccade.data.synthetic_treebank import derive
from saccade.data.tokenizer import Tokenizer
from saccade.data.tree_symbols import TreeSymbols
from saccade.explorer.live_model import live_model
from saccade.models.catalogue import ARCHITECTURES, build
from saccade.serving.bundle import Bundle
from saccade.tracing.options import TraceOptions
from saccade.tracing.trace import trace

SIZES = {"encoder_layers": 1, "decoder_layers": 2, "width": 24, "inner_width": 40, "heads": 2, "tie": "none"}
TREES = [derive(random.Random(seed)) for seed in range(200)]


def parser(leaves) -> Bundle:
    """With drawn weights: only the rules keep its outputs to trees."""
    symbols = TreeSymbols(leaves)
    list(symbols.watching(("", str(tree)) for tree in TREES))
    source, target = Tokenizer.train([" ".join(tree.words) for tree in TREES], pieces="word"), symbols.tokenizer()
    config = ARCHITECTURES["transformer"].config(**SIZES)
    torch.manual_seed(11)
    return Bundle(
        model=build("transformer", config, source.size, target.size).eval(),
        architecture="transformer",
        model_config=config,
        source_tokenizer=source,
        target_tokenizer=target,
        task="parsing",
        source_language=None,
        target_language=None,
        decoding={"size": 2, "alpha": 0.3, "extra_length": 12},
        digest="parser",
        leaves=leaves,
    )


@pytest.mark.parametrize(
    "leaves", ["tags", *(pytest.param(one, marks=pytest.mark.slow) for one in ("placeholder", "words"))]
)
def test_its_trees_are_python_s(leaves):
    model = parser(leaves)
    # Words with brackets in them, and one that no tree had.
    texts = [
        "the girl saw a bird with stripes .",
        "the girl (saw) a zebra .",
        *(" ".join(one.words) for one in TREES[:8]),
    ]
    found = answers(live_model(model, "tiny"), [("trace", request(text)) for text in texts])
    expected = [trace(model, text, TraceOptions(), "tiny") for text in texts]
    assert [differences(without_own(one), without_own(other)) for one, other in zip(found, expected, strict=True)] == [
        [] for _ in texts
    ]
    assert all(one["tree"]["brackets"] or one["tree"]["leaves"] for one in found)


@pytest.mark.parametrize("leaves", ["tags", *(pytest.param(one, marks=pytest.mark.slow) for one in ("words",))])
def test_a_tree_can_be_given_and_what_is_none_is_refused(leaves):
    model = parser(leaves)
    tree = TREES[3]
    text = " ".join(tree.words)
    wrong = ["", "(S", "(TOP (S (NN dog)))", str(tree)[:-1], str(tree) + " x", str(tree).replace("(S ", "( ", 1)]
    asked = [request(text, force=one) for one in (str(tree), *wrong)]
    given, *refused = answers(live_model(model, "tiny"), [("trace", one) for one in asked])
    expected = trace(model, text, TraceOptions(force=str(tree)), "tiny")
    assert differences(without_own(given), without_own(expected)) == []
    assert {one["problem"] for one in refused} == {"This is no bracketed tree over the words of the sentence."}


def test_a_beginning_that_no_tree_has_is_refused():
    [found] = answers(live_model(parser("tags"), "tiny"), [("trace", request("the girl saw a bird .", prefix=")S"))])
    assert found["problem"] == "No output can begin so."
