import json
import math
from dataclasses import replace

import pytest
import torch

from saccade.errors import ConfigError, InputError
from saccade.models.catalogue import build
from saccade.serving.translator import Translator
from saccade.special_tokens import BOS
from saccade.tracing.options import TraceOptions
from saccade.tracing.schema import PATH, known, schema
from saccade.tracing.trace import SentenceTrace, trace
from saccade.tracing.what_if import WhatIf

TEXT = "A dog runs behind the old school."


@pytest.fixture(scope="module")
def whole(bundle):
    return trace(bundle("transformer"), TEXT, TraceOptions(detail=("all", "parameters")))


def test_the_schema_file_is_the_one_of_this_version():
    assert json.loads(PATH.read_text(encoding="utf-8")) == json.loads(json.dumps(schema()))


def test_a_trace_has_exactly_what_the_schema_names(whole):
    assert known(whole) == whole


def test_a_trace_is_json_and_reads_back(whole):
    assert known(json.loads(json.dumps(whole, allow_nan=False))) == whole


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


@pytest.mark.slow
def test_the_same_question_has_the_same_id_and_another_has_another(bundle):
    model = bundle("transformer")
    ids = [trace(model, TEXT, options)["id"] for options in (TraceOptions(), TraceOptions(), TraceOptions(size=2))]
    assert ids[0] == ids[1] != ids[2]


def test_a_row_reads_what_was_written_before_and_predicts_what_stands_there(whole):
    reads, target = ([token["id"] for token in whole["axes"][axis]["tokens"]] for axis in ("reads", "target"))
    assert reads == [BOS, *target[:-1]]
    assert [(step["reads"], step["predicts"]) for step in whole["steps"]] == [(t, t) for t in range(len(target))]


def test_probabilities_are_those_the_model_gives_to_the_whole_target(bundle, whole):
    translator = Translator([bundle("transformer")], torch.device("cpu"))
    (scored,) = translator.score([(TEXT, whole["output"]["text"])])
    document = trace(translator.traceable, TEXT, TraceOptions(force=whole["output"]["text"]))
    said = [step["logprob"] for step in document["steps"]]
    assert said == pytest.approx(scored.token_log_probabilities, abs=1e-5)
    assert document["output"]["logprob"] == pytest.approx(scored.log_probability, abs=1e-5)


def test_ranks_and_candidates_are_of_one_order(whole):
    for step in whole["steps"]:
        logits = [candidate["logit"] for candidate in step["top"]]
        assert logits == sorted(logits, reverse=True)
        for place, candidate in enumerate(step["top"]):
            assert candidate["p"] == pytest.approx(math.exp(candidate["logit"] - step["log_normaliser"]))
            if candidate["id"] == whole["axes"]["target"]["tokens"][step["predicts"]]["id"]:
                assert step["rank"] == place + 1


def test_a_translator_traces_as_the_function_does(bundle):
    translator = Translator([bundle("transformer")], torch.device("cpu"))
    asked = {"beam": 2, "detail": ("final",), "what_if": {"name": "no-scale"}}
    expected = trace(
        translator.traceable, TEXT, TraceOptions(size=2, detail=("final",), what_if=WhatIf(name="no-scale"))
    )
    assert translator.trace(TEXT, **asked) == expected


def test_an_ensemble_cannot_be_traced(bundle):
    pair = Translator([bundle("transformer"), bundle("transformer")], torch.device("cpu"))
    with pytest.raises(ConfigError, match="ensemble"):
        pair.trace(TEXT)


def test_a_long_text_is_refused_with_what_to_do(bundle):
    with pytest.raises(InputError, match=r"at most 256 tokens.*but has \d+\. Give one sentence"):
        trace(bundle("transformer"), "old school " * 200)


def test_a_long_forced_target_is_refused_too(bundle):
    with pytest.raises(InputError, match="`force` must have at most 256"):
        trace(bundle("transformer"), TEXT, TraceOptions(force="old school " * 200))


def test_a_model_that_reads_less_says_how_much(bundle):
    with pytest.raises(InputError, match="at most 7 tokens"):
        trace(bundle("transformer", maximum_length=7), TEXT)


@pytest.mark.parametrize("text", ["", "  ", "\u2581"])
def test_no_text_is_refused(bundle, text):
    with pytest.raises(InputError, match="empty"):
        trace(bundle("transformer"), text)


def test_a_language_model_begins_on_its_own(bundle):
    document = trace(bundle("rnn-language-model"), "")
    assert [token["special"] for token in document["axes"]["source"]["tokens"]] == ["eos"]


def test_a_language_model_continues_what_it_is_given(bundle):
    document = trace(bundle("rnn-language-model"), "An old man", TraceOptions(prefix="She"))
    assert document["output"]["text"].startswith("She An old man")
    assert document["source_text"] == ""


def test_characters_the_vocabulary_lacks_are_named(bundle):
    assert trace(bundle("transformer"), "old 中 tea")["unknown"] == ["中"]


def test_an_unknown_detail_is_refused():
    with pytest.raises(ConfigError, match="block:ID"):
        TraceOptions(detail=("everything",))


def test_what_a_page_asks_comes_back_in_the_trace(bundle):
    asked = {"decode": {"size": 2, "alpha": 0.3}, "force": None, "prefix": "An old", "what_if": None}
    document = trace(bundle("transformer"), TEXT, TraceOptions.from_json(asked))
    assert document["options"] == asked | {"detail": ["weights"]}


def test_the_same_words_can_be_forced_through_models_that_cut_them_otherwise(bundle):
    """Text is forced, not tokens: what both have in common are the words."""
    from saccade.data.tokenizer import Tokenizer

    others = Tokenizer.train(["The old man drinks tea and reads.", "A dog."], pieces="character")
    first = trace(bundle("transformer"), TEXT, TraceOptions(force="The old man reads."))
    other_bundle = bundle("rnnsearch")
    config = other_bundle.model_config
    torch.manual_seed(3)
    model = build("rnnsearch", config, others.size, others.size).eval()
    second = trace(
        replace(other_bundle, model=model, source_tokenizer=others, target_tokenizer=others),
        TEXT,
        TraceOptions(force=first["output"]["text"]),
    )
    for axis in ("source", "target"):
        words = [
            [word["text"] for word in each["axes"][axis]["words"] if not word["special"]] for each in (first, second)
        ]
        assert words[0] == words[1]
        assert len(first["axes"][axis]["tokens"]) != len(second["axes"][axis]["tokens"])
    assert all(check["holds"] for check in second["checks"])


@pytest.mark.parametrize(
    "asked",
    [
        {"decode": 4},
        {"decode": {"size": "four"}},
        {"decode": {"alpha": [1]}},
        {"decode": {"size": True}},
        {"force": 3},
        {"prefix": ["An"]},
        {"what_if": "no-scale"},
        {"what_if": {"name": 3}},
        {"what_if": {"name": "head-off", "block": "enc.0.self", "head": "1"}},
        {"detail": "all"},
    ],
)
def test_what_is_not_of_the_right_kind_is_refused_in_a_line(asked):
    with pytest.raises(ConfigError, match="must be"):
        TraceOptions.from_json(asked)


def test_a_model_without_positions_is_shuffled_once(bundle):
    made = SentenceTrace(bundle("rnnsearch"), TEXT, TraceOptions())
    assert not made.holds(("shuffle",))
    assert made.document(("shuffle",))["shuffle"] is None
    assert made.holds(("shuffle",))
